"""Whatever folds pending pairs into the summary."""
