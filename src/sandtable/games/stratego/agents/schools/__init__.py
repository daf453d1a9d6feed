"""Scripted players of other schools than the learned ones."""
