"""How champion of Stratego learns."""
