"""`pace history`: what was said, for its person to list, search, read, export and delete."""
