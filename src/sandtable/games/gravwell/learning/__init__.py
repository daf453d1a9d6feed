"""How the agents of Gravwell learn."""
