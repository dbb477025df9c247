"""The model on this machine: llama.cpp's own server in a child process, behind a private socket."""
