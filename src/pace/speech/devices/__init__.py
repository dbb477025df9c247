"""The microphones and loudspeakers of this machine."""
