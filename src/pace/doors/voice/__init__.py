"""Talking to Pace: what is heard becomes a turn, and its reply is spoken while it is written."""
