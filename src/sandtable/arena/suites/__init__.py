"""Benchmarks: fixed suites of games and opponents, and what an agent's figures on them are."""
