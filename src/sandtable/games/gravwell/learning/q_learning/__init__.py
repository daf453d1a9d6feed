"""How q learning of Gravwell learns."""
