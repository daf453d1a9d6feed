"""Assistants at the table: a server that speaks the Model Context Protocol (``sandtable mcp``)."""
