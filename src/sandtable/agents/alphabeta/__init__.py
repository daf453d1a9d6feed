"""Alphabeta."""
