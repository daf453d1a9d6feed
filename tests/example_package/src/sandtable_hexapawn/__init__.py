"""Hexapawn (Gardner 1962) for Sandtable: a few pawns, and a machine of matchboxes that learns."""
