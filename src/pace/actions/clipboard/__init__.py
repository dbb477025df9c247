"""Reads and writes the clipboard."""
