"""The JSON envelope, version 10: its form, its schema, and how a reply in it is read."""
