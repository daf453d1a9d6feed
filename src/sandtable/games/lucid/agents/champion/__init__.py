"""The agent lucid/champion."""
