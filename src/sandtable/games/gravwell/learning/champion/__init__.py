"""How champion of Gravwell learns."""
