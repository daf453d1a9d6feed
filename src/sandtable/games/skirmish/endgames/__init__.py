"""Solved endgames of Skirmish: perfect play on small maps, and how often an agent misses it."""
