"""What clients say over a WebSocket, as strict schemas; docs/web-protocol.md says what it means.

It is read with ``read_message`` and nothing else.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from sandtable.server.connections import readable

__all__ = [
    "ClientMessage",
    "Draw",
    "Hint",
    "Hurry",
    "Join",
    "Look",
    "Pace",
    "Ping",
    "Play",
    "Rematch",
    "Resign",
    "Stop",
    "Strict",
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
LONGEST_PLACE = 60


class Strict(BaseModel):
    """No unknown fields, no conversions, no infinite numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


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


class Draw(FromClient):
    """Offer a draw, or answer an offer."""

    type: Literal["draw"]
    answer: Literal["offer", "accept", "decline"]


class Rematch(FromClient):
    """Offer or accept another game."""

    type: Literal["rematch"]


class Hint(FromClient):
    """Ask what a program would play."""

    type: Literal["hint"]
    agent: Annotated[str, Field(min_length=1, max_length=LONGEST_SPEC)] | None = None


class Hurry(FromClient):
    """Have the program that thinks move now, with what it has found."""

    type: Literal["hurry"]


class Why(FromClient):
    """Ask why something cannot go to a place, or cannot go at all."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, frozen=True, populate_by_name=True
    )

    type: Literal["why"]
    ply: Annotated[int, Field(ge=0, le=MOST_PLIES)]
    from_: Annotated[str, Field(alias="from", min_length=1, max_length=LONGEST_PLACE)]
    to: Annotated[str, Field(min_length=1, max_length=LONGEST_PLACE)] | None = None


class Look(FromClient):
    """Ask for the position as text."""

    type: Literal["look"]


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
    Join | Play | Undo | Resign | Draw | Rematch | Hint | Hurry | Why | Look | Pace | Stop | Ping,
    Field(discriminator="type"),
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
    if named is not None and named != readable(named):
        named = None
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
    return readable(f"{where or 'message'}: {first['msg']}")[:200]
