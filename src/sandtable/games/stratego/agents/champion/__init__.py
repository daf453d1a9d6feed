"""The agent stratego/champion."""
