"""Puzzles of Stratego: how they are made, and what moves are worth."""
