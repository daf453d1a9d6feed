"""Pages of the archive, made in a process of their own: whoever plays must not wait for readers.

Everything here runs in a process like those of the programs, which stands back when there is other
work. What goes back is text, ready to be sent.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Select, func, select, text

from sandtable.errors import SandtableError
from sandtable.records.archive import Archive
from sandtable.records.json_columns import JsonTrue
from sandtable.records.lines import record_to_line
from sandtable.records.record import Record
from sandtable.records.schema import experiments, games, narrowed
from sandtable.screens import screen_class
from sandtable.server.connections import NotFound, encoded
from sandtable.server.person_ratings import rating_page
from sandtable.server.priority import let_others_go_first
from sandtable.server.replays import MOST_KEPT, archived_game, set_up, steps_of
from sandtable.server.table import Table

__all__ = ["known_game", "page", "wanted_games"]

LESS_URGENT = 10


def page(request: dict[str, Any]) -> dict[str, Any]:
    """Make what a reader asks for; ``missing`` says that there is no such game."""
    stand_back()
    try:
        return {"text": PAGES[request["page"]](opened(request["archive"]), request)}
    except NotFound as problem:
        return {"missing": str(problem)}


@functools.cache
def stand_back() -> None:
    """Let those who play go first."""
    let_others_go_first(LESS_URGENT)


@functools.cache
def opened(path: str) -> Archive:
    """Return the archive of the server."""
    return Archive.open(path, create=False)


def wanted_games(game: str | None, agent: str | None, everything: bool) -> Select[Any]:
    """Return the query for games that somebody may find: all, or those of listed rooms."""
    query = narrowed(game or None, None, agent or None)
    if everything:
        return query
    return query.where(JsonTrue(games.c.annotations, "web", "listed"))


def known_game(archive: Archive, identity: str, everything: bool) -> Record:
    """Return a game of the archive to whoever may know it.

    The name of a room's game follows from a secret seed: who has it was there, or was told. Names
    of other games can be worked out, and need the key.
    """
    record = archive.get(identity)
    if record is None or not (everything or isinstance(record.annotations.get("web"), dict)):
        raise NotFound(f"the archive holds no game '{identity}'")
    return record


def matching_games(archive: Archive, asked: dict[str, Any]) -> str:
    """Write down how many games there are, and some of them, the newest first."""
    from sandtable.server.archive_list import narrowed_games

    query = narrowed_games(asked)
    with archive.reading() as connection:
        total = connection.scalar(select(func.count()).select_from(query.subquery())) or 0
        some = query.order_by(*newest_games(archive)).limit(asked["limit"])
        rows = connection.execute(some.offset(asked["offset"]))
        common: dict[str, dict[str, Any]] = {}
        records = [archive.finding(row, common, connection).record for row in rows]
        added = dates_of(connection, [record.experiment for record in records if record])
    found = [
        archived_game(record) | {"added": added.get(record.experiment)}
        for record in records
        if record is not None
    ]
    return encoded({"total": total, "games": found})


def newest_games(archive: Archive) -> list[Any]:
    """Return by what games are put in order, those that were added last before others."""
    if isinstance(archive.place, Path):
        return [text("games.rowid DESC")]
    stored = select(experiments.c.added).where(experiments.c.experiment == games.c.experiment)
    return [stored.scalar_subquery().desc(), games.c.experiment, games.c.number.desc()]


def dates_of(connection: Connection, names: list[str]) -> dict[str, str | None]:
    """Return when experiments were first stored; None: by an older version."""
    columns = select(experiments.c.experiment, experiments.c.added)
    rows = connection.execute(columns.where(experiments.c.experiment.in_(names)))
    return {row.experiment: row.added for row in rows}


def one_game(archive: Archive, asked: dict[str, Any]) -> str:
    """Tell about one game."""
    record = known_game(archive, asked["identity"], asked["everything"])
    with archive.reading() as connection:
        added = dates_of(connection, [record.experiment])
    return encoded(archived_game(record) | {"added": added.get(record.experiment)})


def matches(archive: Archive, asked: dict[str, Any]) -> str:
    """Write down matches and single games."""
    from sandtable.server.archive_list import matches_page

    return matches_page(archive, asked)


def notes(archive: Archive, asked: dict[str, Any]) -> str:
    """Write down the notes of a game."""
    from sandtable.server.note_pages import notes_data

    record = known_game(archive, asked["identity"], asked["everything"])
    return encoded(notes_data(record, table_of(record)))


def transcript(archive: Archive, asked: dict[str, Any]) -> str:
    """Tell what was said before an action: to a seat what was said for itself, else everything."""
    from dataclasses import asdict

    from sandtable.records.transcripts import decision_at

    record = known_game(archive, asked["identity"], asked["everything"])
    found = [asdict(each) for each in decision_at(record.annotations, asked["ply"], asked["seat"])]
    for exchange in (each for decision in found for each in decision["exchanges"]):
        exchange["prompt"] = [{"role": role, "text": text} for role, text in exchange["prompt"]]
    return encoded({"decisions": found})


def advisers(archive: Archive, asked: dict[str, Any]) -> str:
    """Say who can be asked about a position of a game."""
    from sandtable.server.note_pages import advisers_at

    record = known_game(archive, asked["identity"], asked["everything"])
    return encoded(advisers_at(record, table_of(record), asked["ply"], asked["external"]))


def one_record(archive: Archive, asked: dict[str, Any]) -> str:
    """Write the record of one game."""
    return record_to_line(known_game(archive, asked["identity"], asked["everything"])) + "\n"


def steps(archive: Archive, asked: dict[str, Any]) -> str:
    """Show some of a game, whole or as a seat saw it."""
    record = known_game(archive, asked["identity"], asked["everything"])
    table, seat = table_of(record), asked["seat"]
    if seat is not None and seat >= len(table.game.seats):
        raise SandtableError(f"{table.game.name} has no seat {seat}")
    return encoded(steps_of(table, asked["first"], asked["count"], seat))


def series(archive: Archive, asked: dict[str, Any]) -> str:
    """Say how a series stands that somebody played; games not known here are left out."""
    from sandtable.arena.series import series_result

    found = [each for each in screen_class(asked["game"]).series if each.name == asked["name"]]
    if not found:
        raise NotFound(f"{asked['game']} has no series '{asked['name']}'")
    records = []
    for identity in dict.fromkeys(asked["games"]):
        with suppress(NotFound):
            records.append(known_game(archive, identity, False))
    return encoded(series_result(found[0], records))


TABLES: OrderedDict[str, Table] = OrderedDict()  # the last games that somebody looked at


def table_of(record: Record) -> Table:
    """Return a recorded game set up again."""
    name = record.identity
    if name not in TABLES:
        TABLES[name] = set_up(record)
        while len(TABLES) > MOST_KEPT:
            TABLES.popitem(last=False)
    TABLES.move_to_end(name)
    return TABLES[name]


PAGES = {
    "games": matching_games,
    "game": one_game,
    "record": one_record,
    "steps": steps,
    "rating": rating_page,
    "matches": matches,
    "series": series,
    "notes": notes,
    "transcript": transcript,
    "advisers": advisers,
}
