"""Conversational memory: pure values, and the prompt they become. It imports nothing of Pace."""
