"""What makes words of sound."""
