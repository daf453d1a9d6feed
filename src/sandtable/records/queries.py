"""Which games of an archive are wanted, and short facts about all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Select, Text, func, literal_column, select

from sandtable.records.lines import READER
from sandtable.records.schema import experiments, games, players, without_options

__all__ = ["ExperimentFacts", "Played", "Wanted", "experiment_facts", "played_games"]


@dataclass(frozen=True)
class Wanted:
    """What games are looked for; everything that is given must hold.

    ``game`` and ``agents`` are names, or whole spec strings if they have options.
    """

    game: str | None = None
    agents: tuple[str, ...] = ()  # all of them take part
    experiment: str | None = None
    seed: int | None = None
    reason: str | None = None  # words in the reason of the end, whatever their case
    forfeited: bool | None = None
    finished: bool | None = None
    shortest: int | None = None  # actions
    longest: int | None = None

    def narrow(self, query: Select[Any]) -> Select[Any]:
        """Return a query over games with all conditions."""
        query = self.narrow_experiments(query)
        if self.reason is not None:
            query = query.where(games.c.reason.icontains(self.reason, autoescape=True))
        if self.forfeited is not None:
            given_up = games.c.forfeited_by.is_not(None)
            query = query.where(given_up if self.forfeited else ~given_up)
        if self.finished is not None:
            finished = games.c.scores.is_not(None)
            query = query.where(finished if self.finished else ~finished)
        if self.shortest is not None:
            query = query.where(games.c.action_count >= self.shortest)
        if self.longest is not None:
            query = query.where(games.c.action_count <= self.longest)
        return query

    def narrow_experiments(self, query: Select[Any]) -> Select[Any]:
        """Return a query over games with the conditions that their experiments must meet."""
        here = games.c.experiment
        if self.experiment is not None:
            query = query.where(here == self.experiment)
        if self.game is not None:
            whole = self.game != without_options(self.game)
            column = experiments.c.game if whole else experiments.c.game_name
            query = query.where(
                here.in_(select(experiments.c.experiment).where(column == self.game))
            )
        if self.seed is not None:
            same = experiments.c.seed == str(self.seed)
            query = query.where(here.in_(select(experiments.c.experiment).where(same)))
        for agent in self.agents:
            column = players.c.agent if agent != without_options(agent) else players.c.agent_name
            query = query.where(here.in_(select(players.c.experiment).where(column == agent)))
        return query


@dataclass(frozen=True)
class ExperimentFacts:
    """What an archive holds of one experiment."""

    experiment: str
    game: str
    version: int
    seed: str
    agents: tuple[str, ...]
    games: int
    finished: int
    forfeited: int
    added: str | None  # when it was first stored (UTC); None: not known


def experiment_facts(
    connection: Connection, wanted: Wanted, *, with_times: bool
) -> list[ExperimentFacts]:
    """Return the experiments that have games like these, in the order of game and agents."""
    counted = wanted.narrow(
        select(
            games.c.experiment,
            func.count().label("games"),
            func.count(games.c.scores).label("finished"),
            func.count(games.c.forfeited_by).label("forfeited"),
        )
    )
    counted = counted.group_by(games.c.experiment)
    counts = {row.experiment: row for row in connection.execute(counted)}
    seated: dict[str, list[str]] = {}
    for row in connection.execute(select(players).order_by(players.c.experiment, players.c.seat)):
        seated.setdefault(row.experiment, []).append(row.agent)
    added = experiments.c.added if with_times else literal_column("NULL", Text).label("added")
    columns = [column for column in experiments.c if column.name != "added"]
    found = [
        ExperimentFacts(
            experiment=row.experiment,
            game=row.game,
            version=row.version,
            seed=row.seed,
            agents=tuple(seated.get(row.experiment, ())),
            games=counts[row.experiment].games,
            finished=counts[row.experiment].finished,
            forfeited=counts[row.experiment].forfeited,
            added=row.added,
        )
        for row in connection.execute(select(*columns, added))
        if row.experiment in counts
    ]
    return sorted(found, key=lambda each: (each.game, each.agents, each.experiment))


@dataclass(frozen=True)
class Played:
    """The short facts of a finished game."""

    experiment: str
    scores: list[float]
    forfeited_by: int | None
    action_count: int
    seconds: list[float] = field(default_factory=list)


def played_games(connection: Connection, wanted: Wanted) -> Iterator[Played]:
    """Return the finished games, one by one."""
    query = select(
        games.c.experiment,
        games.c.scores,
        games.c.forfeited_by,
        games.c.action_count,
        games.c.seconds,
    ).where(games.c.scores.is_not(None))
    for row in connection.execution_options(yield_per=1000).execute(wanted.narrow(query)):
        scores, seconds = READER.decode(row.scores), READER.decode(row.seconds)
        yield Played(row.experiment, scores, row.forfeited_by, row.action_count, seconds)
