"""What an agent can say about how it came to a move.

An agent that can explain itself has a method ``explain(view, dice) -> Explanation``, which chooses
as ``choose`` does with the same view and dice. One that values positions and moves can tell what it
makes of them with a method ``thoughts(view, dice) -> Thoughts``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from sandtable.dice import Dice
from sandtable.types import State

__all__ = ["Candidate", "Explains", "Explanation", "Scale", "Thinks", "Thoughts"]

# What values mean: the chance to win (a draw is half of it), the final score, or something else.
Scale: TypeAlias = Literal["chance", "score", "own"]


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


@dataclass(frozen=True)
class Candidate:
    """A move, or a whole turn, that an agent thought about."""

    actions: tuple[int, ...]
    value: float | None = None  # to the seat that is to move
    share: float | None = None  # how likely the agent would play it, if it draws its moves


@dataclass(frozen=True)
class Thoughts:
    """What an agent makes of a view of the seat that is to move."""

    scale: Scale
    value: float | None  # of the view to that seat; None: it has no opinion
    candidates: tuple[Candidate, ...] = ()  # the best first
    beliefs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # place: {what: how}


@runtime_checkable
class Thinks(Protocol):
    """An agent that can tell what it makes of a position."""

    def thoughts(self, view: State, dice: Dice) -> Thoughts:
        """Value the view and the moves in it."""
        ...
