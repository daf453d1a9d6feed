"""The agent stratego/policy."""
