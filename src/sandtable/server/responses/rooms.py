"""What the server answers about rooms, and about how strong those are who play there."""

from __future__ import annotations

from sandtable.server.client_messages import Strict
from sandtable.server.server_messages import LogEntry, Outcome, RoomFacts

__all__ = ["LogPage", "PersonRating", "RoomLinks", "RoomSummary"]


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
    turn: int | None  # whose it is
    made_at: float  # seconds since 1970
    open_seats: list[int]  # that anybody may take


class LogPage(Strict):
    """A part of what was played in a room."""

    first: int
    total: int
    entries: list[LogEntry]


class PersonRating(Strict):
    """How strong somebody is at a game, by games against levels."""

    game: str
    title: str
    rating: float
    low: float | None
    high: float | None
    reason: str  # why there is no interval, where there is none
    games: int
