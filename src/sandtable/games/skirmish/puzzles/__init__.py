"""Puzzles of Skirmish: how they are made, and what moves are worth."""
