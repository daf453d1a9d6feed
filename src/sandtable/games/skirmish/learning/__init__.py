"""How the agents of Skirmish learn."""
