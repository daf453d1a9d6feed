"""How the agents of Stratego learn."""
