"""What a client of the gateway brings, and what is made of it: pure, like the memory below it."""
