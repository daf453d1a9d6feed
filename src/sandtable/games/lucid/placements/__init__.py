"""Whole moves as placements: listing, drawing and playing them under demands."""
