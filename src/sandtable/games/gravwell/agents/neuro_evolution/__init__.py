"""The agent gravwell/neuro-evolution."""
