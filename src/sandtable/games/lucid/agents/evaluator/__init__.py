"""Evaluator of Operation Lucid."""
