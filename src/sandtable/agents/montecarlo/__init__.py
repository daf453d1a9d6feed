"""Montecarlo."""
