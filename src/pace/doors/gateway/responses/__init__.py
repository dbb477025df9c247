"""The Responses form of a turn: read as chat completions, and answered in its own events."""
