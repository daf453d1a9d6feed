"""Tools: start a game and play it in one's seat, with nothing but what that seat may see."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from sandtable.agents.human.turn import split_words
from sandtable.agents.level.ladder import ladder_of
from sandtable.assistants.calls import (
    GameHandle,
    GameSpec,
    Seconds,
    answer,
    modest_agent,
    teller,
    with_progress,
)
from sandtable.assistants.host import Host
from sandtable.assistants.seat import Seat
from sandtable.assistants.telling import situation
from sandtable.errors import SandtableError, UnknownName
from sandtable.registry import make_game
from sandtable.screens import Data
from sandtable.server.allowed_specs import allowed_game
from sandtable.server.requests import NewRoom, NewSeat

__all__ = ["add", "look_at", "new_seats"]

ME, OTHER, PERSON = "me", "other", "person"
MOST_SEATS = 8
HINT_SECONDS = 120.0  # the first one may have to be compiled
USUAL_WAIT = 30.0
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)

Seats = Annotated[
    Sequence[Annotated[str, Field(min_length=1, max_length=300)]],
    Field(
        max_length=MOST_SEATS,
        description="who takes each seat, in the order of the game's seats: 'me', an agent such "
        "as 'level:easy' or 'random', or 'other' for another assistant; empty: you take the "
        "first seat against the weakest level",
    ),
]
Name = Annotated[str, Field(max_length=40, description="the name by which you are shown")]
Actions = Annotated[
    str,
    Field(
        min_length=1,
        max_length=4000,
        description="an action as 'look' lists them, or several of one turn, separated by spaces",
    ),
]


def add(server: MCPServer[Any], host: Host) -> None:
    """Give a server these tools."""

    @server.tool(annotations=CHANGES)
    async def start_game(
        game: GameSpec, context: Context[Any, Any], seats: Seats = (), name: Name = "Assistant"
    ) -> CallToolResult:
        """Start a game here, against programs or another assistant, and look at it.

        Returns the name of your game, which play, look and the others want. It is a secret: who
        has it holds your seat.
        """
        asked = await asyncio.to_thread(new_seats, game, seats, name, (ME, OTHER))
        wanted = NewRoom(game=game, seats=asked)
        room = await with_progress(
            host.rooms.make(wanted), teller(context), HINT_SECONDS, "the game is made ready"
        )
        words = [word.lower() for word in seats] or [ME]
        mine = words.index(ME)
        host.note_room(room)
        found = await host.sit(str(room.seats[mine].token))
        others = {
            found.facts["seats"][number]["seat"]: held.token
            for number, held in enumerate(room.seats)
            if held.token is not None and number != mine
        }
        await found.settle(USUAL_WAIT, teller(context))
        text, data = await look_at(found)
        notes = [f"The name of your game: {found.name}", text]
        if others:
            given = ", ".join(f"{seat}: {token}" for seat, token in others.items())
            notes.append(f"The names of the game for the other seats, to be handed on: {given}")
        return answer("\n\n".join(notes), data | {"for_others": others})

    @server.tool(annotations=READS)
    async def look(
        game: GameHandle,
        context: Context[Any, Any],
        wait: Seconds = USUAL_WAIT,
        board: Annotated[bool, Field(description="also return the board as data")] = False,
    ) -> CallToolResult:
        """Look at your game as your seat sees it: the board, what happened, what you can play.

        If it is not your turn, waits for it up to 'wait' seconds.
        """
        found = await host.seat(game)
        await found.settle(wait, teller(context))
        return answer(*await look_at(found, board))

    @server.tool(annotations=CHANGES)
    async def play(
        game: GameHandle,
        actions: Actions,
        context: Context[Any, Any],
        wait: Seconds = USUAL_WAIT,
    ) -> CallToolResult:
        """Play an action, or several of one turn in a row (all or none), then wait for your turn.

        Returns what happened and how your game stands.
        """
        found = await host.seat(game)
        if found.over:
            raise SandtableError(f"nothing can be played any more: {found.now['status']}")
        if not found.to_act:
            raise SandtableError(f"it is not your turn: {found.waits_for()}")
        await found.play(await asyncio.to_thread(read_actions, found, actions))
        await found.settle(wait, teller(context))
        return answer(*await look_at(found))


def new_seats(game: str, seats: Sequence[str], name: str, people: tuple[str, ...]) -> list[NewSeat]:
    """Return who takes the seats of a game, as a room wants it; programs are modest ones."""
    made = make_game(allowed_game(game))
    if not seats:
        weakest = ladder_of(made).levels[0].spec
        seats = [ME, *([weakest] * (len(made.seats) - 1))]
    if len(seats) != len(made.seats):
        raise SandtableError(
            f"{made.name} has {len(made.seats)} seats, in the order {', '.join(made.seats)}; "
            f"got {len(seats)}"
        )
    words = [word.lower() for word in seats]
    if words.count(ME) != 1:
        raise SandtableError("exactly one seat is yours; write 'me' for it")
    found = []
    for text, word in zip(seats, words, strict=True):
        if word == ME:
            found.append(NewSeat(person=name))
        elif word in people:
            found.append(NewSeat(person="", open=word == PERSON))
        else:
            found.append(NewSeat(agent=modest_agent(text)))
    return found


def read_actions(seat: Seat, text: str) -> list[int]:
    """Return the actions that words mean, by what is legal and by the notation of the game."""
    legal = {each["text"]: int(each["action"]) for each in seat.now["legal"]}
    words = split_words(text)
    if not words:
        raise SandtableError("no action given")
    if len(words) == 1 and words[0] in legal:
        return [legal[words[0]]]
    try:
        game = make_game(allowed_game(seat.spec))
    except UnknownName:  # of a server that has more games than we have
        raise SandtableError(
            f"'{text[:100]}' is not one of the actions that 'look' lists; of a game that is not "
            "installed here they are played one at a time"
        ) from None
    return game.parse_actions(words)


async def look_at(seat: Seat, with_board: bool = False) -> tuple[str, Data]:
    """Return how a game stands for a seat, with what its holder has not been told yet."""
    view = await seat.view()
    return await asyncio.to_thread(situation, seat, view, seat.untold(), with_board)
