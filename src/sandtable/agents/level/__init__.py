"""Opponents from easy to champion: the levels of a game, and the agent that plays at one."""
