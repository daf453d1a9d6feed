"""The archive as a list: a match is one row, with filters for dates, people and one's own games.

Games belong to one match if they have the same rules, seed, start and agents, in whatever seats: a
match that rotates its agents is several experiments.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Query
from sqlalchemy import Connection, Select, and_, desc, func, select, text, tuple_
from sqlalchemy.sql.elements import ColumnElement

from sandtable.records.archive import Archive
from sandtable.records.json_columns import JsonNumber
from sandtable.records.schema import experiments, games, players
from sandtable.server.archive_pages import wanted_games
from sandtable.server.connections import encoded
from sandtable.server.replays import archived_game

__all__ = ["GAME_ID", "Day", "GameIds", "Who", "matches_page", "narrowed_games"]

# What may be asked for in an address.
GAME_ID = r"[0-9a-f]{1,40}-[0-9]{1,18}"
GameIds = Annotated[str | None, Query(pattern=rf"^{GAME_ID}(,{GAME_ID}){{0,99}}$")]
Day = Annotated[str | None, Query(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
Who = Annotated[Literal["people", "programs"] | None, Query()]
PERSON = "human"
BETWEEN = "\n"  # the agents of an experiment
MOST_SEATS = 8


def narrowed_games(asked: dict[str, Any]) -> Select[Any]:
    """Return the query for games that somebody may find and wants to see."""
    query = wanted_games(asked.get("game"), asked.get("agent"), asked["everything"])
    with_people = select(players.c.experiment).where(players.c.agent_name == PERSON)
    if asked.get("who") == "people":
        query = query.where(games.c.experiment.in_(with_people))
    elif asked.get("who") == "programs":
        query = query.where(games.c.experiment.not_in(with_people))
    if asked.get("only") is not None:
        pairs = [each.rpartition("-") for each in asked["only"]]
        keys = [(experiment, int(number)) for experiment, _, number in pairs]
        query = query.where(tuple_(games.c.experiment, games.c.number).in_(keys))
    if asked.get("experiments") is not None:
        query = query.where(games.c.experiment.in_(asked["experiments"]))
    for name, after in (("since", True), ("until", False)):
        if asked.get(name) is not None:
            query = query.where(games.c.experiment.in_(added(asked[name], after)))
    return query


def added(day: str, after: bool) -> Select[Any]:
    """Return the experiments first stored on a day or later, or on it or earlier (UTC)."""
    column = func.substr(experiments.c.added, 1, 10)
    condition: ColumnElement[bool] = column >= day if after else column <= day
    return select(experiments.c.experiment).where(condition)


def matches_page(archive: Archive, asked: dict[str, Any]) -> str:
    """Write down the matches and single games that are found, the newest first."""
    found = narrowed_games(asked).subquery()
    ordered = (
        select(players.c.experiment, players.c.agent)
        .order_by(players.c.experiment, players.c.agent)
        .subquery()
    )
    agents = (
        select(
            ordered.c.experiment, func.aggregate_strings(ordered.c.agent, BETWEEN).label("agents")
        )
        .group_by(ordered.c.experiment)
        .subquery()
    )
    counted = (
        select(
            found.c.experiment,
            func.count().label("games"),
            func.min(found.c.number).label("first"),
        )
        .group_by(found.c.experiment)
        .subquery()
    )
    same = (experiments.c.game, experiments.c.version, experiments.c.seed, experiments.c.start)
    rows = (
        select(
            func.aggregate_strings(experiments.c.experiment, BETWEEN).label("experiments"),
            func.sum(counted.c.games).label("games"),
            func.min(experiments.c.added).label("added"),
        )
        .select_from(counted)
        .join(experiments, experiments.c.experiment == counted.c.experiment)
        .join(agents, agents.c.experiment == counted.c.experiment)
        .group_by(*same, agents.c.agents)
    )
    with archive.reading() as connection:
        totals = rows.subquery()
        total, all_games = connection.execute(
            select(func.count(), func.coalesce(func.sum(totals.c.games), 0)).select_from(totals)
        ).one()
        local = isinstance(archive.place, Path)
        last = text("max(experiments.rowid)") if local else func.max(experiments.c.experiment)
        some = rows.order_by(func.max(experiments.c.added).desc(), desc(last))
        page = connection.execute(some.limit(asked["limit"]).offset(asked["offset"])).all()
        told = [match_data(archive, connection, found, row) for row in page]
    matches = [each for each in told if each is not None]
    return encoded({"total": total, "games": int(all_games), "matches": matches})


def match_data(
    archive: Archive, connection: Connection, found: Any, row: Any
) -> dict[str, Any] | None:
    """Return what a list tells of a match: one of its games, how many, and the mean scores."""
    names = row.experiments.split(BETWEEN)
    newest = (
        select(games)
        .where(
            tuple_(games.c.experiment, games.c.number).in_(
                select(found.c.experiment, found.c.number).where(found.c.experiment.in_(names))
            )
        )
        .order_by(games.c.number, games.c.experiment)
        .limit(1)
    )
    first = connection.execute(newest).first()
    record = None if first is None else archive.finding(first, {}, connection).record
    if record is None:
        return None
    return {
        "game": archived_game(record) | {"added": row.added},
        "games": int(row.games),
        "experiments": names,
        "means": mean_scores(connection, names) if row.games > 1 else [],
    }


def mean_scores(connection: Connection, names: list[str]) -> list[dict[str, Any]]:
    """Return the agents of a match with their mean scores, in the order of their first seats."""
    seats = (
        select(players.c.experiment, players.c.seat, players.c.agent)
        .where(players.c.experiment.in_(names))
        .order_by(players.c.seat, players.c.experiment)
    )
    columns = [func.avg(JsonNumber(games.c.scores, seat)) for seat in range(MOST_SEATS)]
    means = {
        row[0]: row[1:]
        for row in connection.execute(
            select(games.c.experiment, func.count(games.c.scores), *columns)
            .where(and_(games.c.experiment.in_(names), games.c.scores.is_not(None)))
            .group_by(games.c.experiment)
        )
    }
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for experiment, seat, agent in connection.execute(seats):
        count, *scores = means.get(experiment, (0,))
        if count and seat < len(scores) and scores[seat] is not None:
            sums[agent][0] += count * scores[seat]
            sums[agent][1] += count
    return [
        {"agent": agent, "mean": round(total / count, 4)} for agent, (total, count) in sums.items()
    ]
