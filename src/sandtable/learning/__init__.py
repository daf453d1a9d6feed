"""Learning: one file for each published training method, read from top to bottom."""
