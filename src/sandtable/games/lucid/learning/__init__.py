"""How the agents of Operation Lucid learn."""
