"""The agent lucid/imitation."""
