"""Games in a notebook: states and records draw themselves, and ``Replay`` steps through a game."""

from sandtable.notebook.replay import Frame, Replay

__all__ = ["Frame", "Replay"]
