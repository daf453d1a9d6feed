"""Skirmish: towns raise workers, workers raise barracks, soldiers clear an 8 by 8 map."""
