"""The agent skirmish/dsl."""
