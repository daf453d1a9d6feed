"""What goes over a WebSocket, as strict schemas; docs/web-protocol.md says what it means.

What comes from a client is read with ``read_message`` and nothing else. What goes to a client is
built as plain data for speed; the tests hold every message against the classes below.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

__all__ = [
    "ClientMessage",
    "Hint",
    "Join",
    "Pace",
    "Ping",
    "Play",
    "Rematch",
    "Resign",
    "ServerMessage",
    "Stop",
    "Undo",
    "UnreadableMessage",
    "problem_of",
    "read_message",
]

MOST_ACTIONS = 200  # in one message: more than any turn or set-up has
LARGEST_ACTION = 1 << 20
MOST_PLIES = 1 << 24
LONGEST_SPEC = 300
LONGEST_TOKEN = 100


class Strict(BaseModel):
    """No unknown fields, no conversions, no infinite numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


# --- from the client -----------------------------------------------------------------------------


class FromClient(Strict):
    """Any message of a client; its id comes back with an error."""

    id: Annotated[str, Field(max_length=40)] | None = None


class Join(FromClient):
    """The first message: who this is."""

    type: Literal["join"]
    token: Annotated[str, Field(max_length=LONGEST_TOKEN)] | None = None


class Play(FromClient):
    """Legal actions in a row."""

    type: Literal["play"]
    ply: Annotated[int, Field(ge=0, le=MOST_PLIES)]
    actions: Annotated[
        list[Annotated[int, Field(ge=0, le=LARGEST_ACTION)]],
        Field(min_length=1, max_length=MOST_ACTIONS),
    ]


class Undo(FromClient):
    """Take back an action of the open turn, or the last own turn."""

    type: Literal["undo"]
    ply: Annotated[int, Field(ge=0, le=MOST_PLIES)]
    scope: Literal["action", "turn"]


class Resign(FromClient):
    """Give the game up."""

    type: Literal["resign"]


class Rematch(FromClient):
    """Offer or accept another game."""

    type: Literal["rematch"]


class Hint(FromClient):
    """Ask what a program would play."""

    type: Literal["hint"]
    agent: Annotated[str, Field(min_length=1, max_length=LONGEST_SPEC)] | None = None


class Pace(FromClient):
    """Change how fast programs play."""

    type: Literal["pace"]
    paused: bool | None = None
    seconds: Annotated[float, Field(ge=0, le=10)] | None = None


class Stop(FromClient):
    """Break the game off."""

    type: Literal["stop"]


class Ping(FromClient):
    """Ask whether the server is there."""

    type: Literal["ping"]


ClientMessage: TypeAlias = Annotated[
    Join | Play | Undo | Resign | Rematch | Hint | Pace | Stop | Ping, Field(discriminator="type")
]

READER: TypeAdapter[Any] = TypeAdapter(ClientMessage)


class UnreadableMessage(Exception):
    """What a client sent is not a message; ``identity`` is its id, if it had one."""

    def __init__(self, problem: str, identity: str | None) -> None:
        super().__init__(problem)
        self.identity = identity


def read_message(text: str) -> ClientMessage:
    """Read a message of a client, or raise UnreadableMessage with one line."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise UnreadableMessage("this is not JSON", None) from None
    identity = data.get("id") if isinstance(data, dict) else None
    named = identity if isinstance(identity, str) and len(identity) <= 40 else None
    try:
        message: ClientMessage = READER.validate_python(data)
    except ValidationError as problem:
        raise UnreadableMessage(problem_of(problem), named) from None
    return message


def problem_of(problem: ValidationError) -> str:
    """Say in one line where a message is wrong, without repeating what was sent."""
    first = problem.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "union_tag_invalid":
        return "there is no message of this type"
    return f"{where or 'message'}: {first['msg']}"[:200]


# --- to the client -------------------------------------------------------------------------------


class Outcome(Strict):
    """How a game ended."""

    scores: list[float]
    reason: str
    forfeited_by: int | None


class LegalAction(Strict):
    """Something the viewer can play now."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, frozen=True, populate_by_name=True
    )

    action: int
    text: str
    kind: str
    from_: str | None = Field(alias="from")
    to: str | None
    label: str


class Event(BaseModel):
    """Something that happened; what else it holds depends on the game."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    kind: str
    text: str


class Board(BaseModel):
    """What there is to see; what else it holds depends on the game."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    game: str


class LogEntry(Strict):
    """One action, as far as the viewer may know it."""

    ply: int
    seat: int
    action: int | None
    text: str | None
    events: list[Event]


class Step(LogEntry):
    """One action with the board after it."""

    board: Board


class Allowed(Strict):
    """What the viewer can do now."""

    play: bool
    undo_action: bool
    undo_turn: bool
    resign: bool
    rematch: bool
    hint: bool


class RematchState(Strict):
    """Who wants another game, and where it is."""

    offered_by: list[int]
    room: str | None
    link: str | None


class Now(Strict):
    """The present, as the viewer may see it."""

    ply: int
    turn: int | None
    status: str
    board: Board
    legal: list[LegalAction] | None
    outcome: Outcome | None
    clocks: list[float] | None
    thinking: bool
    paused: bool
    pace: float
    can: Allowed
    rematch: RematchState
    archive: str | None


class SeatFacts(Strict):
    """Who sits where."""

    seat: str
    name: str
    kind: Literal["person", "program"]
    agent: str | None


class ClockFacts(Strict):
    """How long everybody may think."""

    minutes: float
    increment: float


class RoomFacts(Strict):
    """What does not change in a room."""

    room: str
    game: str
    title: str
    rules: str
    seats: list[SeatFacts]
    clock: ClockFacts | None
    hidden: bool
    winners: bool
    closing: bool
    branched: str | None


class StateMessage(Strict):
    """The whole state."""

    type: Literal["state"]
    why: Literal["join", "undo", "end"]
    room: RoomFacts
    you: int | None
    role: Literal["seat", "owner", "spectator"]
    now: Now
    log: list[LogEntry]
    log_first: int


class StepsMessage(Strict):
    """What was played."""

    type: Literal["steps"]
    steps: list[Step]
    now: Now


class PresenceMessage(Strict):
    """Who is there."""

    type: Literal["presence"]
    seats: list[bool]
    spectators: int


class HintMessage(Strict):
    """What a program would play."""

    type: Literal["hint"]
    agent: str
    actions: list[LegalAction]
    text: str


class RematchMessage(RematchState):
    """Somebody wants another game, or it is there."""

    type: Literal["rematch"]


class ErrorMessage(Strict):
    """What was asked for cannot be done."""

    type: Literal["error"]
    code: Literal[
        "shape", "stale", "turn", "illegal", "not_allowed", "over", "busy", "token", "rate"
    ]
    text: str
    id: str | None = None


class PongMessage(Strict):
    """The server is there."""

    type: Literal["pong"]


ServerMessage: TypeAlias = Annotated[
    StateMessage
    | StepsMessage
    | PresenceMessage
    | HintMessage
    | RematchMessage
    | ErrorMessage
    | PongMessage,
    Field(discriminator="type"),
]
