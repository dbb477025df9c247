"""The window: a browser's view of the conversation, of what the model sees, and of what is kept."""
