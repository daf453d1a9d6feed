"""The agent skirmish/champion."""
