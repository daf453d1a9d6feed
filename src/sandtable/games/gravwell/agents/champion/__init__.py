"""The agent gravwell/champion."""
