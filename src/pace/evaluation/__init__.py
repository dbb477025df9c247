"""What a memory keeps of talks, and what that is worth: replayed, counted, read by a planner."""
