"""Opens apps, web addresses, files and folders, in the way of each platform."""
