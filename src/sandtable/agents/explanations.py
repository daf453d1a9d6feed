"""What an agent can say about how it came to a move.

An agent that can explain itself has a method ``explain(view, dice) -> Explanation``, which chooses
as ``choose`` does with the same view and dice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sandtable.dice import Dice
from sandtable.types import State

__all__ = ["Explains", "Explanation"]


@dataclass(frozen=True)
class Explanation:
    """A move with its reasons, in words and as a picture."""

    actions: tuple[int, ...]  # the whole turn
    text: str  # several lines, for the terminal
    svg: str  # a whole document


@runtime_checkable
class Explains(Protocol):
    """An agent that can explain itself."""

    def explain(self, view: State, dice: Dice) -> Explanation:
        """Choose, and say why."""
        ...
