"""Actions of other people's programs: servers of the Model Context Protocol.

What such a server says of itself and of its tools is text of others: it is shortened, made harmless
and never believed where it matters (`docs/mcp.md`).
"""
