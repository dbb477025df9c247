"""Who answers the turns of clients that bring their own messages."""
