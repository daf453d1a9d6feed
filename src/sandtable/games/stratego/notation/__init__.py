"""Positions and actions as text, both ways."""
