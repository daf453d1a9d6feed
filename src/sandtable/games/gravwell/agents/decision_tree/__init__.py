"""The agent gravwell/decision-tree."""
