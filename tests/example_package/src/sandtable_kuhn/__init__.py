"""Kuhn poker (1950) for Sandtable: three cards, one bet, and already a reason to bluff."""
