"""What speaks; text reaches each voice through a pipe, so that no list of processes shows it."""
