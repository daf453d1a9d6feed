"""Gravwell: escape from a singularity with cards that pull, push and drag ships along a track."""
