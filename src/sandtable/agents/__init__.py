"""Agents: those that play any game here, the published ones of each game in its folder."""
