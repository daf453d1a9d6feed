"""How fictitious play of Gravwell learns."""
