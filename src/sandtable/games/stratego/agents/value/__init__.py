"""The agent stratego/value."""
