"""The agents of Skirmish, and what its search knows about it."""
