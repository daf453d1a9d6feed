"""What the server answers over HTTP; docs/web-protocol.md says what it means.

Answers are built as plain data; the tests hold them against these classes, and the types of the
browser client are made from them.
"""

from __future__ import annotations

from typing import Any, Literal

from sandtable.server.client_messages import Strict
from sandtable.server.server_messages import Board, LogEntry, Outcome, RoomFacts, Step, Thoughts

__all__ = [
    "About",
    "AgentInfo",
    "ArchivedGame",
    "Candidates",
    "Curve",
    "GameFacts",
    "GameInfo",
    "Job",
    "LogPage",
    "MoveAnswer",
    "RoomLinks",
    "RoomSummary",
    "Rules",
    "Steps",
    "TrainingCurve",
    "TrainingRun",
    "Uploaded",
]


class About(Strict):
    """What a server is."""

    version: str
    key_needed: bool
    external_allowed: bool


class GamePreset(Strict):
    """A game with options that a menu offers."""

    spec: str
    title: str


class OptionChoice(Strict):
    """One of the values of an option."""

    value: str
    title: str


class GameOption(Strict):
    """An option of a game in a form; without choices it is a number or text."""

    name: str
    title: str
    meaning: str
    default: str
    choices: list[OptionChoice] | None
    least: int | None
    most: int | None


class GameQuestion(Strict):
    """What a game itself answers about a position."""

    name: str
    title: str


class GameInfo(Strict):
    """A game that can be played."""

    name: str
    title: str
    summary: str
    hidden: bool
    chance: bool
    winners: bool
    presets: list[GamePreset]
    options: list[GameOption]
    questions: list[GameQuestion]
    seat_colours: list[str]


class GameFacts(Strict):
    """A game with its options."""

    spec: str
    name: str
    title: str
    seats: list[str]
    hidden: bool
    chance: bool
    winners: bool
    seat_colours: list[str]


class Rules(Strict):
    """The rules of a game as Markdown."""

    text: str


class AgentInfo(Strict):
    """An agent, and the seats it can take; with values it can judge positions."""

    name: str
    summary: str
    seats: list[str]
    explains: bool
    values: bool


class SeatLink(Strict):
    """The way to a seat, for one person."""

    seat: str
    name: str
    token: str
    link: str


class RoomLinks(Strict):
    """A new room with everybody's way to it."""

    room: str
    owner: str
    watch: str
    seats: list[SeatLink]


class RoomSummary(RoomFacts):
    """A room and how its game stands."""

    ply: int
    over: bool
    status: str
    outcome: Outcome | None
    archive: str | None
    spectators: int


class LogPage(Strict):
    """A part of what was played in a room."""

    first: int
    total: int
    entries: list[LogEntry]


class ArchivedGame(Strict):
    """A finished game."""

    id: str
    game: str
    title: str
    seats: list[str]
    players: list[str]
    names: list[str]
    outcome: Outcome | None
    plies: int
    number: int
    experiment: str
    seat_colours: list[str]


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


class JobProgress(Strict):
    """How far a job has come; a training has the name of its run."""

    done: int | None = None
    total: int | None = None
    run: str | None = None


class Job(Strict):
    """Work in the background; what its progress and result hold depends on its kind."""

    job: str
    kind: str
    title: str
    status: str
    progress: JobProgress | None
    result: Any
    error: str | None
    seconds: float


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
    lows: list[float] | None
    highs: list[float] | None


class Curve(Strict):
    """What the positions of a game were worth."""

    by: str | None
    scale: Literal["chance", "score", "own"]
    seats: list[str]
    points: list[CurvePoint]


class TrainingRun(Strict):
    """A training run."""

    run: str
    lines: int
    running: bool
    columns: list[str]


class TrainingCurve(Strict):
    """What a training run wrote down."""

    run: str
    config: dict[str, Any]
    columns: list[str]
    rows: list[list[float | None]]
    total: int
