"""Pace: a companion that holds a conversation, and the memory engine under it."""

import logging

# Whoever runs Pace decides where its log goes; by itself it writes none on anybody's screen.
logging.getLogger(__name__).addHandler(logging.NullHandler())
