"""Local servers: finding those that run on this machine."""
