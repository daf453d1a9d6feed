"""How champion of Skirmish learns."""
