"""What the server says over a WebSocket; docs/web-protocol.md says what it means.

It is built as plain data for speed; the tests hold every message against these classes.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from sandtable.server.client_messages import Strict

__all__ = ["ServerMessage"]


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


class BarredMove(Strict):
    """Something the viewer might try and may not play now."""

    model_config = LegalAction.model_config

    from_: str = Field(alias="from")
    to: str
    why: str


class GameEvent(BaseModel):
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
    events: list[GameEvent]


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
    barred: list[BarredMove] | None
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
    seat_colours: list[str]


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


class Thought(Strict):
    """A move that a program thought about."""

    action: int
    text: str
    value: float | None
    share: float | None
    low: float | None
    high: float | None


class Belief(Strict):
    """What a program believes of a place."""

    place: str
    ranks: dict[str, float]


class Thoughts(Strict):
    """What a program makes of the view of whoever asks."""

    scale: Literal["chance", "score", "own"]
    value: float | None
    candidates: list[Thought]
    beliefs: list[Belief]


class HintMessage(Strict):
    """What a program would play, and why if it can tell."""

    type: Literal["hint"]
    agent: str
    actions: list[LegalAction]
    text: str
    thoughts: Thoughts | None


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
