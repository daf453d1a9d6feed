"""The agent gravwell/fictitious-play."""
