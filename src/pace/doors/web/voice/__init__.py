"""Talking in the window: its page lends microphone and loudspeaker over a connection of its own."""
