"""Notes and variations of finished games, and who can be asked about their positions.

Pages of the archive (see ``archive_pages``); games there are over, so nothing is hidden in them.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from sandtable.agent import Agent
from sandtable.agents.explanations import can_explain
from sandtable.agents.level.ladder import LEVEL_AGENT
from sandtable.arena.mistakes import judges
from sandtable.errors import SandtableError
from sandtable.records.notes import Note, notes_of
from sandtable.records.record import Record
from sandtable.registry import agent_factory, agent_names, check_seat
from sandtable.server.allowed_specs import NEVER, ONLY_WITH_PERMISSION, allowed_agent
from sandtable.server.reviews import turn_data
from sandtable.server.table import Table
from sandtable.specs import parse_spec
from sandtable.types import OVER, State

__all__ = ["advisers_at", "notes_data"]

RANK_OF_VALUES, RANK_OF_PLAYERS = 4, 2


def notes_data(record: Record, table: Table) -> dict[str, Any]:
    """Return the notes of a game; one whose moves are not legal any more keeps its words."""
    return {"notes": [note_data(table, note) for note in notes_of(record.annotations)]}


def note_data(table: Table, note: Note) -> dict[str, Any]:
    """Return one note, with its variation as a board shows it."""
    ply = min(note.ply, table.ply)
    told = turn_data(table.game, table.positions[ply].copy(), ())
    with suppress(SandtableError, IndexError, ValueError):
        told = turn_data(table.game, table.positions[ply].copy(), note.actions)
    return {"ply": ply, "text": note.text, "variation": told if note.actions else None}


def advisers_at(record: Record, table: Table, ply: int, external: bool) -> dict[str, Any]:
    """Return who can be asked about a position: those that can move there or value it.

    All values are in the one unit of the game; agents with numbers of their own are asked for
    moves alone.
    """
    if ply > table.ply:
        raise SandtableError(f"that game has {table.ply} actions, not {ply}")
    state = State(table.game, table.positions[ply])
    left_out = (LEVEL_AGENT, *NEVER, *(() if external else ONLY_WITH_PERMISSION))
    names = [name for name in agent_names(table.game.name) if name not in left_out]
    played = []
    for spec in dict.fromkeys(record.seats):
        with suppress(SandtableError):  # with options that cannot be named in a browser
            if parse_spec(spec).name in names:
                played.append(allowed_agent(spec, external))
    found = []
    for spec in dict.fromkeys([*played, *names]):
        with suppress(SandtableError):
            told = adviser_data(state, spec)
            if told is not None:
                found.append(told | {"played": spec in played})
    found.sort(key=lambda each: (-rank_of(each), each["spec"]))
    turn = None if state.turn == OVER else state.turn
    return {"turn": turn, "winners": table.game.has_winner, "advisers": found}


def adviser_data(state: State, spec: str) -> dict[str, Any] | None:
    """Return what an agent can say about a position; None: nothing at all."""
    game, seat = state.game, state.turn
    parsed = parse_spec(spec)
    factory = agent_factory(parsed.name)
    values = judges(spec, game)
    curve = values and any(can_take(game, name, spec) for name in game.seats)
    plays = seat != OVER and can_take(game, game.seats[seat], spec)
    if not plays and (seat != OVER or not curve):
        return None
    opinion = getattr(factory, "has_opinion", Agent.has_opinion)
    here = plays and values and bool(opinion(state.view(seat)))
    return {
        "spec": spec,
        "plays": plays,
        "values": here,
        "curve": curve,
        "explains": plays and can_explain(factory),
    }


def can_take(game: Any, seat: str, spec: str) -> bool:
    """Say whether an agent can play a seat."""
    try:
        check_seat(game, seat, parse_spec(spec))
    except SandtableError:
        return False
    return True


def rank_of(adviser: dict[str, Any]) -> int:
    """Order advisers: values count most, then having played, then being a champion."""
    champion = "champion" in adviser["spec"]
    values, played = bool(adviser["values"]), bool(adviser["played"])
    return RANK_OF_VALUES * values + RANK_OF_PLAYERS * played + champion
