"""The journal's file: its schema, its mending, and how its words are found."""
