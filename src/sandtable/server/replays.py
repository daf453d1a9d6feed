"""Recorded games set up again, to be looked at from any side and asked about."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from typing import Any

from sandtable.errors import BrokenRecord, SandtableError
from sandtable.records.record import Record
from sandtable.records.replay import RecordedGame
from sandtable.records.transcripts import KEY as TRANSCRIPT
from sandtable.screens import COLOURS, screen_of
from sandtable.server.broadcast import outcome_data, told_outcome
from sandtable.server.requests import Question
from sandtable.server.summaries import seat_colours
from sandtable.server.table import EVERYTHING, Table
from sandtable.server.worker import packed
from sandtable.types import OVER

__all__ = ["Replays", "analysis_request", "archived_game", "curve_plies", "set_up"]

MOST_KEPT = 16
MOST_CURVE_POINTS = 60


def archived_game(record: Record) -> dict[str, Any]:
    """Return what a list of games tells of one."""
    notes = record.annotations.get("web")
    outcome = outcome_data(record.outcome)
    names = notes.get("names") if isinstance(notes, dict) else None
    try:
        game = RecordedGame(record).game
        title, seats, colours = game.title, list(game.seats), seat_colours(game)
        screen = screen_of(game)
        titles, outcome = screen.titles(), told_outcome(screen, outcome)
    except SandtableError:  # rules of another version, or a game that is not installed
        title, seats = record.game, [str(number + 1) for number in range(len(record.seats))]
        colours = list(COLOURS[: len(seats)])
        titles = [f"Seat {seat}" for seat in seats]
    sound = isinstance(names, list) and len(names) == len(record.seats)
    return {
        "id": record.identity,
        "game": record.game,
        "title": title,
        "seats": seats,
        "titles": titles,
        "players": list(record.seats),
        "names": [str(name)[:80] for name in names] if sound and names else list(record.seats),
        "outcome": outcome,
        "plies": len(record.actions),
        "number": record.number,
        "experiment": record.experiment,
        "seat_colours": colours,
        "talked": bool(record.annotations.get(TRANSCRIPT)),
    }


def set_up(record: Record) -> Table:
    """Play a record again, action by action."""
    replay = RecordedGame(record)
    table = Table(replay.game, record.seed, record.number, replay.start)
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
    ends = [0, *(ply for ply in range(1, table.ply + 1) if table.turn_ended(ply))]
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


def analysis_request(table: Table, question: Question, agent: str | None) -> dict[str, Any]:
    """Return what a process of programs is asked about a game that may be known whole."""
    if question.ply > table.ply:
        raise SandtableError(f"that game has {table.ply} actions, not {question.ply}")
    if question.seat is not None and question.seat >= len(table.game.seats):
        raise SandtableError(f"{table.game.name} has no seat {question.seat}")
    own_views = agent is not None and table.game.hidden
    plies = curve_plies(table, own_views) if question.what == "curve" else [question.ply]
    about = {"agent": agent, "seed": secrets.randbits(31), "plies": plies}
    return {
        "operation": "analysis",
        "game": table.game.spec,
        "positions": [packed(table.positions[ply]) for ply in plies],
        "question": question.model_dump() | about,
    }
