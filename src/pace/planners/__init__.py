"""Whatever answers a turn. Import an adapter from its own file, so that no other extra loads."""
