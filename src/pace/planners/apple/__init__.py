"""Apple's on-device model, through Apple's own SDK."""
