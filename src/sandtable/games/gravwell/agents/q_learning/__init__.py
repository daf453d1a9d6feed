"""The agent gravwell/q-learning."""
