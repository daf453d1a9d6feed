"""Agents that answer one fixed opponent: from a table, or by a search in which it plays itself."""
