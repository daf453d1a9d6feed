"""What the server answers about what agents would play and what positions are worth."""

from __future__ import annotations

from typing import Literal

from sandtable.server.client_messages import Strict
from sandtable.server.server_messages import Thoughts

__all__ = ["Candidates", "Curve", "MoveAnswer"]


class MoveAnswer(Strict):
    """What an agent would play, and why."""

    actions: list[int]
    text: str
    explanation: str | None
    svg: str | None


class Candidates(Thoughts):
    """What an agent thinks of a position, or random playouts say; for the seat that is to move."""

    by: str | None
    seat: int
    playouts: int | None


class CurvePoint(Strict):
    """What a position is worth to every seat; null where a seat has no opinion then."""

    ply: int
    means: list[float | None]
    lows: list[float | None] | None
    highs: list[float | None] | None


class Curve(Strict):
    """What the positions of a game were worth."""

    by: str | None
    scale: Literal["chance", "score", "own"]
    seats: list[str]
    points: list[CurvePoint]
