"""The agent lucid/semantic."""
