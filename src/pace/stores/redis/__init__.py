"""Threads in a Redis or Valkey that many processes share, and that keeps nothing on a disk."""
