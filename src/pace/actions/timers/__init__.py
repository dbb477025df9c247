"""Timers, which live as long as this process."""
