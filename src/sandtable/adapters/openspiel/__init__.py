"""Openspiel."""
