"""Recorded games set up again, to be looked at from any side and asked about."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

from sandtable.errors import BrokenRecord, SandtableError
from sandtable.records.record import Record
from sandtable.records.replay import Table as Replay
from sandtable.screens import COLOURS
from sandtable.server.broadcast import outcome_data
from sandtable.server.summaries import seat_colours
from sandtable.server.table import EVERYTHING, Table
from sandtable.types import OVER

__all__ = ["Replays", "archived_game", "curve_plies"]

MOST_KEPT = 16
MOST_CURVE_POINTS = 60


def archived_game(record: Record) -> dict[str, Any]:
    """Return what a list of games tells of one."""
    notes = record.annotations.get("web")
    names = notes.get("names") if isinstance(notes, dict) else None
    try:
        game = Replay(record).game
        title, seats, colours = game.title, list(game.seats), seat_colours(game)
    except SandtableError:  # rules of another version, or a game that is not installed
        title, seats = record.game, [str(number + 1) for number in range(len(record.seats))]
        colours = list(COLOURS[: len(seats)])
    sound = isinstance(names, list) and len(names) == len(record.seats)
    return {
        "id": record.identity,
        "game": record.game,
        "title": title,
        "seats": seats,
        "players": list(record.seats),
        "names": [str(name)[:80] for name in names] if sound and names else list(record.seats),
        "outcome": outcome_data(record.outcome),
        "plies": len(record.actions),
        "number": record.number,
        "experiment": record.experiment,
        "seat_colours": colours,
    }


def set_up(record: Record) -> Table:
    """Play a record again, action by action."""
    replay = Replay(record)
    table = Table(replay.game, record.seed, record.number, record.start)
    try:
        for action in record.actions:
            table.play(action)
    except SandtableError as problem:
        raise BrokenRecord(f"game {record.identity}: {problem}") from None
    return table


class Replays:
    """The last games that somebody looked at."""

    def __init__(self) -> None:
        self.tables: OrderedDict[str, Table] = OrderedDict()

    async def table(self, record: Record) -> Table:
        """Return a recorded game set up again."""
        name = record.identity
        if name not in self.tables:
            self.tables[name] = await asyncio.to_thread(set_up, record)
            while len(self.tables) > MOST_KEPT:
                self.tables.popitem(last=False)
        self.tables.move_to_end(name)
        return self.tables[name]


def frame(table: Table, ply: int, viewer: int) -> dict[str, Any]:
    """Return the board after so many actions."""
    turn = int(table.game.rules.turn(table.positions[ply]))
    board = table.board(ply, viewer)
    return {"ply": ply, "turn": None if turn == OVER else turn, "board": board}


def steps_of(table: Table, first: int, count: int, seat: int | None) -> dict[str, Any]:
    """Return some of the actions of a game, each with the board after it."""
    viewer = EVERYTHING if seat is None else seat
    first = min(first, table.ply)
    last = min(first + count, table.ply)
    steps = [
        table.log_entry(ply, viewer) | frame(table, ply, viewer)
        for ply in range(first + 1, last + 1)
    ]
    return {
        "first": first,
        "total": table.ply,
        "start": frame(table, first, viewer),
        "steps": steps,
    }


def curve_plies(table: Table, in_pairs: bool = False) -> list[int]:
    """Return the plies of a curve: ends of turns, spread evenly, with the first and the last.

    In pairs each is followed by the next, where somebody else is to move.
    """
    ends = [0, *(ply for ply in range(1, table.ply + 1) if table.closes(ply))]
    if ends[-1] != table.ply:
        ends.append(table.ply)
    if len(ends) <= MOST_CURVE_POINTS:
        return ends
    last = len(ends) - 1
    points = MOST_CURVE_POINTS // 2 if in_pairs else MOST_CURVE_POINTS
    places = {round(index * last / (points - 1)) for index in range(points)}
    if in_pairs:
        places |= {min(place + 1, last) for place in places}
    return [ends[place] for place in sorted(places)]
