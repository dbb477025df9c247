"""Tier direct: an API that the person has a key for. Importing this loads none of its libraries."""
