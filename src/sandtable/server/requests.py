"""What comes over HTTP, as strict schemas; docs/web-protocol.md says what it means."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = [
    "BranchPoint",
    "ClassDecision",
    "ClassEntry",
    "ClassProgram",
    "ClockWanted",
    "NewClass",
    "NewMatch",
    "NewNote",
    "NewRoom",
    "NewSeat",
    "NewTournament",
    "PlayerState",
    "PuzzleMoveChosen",
    "Question",
    "RecordLines",
    "RequestBody",
    "ReviewWanted",
    "SeatClaim",
]

LONGEST_SPEC = 1000  # a game may have its whole board among its options
SpecText = Annotated[str, Field(min_length=1, max_length=LONGEST_SPEC)]
Name = Annotated[str, Field(max_length=40)]
RoomName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{12}$")]
GameName = Annotated[str, Field(pattern=r"^[0-9a-f]{1,40}-[0-9]{1,18}$")]
Ply = Annotated[int, Field(ge=0, le=1 << 24)]
MOST_BYTES_OF_RECORDS = 8 << 20


class RequestBody(BaseModel):
    """The body of a request: no unknown fields, no infinite numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class NewSeat(RequestBody):
    """Who takes a seat: a person or a program."""

    person: Name | None = None
    agent: SpecText | None = None
    open: bool = False  # of a listed room: anybody may take it from the first page

    @model_validator(mode="after")
    def one_of_both(self) -> NewSeat:
        """A seat has one holder."""
        if (self.person is None) == (self.agent is None):
            raise ValueError("a seat has either a person or an agent")
        return self


class SeatClaim(RequestBody):
    """Somebody who takes an open seat, or with its token gives their own a name."""

    name: Name = ""
    token: Annotated[str, Field(max_length=100)] | None = None


class PuzzleMoveChosen(RequestBody):
    """The answer to a puzzle; without an action it is given up."""

    action: Annotated[int, Field(ge=0, le=1 << 24)] | None = None


class ClockWanted(RequestBody):
    """Time for the whole game, and what is added after every turn."""

    minutes: Annotated[float, Field(ge=0.1, le=600)]
    increment: Annotated[float, Field(ge=0, le=600)] = 0.0


class BranchPoint(RequestBody):
    """A game of the archive after so many actions."""

    archive: GameName
    ply: Ply


class NewRoom(RequestBody):
    """A room to be made."""

    game: SpecText
    seats: Annotated[list[NewSeat], Field(min_length=1, max_length=8)]
    clock: ClockWanted | None = None
    pace: Annotated[float, Field(ge=0, le=10)] = 0.0
    listed: bool = False
    start: BranchPoint | None = None


class NewClass(RequestBody):
    """A tournament of a class to be made."""

    title: Name = ""
    game: SpecText
    kind: Literal["round-robin", "swiss"] = "round-robin"
    both_sides: bool = False  # two games a meeting; always where only the score counts
    clock: ClockWanted | None = None
    listed: bool = False  # shown to whoever reaches the server; otherwise its link is needed


class ClassEntry(RequestBody):
    """Somebody who takes part in a tournament, or wants another name there."""

    name: Name


class ClassProgram(RequestBody):
    """A program that takes part."""

    agent: SpecText


class ClassDecision(RequestBody):
    """Somebody does not come: the seat forfeits, or an agent plays there instead."""

    room: RoomName
    seat: Annotated[int, Field(ge=0, le=7)]
    agent: SpecText | None = None


class PlayerState(RequestBody):
    """Whether a player is to be paired in the rounds that come."""

    gone: bool
    and_later: bool = False  # all who came after this one too


class EntryState(RequestBody):
    """Whether others may come into a class."""

    closed: bool


class NewMatch(RequestBody):
    """A match to be played in the background."""

    game: SpecText
    agents: Annotated[list[SpecText], Field(min_length=1, max_length=8)]
    games: Annotated[int, Field(ge=1, le=100_000)]
    seed: Annotated[int, Field(ge=0, le=1 << 53)] = 0
    rotate: bool = False


class NewTournament(RequestBody):
    """A tournament in the background; in a gauntlet the first agent meets all others."""

    game: SpecText
    agents: Annotated[list[SpecText], Field(min_length=2, max_length=16)]
    deals: Annotated[int, Field(ge=1, le=10_000)] = 100
    seed: Annotated[int, Field(ge=0, le=1 << 53)] = 0
    rotate: bool = True
    kind: Literal["round-robin", "gauntlet"] = "round-robin"


class Question(RequestBody):
    """What is to be found out about a position of a finished or open game."""

    what: Annotated[str, Field(pattern=r"^[a-z][a-z_-]{0,39}$")]  # ours, or one of the game's
    archive: GameName | None = None
    room: RoomName | None = None
    ply: Ply = 0
    agent: SpecText | None = None
    seat: Annotated[int, Field(ge=0, le=7)] | None = None
    playouts: Annotated[int, Field(ge=10, le=2000)] = 200

    @model_validator(mode="after")
    def one_game(self) -> Question:
        """A question is about one game."""
        if (self.archive is None) == (self.room is None):
            raise ValueError("name either a game of the archive or a room")
        return self


class ReviewWanted(RequestBody):
    """Whose mistakes are to be found; null: those of the first person."""

    seat: Annotated[int, Field(ge=0, le=7)] | None = None


class NewNote(RequestBody):
    """Words about a position of a finished game, and perhaps what could be played there."""

    ply: Ply
    text: Annotated[str, Field(max_length=2000)] = ""
    moves: Annotated[str, Field(max_length=1000)] = ""  # in words, instead of actions
    actions: Annotated[list[Annotated[int, Field(ge=0, le=1 << 20)]], Field(max_length=200)] = (
        Field(default_factory=list)
    )


class RecordLines(RequestBody):
    """Records to be kept, as JSON lines."""

    lines: Annotated[str, Field(min_length=1, max_length=MOST_BYTES_OF_RECORDS)]
