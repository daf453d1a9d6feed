"""The arena: games between agents, and what can be concluded from them."""
