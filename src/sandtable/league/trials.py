"""Sequential tests between two bots of a league: is one better, with as few deals as it takes?

The statistics are those of ``sandtable sprt``. Results are looked at in the order of the deals, in
batches: so the verdict is the same whoever brought which deal when, and deals beyond it change
nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, Row, func, insert, select, update

from sandtable.arena.statistics.sprt import BATCH, UNDECIDED, SequentialTest, Verdict
from sandtable.errors import SandtableError
from sandtable.league import tables
from sandtable.league.bots import Author, bots_in, bots_of
from sandtable.league.results import read_places
from sandtable.league.rounds import add_round, open_rounds
from sandtable.league.store import League, NoSuchThing, Store, now_text

__all__ = ["Trial", "add_trial", "end_if_decided", "make_trial_round", "open_trials", "trials_of",
           "verdict_of"]  # fmt: skip

OPEN_ROUNDS = 2
MOST_DEALS = 100_000
MOST_OPEN_OF_AUTHOR = 2
GIVEN_UP = "undecided"


@dataclass(frozen=True)
class Trial:
    """A sequential test of a league."""

    id: int
    first: int
    second: int
    low: float
    high: float
    most: int
    ended: str | None
    made_at: str

    @property
    def test(self) -> SequentialTest:
        """Its hypotheses."""
        return SequentialTest(self.low, self.high)


def trial_of(row: Row[tuple[object, ...]]) -> Trial:
    """Return a test from its row."""
    return Trial(row.id, row.first, row.second, row.low, row.high, row.most, row.ended, row.made_at)


def add_trial(
    store: Store,
    league: League,
    first: str,
    second: str,
    *,
    low: float = 0.0,
    high: float = 20.0,
    most: int = 2000,
    author: Author | None = None,
) -> Trial:
    """Begin a test; an author may only test bots of his or her own, and few at a time."""
    SequentialTest(low, high)
    if len(league.game.seats) != 2:
        raise SandtableError(f"a test is between two bots; {league.game_spec} has more seats")
    if not BATCH <= most <= MOST_DEALS:
        raise SandtableError(f"a test has {BATCH} to {MOST_DEALS} deals at most")
    found = {bot.name: bot for bot in bots_of(store, league)}
    for name in (first, second):
        if name not in found:
            raise NoSuchThing(f"there is no bot '{name}' in this league")
        if not found[name].plays:
            raise SandtableError(f"the bot '{name}' is retired")
    if first == second:
        raise SandtableError("a test is between two different bots")
    if author is not None and found[first].author != author.name:
        raise SandtableError(f"'{first}' is not yours: a test is of a bot of your own")
    with store.writing() as connection:
        if author is not None:
            own = (tables.tests.c.author == author.id) & tables.tests.c.ended.is_(None)
            count = select(func.count()).select_from(tables.tests).where(own)
            if int(connection.scalar(count) or 0) >= MOST_OPEN_OF_AUTHOR:
                raise SandtableError(
                    f"you have {MOST_OPEN_OF_AUTHOR} tests that go on; wait for one"
                )
        done = connection.execute(
            insert(tables.tests).values(
                league=league.id, first=found[first].id, second=found[second].id, low=low,
                high=high, most=most, author=None if author is None else author.id,
                made_at=now_text(),
            )
        )  # fmt: skip
        key = done.inserted_primary_key
        assert key is not None
    return next(each for each in trials_of(store, league) if each.id == key[0])


def trials_of(store: Store, league: League) -> list[Trial]:
    """Return all tests of a league, the newest first."""
    query = select(tables.tests).where(tables.tests.c.league == league.id)
    with store.reading() as connection:
        rows = list(connection.execute(query.order_by(tables.tests.c.id.desc())))
    return [trial_of(row) for row in rows]


def open_trials(connection: Connection, league: League) -> list[Trial]:
    """Return the tests that go on, the oldest first."""
    query = select(tables.tests).where(tables.tests.c.league == league.id)
    query = query.where(tables.tests.c.ended.is_(None)).order_by(tables.tests.c.id)
    return [trial_of(row) for row in connection.execute(query)]


def make_trial_round(
    connection: Connection, league: League, trial: Trial, present: Callable[[int], bool]
) -> int:
    """Add the next deals of a test, if there may be more by now; return how many."""
    number, unfinished = open_rounds(connection, league, trial.id)
    plays = {bot.id for bot in bots_in(connection, league) if bot.plays}
    ready = {trial.first, trial.second} <= plays and present(trial.first) and present(trial.second)
    if len(unfinished) >= OPEN_ROUNDS or not ready or number * BATCH >= trial.most:
        return 0
    pair = (trial.first, trial.second)
    add_round(connection, league, trial.id, number, pair, [pair] * BATCH)
    return BATCH


def verdict_of(connection: Connection, league: League, trial: Trial) -> Verdict:
    """Return where a test stands: deals count in their order, up to the first that is not there."""
    deals = tables.deals.c
    query = (
        select(deals.state, deals.members, deals.places)
        .where(deals.league == league.id, deals.test == trial.id)
        .order_by(deals.number)
    )
    rows: list[list[float]] = []
    for row in connection.execute(query):
        if row.state == tables.VOID:
            continue
        if row.state != tables.DONE:
            break
        own = json.loads(row.members).index(trial.first)
        places = read_places(row.places)
        rows.append([(1 + (each[1 - own] > each[own]) - (each[1 - own] < each[own])) / 2
                     for each in places])  # fmt: skip
    width = len(rows[0]) if rows else 1
    return trial.test.judge(np.array(rows, dtype=np.float64).reshape(-1, width))


def end_if_decided(connection: Connection, league: League, trial: Trial) -> None:
    """End a test that is decided, out of deals or of a retired bot; what is open is given up."""
    verdict = verdict_of(connection, league, trial)
    decision = verdict.decision
    if decision == UNDECIDED:
        number, unfinished = open_rounds(connection, league, trial.id)
        plays = {bot.id for bot in bots_in(connection, league) if bot.plays}
        more = number * BATCH < trial.most and {trial.first, trial.second} <= plays
        if unfinished or more:
            return
        decision = GIVEN_UP
    connection.execute(
        update(tables.tests).where(tables.tests.c.id == trial.id).values(ended=decision)
    )
    deals = tables.deals.c
    connection.execute(
        update(tables.deals)
        .where(deals.league == league.id, deals.test == trial.id)
        .where(deals.state.in_((tables.OPEN, tables.LEASED)))
        .values(state=tables.VOID, worker="the test is over", lease=None)
    )
