"""What the server answers about finished games that it keeps."""

from __future__ import annotations

from sandtable.server.client_messages import Strict
from sandtable.server.server_messages import Board, Outcome, Step

__all__ = ["ArchivedGame", "Steps", "Uploaded"]


class ArchivedGame(Strict):
    """A finished game."""

    id: str
    game: str
    title: str
    seats: list[str]
    titles: list[str]
    players: list[str]
    names: list[str]
    outcome: Outcome | None
    plies: int
    number: int
    experiment: str
    seat_colours: list[str]
    talked: bool = False  # there is a transcript
    added: str | None = None  # when it was first stored (UTC)


class StartFrame(Strict):
    """The board before the first of some steps, and who is to act there."""

    ply: int
    turn: int | None
    board: Board


class ReplayStep(Step):
    """A step of a finished game, and who is to act after it."""

    turn: int | None


class Steps(Strict):
    """A part of a finished game."""

    first: int
    total: int
    start: StartFrame
    steps: list[ReplayStep]


class Uploaded(Strict):
    """What became of records that somebody brought."""

    added: int
    known: int
    ids: list[str]
    problems: list[str]
