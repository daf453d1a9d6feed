"""What the server answers about finished games: lists, mistakes, notes, advisers, series."""

from __future__ import annotations

from typing import Literal

from sandtable.server.client_messages import Strict
from sandtable.server.responses.archive import ArchivedGame
from sandtable.server.server_messages import LegalAction

__all__ = ["Advisers", "ArchiveList", "Notes", "Review", "SeriesResult", "Transcript"]


class AgentMean(Strict):
    """The mean score of an agent in a match."""

    agent: str
    mean: float


class ArchivedMatch(Strict):
    """Games with the same rules, seed and agents: a match, or one game."""

    game: ArchivedGame  # its first
    games: int
    experiments: list[str]
    means: list[AgentMean]


class ArchiveList(Strict):
    """Matches and single games, the newest first."""

    total: int
    games: int  # in all of them
    matches: list[ArchivedMatch]


class Turn(Strict):
    """The actions of a turn, and the whole as text."""

    text: str
    actions: list[LegalAction]


class Mistake(Strict):
    """A turn in which something was given away; both values are from before the dice fell."""

    ply: int  # before the first action that differs
    last: int
    turn_label: str
    loss: float
    played_value: float
    better_value: float
    played: Turn
    better: Turn


class Review(Strict):
    """The turns of a seat in which most was given away, the worst first."""

    by: str
    scale: Literal["chance", "score", "own"]
    unit: str
    score_unit: str  # what scores of the game count
    seat: int
    turns: int
    judged: int
    given_away: float  # in all turns that were judged
    done: bool
    mistakes: list[Mistake]


class Note(Strict):
    """Words about a position of a finished game, and perhaps what could be played there."""

    ply: int
    text: str
    variation: Turn | None


class Notes(Strict):
    """All notes of a game, in the order in which they were written."""

    notes: list[Note]


class SpokenMessage(Strict):
    """One message of a question to a language model."""

    role: str
    text: str


class Exchange(Strict):
    """A question to a language model and its answer."""

    prompt: list[SpokenMessage]
    answer: str
    reasoning: str
    problem: str  # why the answer could not be played; empty: it was
    kind: str  # of problem: unreadable, illegal or endpoint
    finish: str
    prompt_tokens: int | None
    answer_tokens: int | None
    reasoning_tokens: int | None
    seconds: float
    retries: int


class SpokenDecision(Strict):
    """What was said before some actions of a seat."""

    ply: int
    seat: int
    actions: int
    model: str
    exchanges: list[Exchange]


class Transcript(Strict):
    """What was said before the action that led to a position."""

    decisions: list[SpokenDecision]


class Adviser(Strict):
    """A program that can be asked about a position."""

    spec: str
    played: bool  # in this game
    plays: bool  # can move here
    values: bool  # can value this position, in the unit of the game
    curve: bool  # and others of the game
    explains: bool


class Advisers(Strict):
    """Who can be asked about a position; values are chances to win, or points without winners."""

    turn: int | None
    winners: bool
    advisers: list[Adviser]


class SeriesGame(Strict):
    """A game of a series: its score, and what it would have been without luck."""

    id: str
    score: float
    luck_free: float


class LeftOutGame(Strict):
    """A game that does not count in a series, and why."""

    id: str
    why: str


class MeanOfGames(Strict):
    """A mean; without an interval the reason says why."""

    mean: float
    low: float | None
    high: float | None
    reason: str


class SeriesResult(Strict):
    """How a series stands."""

    games: list[SeriesGame]
    left_out: list[LeftOutGame]
    raw: MeanOfGames | None
    luck_free: MeanOfGames | None
