"""How td of Operation Lucid learns."""
