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
    turn_label: str


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
    hurry: bool  # the program that thinks can move now


class RematchState(Strict):
    """Who wants another game, and where it is."""

    offered_by: list[int]
    room: str | None
    link: str | None


class DrawState(Strict):
    """Whose offer of a draw stands, who has just declined one, and whether the viewer may offer."""

    offered_by: int | None
    declined_by: int | None
    may_offer: bool


class Now(Strict):
    """The present, as the viewer may see it."""

    ply: int
    turn: int | None
    status: str
    progress: str
    ending: str
    board: Board
    legal: list[LegalAction] | None
    barred: list[BarredMove] | None
    outcome: Outcome | None
    clocks: list[float] | None
    clock_runs: int | None  # whose; none before everybody is there
    thinking: bool
    preparing: bool
    paused: bool
    pace: float
    can: Allowed
    rematch: RematchState
    draw: DrawState
    archive: str | None


class SeatFacts(Strict):
    """Who sits where."""

    seat: str
    title: str
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
    of_class: str | None  # the class of whose tournament it is a game


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


class WorkingMessage(Strict):
    """A program thinks about what was asked for; the first time it may have to be compiled."""

    type: Literal["working"]
    first: bool


class WhyMessage(Strict):
    """Why something cannot go there; empty if there is nothing to explain."""

    type: Literal["why"]
    text: str


class ViewMessage(Strict):
    """The position as the viewer may see it, in one line and as a drawing; null: nothing of it."""

    type: Literal["view"]
    ply: int
    line: str | None
    text: str | None


class RematchMessage(RematchState):
    """Somebody wants another game, or it is there."""

    type: Literal["rematch"]


class DrawMessage(DrawState):
    """Somebody offers a draw, or declines one."""

    type: Literal["draw"]


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
    | WorkingMessage
    | WhyMessage
    | ViewMessage
    | RematchMessage
    | DrawMessage
    | ErrorMessage
    | PongMessage,
    Field(discriminator="type"),
]
