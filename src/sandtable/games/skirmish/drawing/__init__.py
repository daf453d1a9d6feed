"""Positions as pictures: in the terminal, as SVG, in words."""
