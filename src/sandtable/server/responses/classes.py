"""What the server answers about tournaments of a class."""

from __future__ import annotations

from typing import Literal

from sandtable.server.client_messages import Strict
from sandtable.server.server_messages import ClockFacts, Outcome

__all__ = ["ClassLinks", "ClassPage", "ClassSelf", "ClassSummary", "ClassToken"]


class ClassSummary(Strict):
    """A tournament of a class."""

    name: str
    title: str
    made_at: float  # seconds since 1970
    game: str
    game_title: str
    kind: Literal["round-robin", "swiss"]
    players: int
    round: int  # the one that is on, from 1; 0: none has begun
    over: bool


class ClassLinks(Strict):
    """A new tournament with the way to it, for guests and for its host."""

    name: str
    host: str
    link: str
    host_link: str


class ClassEntrant(Strict):
    """Somebody who takes part."""

    name: str
    kind: Literal["person", "program"]
    gone: bool


class ClassGameInfo(Strict):
    """A game of a meeting: who sits where, who has come, and how it ended."""

    room: str
    players: list[int]  # by seat
    here: list[bool]  # by seat: has come
    replaced: list[bool]  # by seat: a program stands in
    outcome: Outcome | None
    archive: str | None


class ClassMeeting(Strict):
    """Two players in one round, with their points once all is played."""

    players: list[int]
    points: list[float] | None
    games: list[ClassGameInfo]


class ClassRoundInfo(Strict):
    """One round."""

    meetings: list[ClassMeeting]
    byes: list[int]
    over: bool


class Figure(Strict):
    """A figure with its interval; an end that is open or not known is null."""

    value: float
    low: float | None
    high: float | None


class ClassStanding(Strict):
    """How one player stands."""

    player: int
    place: int
    points: float
    meetings: int
    won: int
    drawn: int
    lost: int
    byes: int
    tie_break: float
    rating: Figure | None
    share: Figure | None
    score: Figure | None


class ClassPage(ClassSummary):
    """Who plays whom, all results and the standings."""

    rules: str
    winners: bool
    seats: list[str]
    seat_colours: list[str]
    both_sides: bool
    clock: ClockFacts | None
    rounds_planned: int | None
    joinable: bool
    listed: bool  # whoever reaches the server finds it
    closed: bool  # by its host: nobody else comes in
    entrants: list[ClassEntrant]
    rounds: list[ClassRoundInfo]
    standings: list[ClassStanding]
    tie_break: str
    notes: list[str]  # why figures have no interval


class ClassToken(Strict):
    """What somebody gets who takes part."""

    player: int
    name: str
    token: str


class ClassGameLink(Strict):
    """The way to one's own game."""

    room: str
    link: str


class ClassSelf(Strict):
    """Who somebody is in a class, and the way to their open games."""

    host: bool
    player: int | None
    games: list[ClassGameLink]
