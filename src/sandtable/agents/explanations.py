"""What an agent can say about how it came to a move; see sandtable.agent."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from sandtable.agent import Analysis as Thoughts
from sandtable.agent import Candidate, Scale
from sandtable.dice import Dice
from sandtable.types import State

__all__ = ["Candidate", "Scale", "Thinks", "Thoughts"]


@runtime_checkable
class Thinks(Protocol):
    """An agent that can tell what it makes of a position."""

    def thoughts(self, view: State, dice: Dice) -> Thoughts:
        """Value the view and the moves in it."""
        ...
