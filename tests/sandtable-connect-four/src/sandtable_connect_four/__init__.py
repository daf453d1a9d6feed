"""Connect four, a game for Sandtable."""
