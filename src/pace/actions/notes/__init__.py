"""Notes: Markdown files in one folder."""
