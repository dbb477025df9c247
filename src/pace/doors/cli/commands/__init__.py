"""The commands of `pace` and their flags; what they do is imported when they are called."""
