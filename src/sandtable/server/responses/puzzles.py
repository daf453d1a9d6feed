"""What the server answers about puzzles."""

from __future__ import annotations

from typing import Literal

from sandtable.server.client_messages import Strict
from sandtable.server.server_messages import Board, LegalAction

__all__ = ["PuzzleFacts", "PuzzleHint", "PuzzleSet", "PuzzleVerdict"]


class PuzzleSet(Strict):
    """The puzzles of a game, by names that stay the same; the first is number 1."""

    game: str
    title: str
    puzzles: list[str]


class PuzzleFacts(Strict):
    """A puzzle as its seat may see it: the board, what can be answered, and what is asked."""

    id: str
    number: int
    total: int
    game: str
    spec: str
    title: str
    seat: int
    titles: list[str]
    seat_colours: list[str]
    task: str
    progress: str
    board: Board
    legal: list[LegalAction]


class PuzzleHint(Strict):
    """A little of the answer: words, and a place of the board if there is one."""

    text: str
    place: str | None


class PuzzleMove(Strict):
    """A move of a puzzle, and what it is worth to the seat."""

    text: str
    label: str
    value: float


class PuzzleVerdict(Strict):
    """What is said of an answer; the solution only if it was found or given up."""

    right: bool
    text: str
    solution: LegalAction | None
    unit: Literal["chance", "score"]
    margin: float | None
    moves: list[PuzzleMove]
    judged: str
