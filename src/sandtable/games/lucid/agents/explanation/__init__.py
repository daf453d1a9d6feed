"""Explanation of Operation Lucid."""
