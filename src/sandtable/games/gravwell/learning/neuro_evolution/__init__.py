"""How neuro evolution of Gravwell learns."""
