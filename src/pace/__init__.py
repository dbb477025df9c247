"""Pace: a companion that holds a conversation, and the memory engine under it."""
