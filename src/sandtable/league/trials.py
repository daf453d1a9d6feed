"""Sequential tests between two bots of a league: is one better, with as few deals as it takes?

The statistics are those of ``sandtable sprt``. Results are looked at in the order of the deals, in
batches: so the verdict is the same whoever brought which deal when, and deals beyond it change
nothing.

In a game of more than two seats both sit at the same table, and the other seats are for other bots
of the league, drawn anew for each deal. What counts is who of the two comes in first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, Row, func, insert, select, update

from sandtable.arena.statistics.sprt import BATCH, UNDECIDED, SequentialTest, Verdict
from sandtable.dice import Dice
from sandtable.errors import SandtableError, suggestion
from sandtable.league import tables
from sandtable.league.bots import Author, Bot, bots_in, bots_of
from sandtable.league.kinds import REMOTE
from sandtable.league.results import read_places
from sandtable.league.rounds import add_round, open_rounds
from sandtable.league.schedule import shuffled
from sandtable.league.store import League, NoSuchThing, Store, now_text

__all__ = ["Trial", "add_trial", "end_if_decided", "make_trial_round", "open_trials", "trials_of",
           "verdict_of"]  # fmt: skip

OPEN_ROUNDS = 2
COMPANY = "league company"  # the stream that says who else sits at the tables of a test
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
    if not BATCH <= most <= MOST_DEALS:
        raise SandtableError(f"a test has {BATCH} to {MOST_DEALS} deals at most")
    found = {bot.name: bot for bot in bots_of(store, league)}
    for name in (first, second):
        if name not in found:
            raise NoSuchThing(f"there is no bot '{name}' in this league.{suggestion(name, found)}")
        if not found[name].plays:
            raise SandtableError(f"the bot '{name}' is retired")
    if first == second:
        raise SandtableError("a test is between two different bots")
    others = companions(found.values(), {found[first].id, found[second].id})
    if len(others) < len(league.game.seats) - 2:
        raise SandtableError(
            f"{league.game_spec} has {len(league.game.seats)} seats: a test needs "
            f"{len(league.game.seats) - 2} more bots that play, and that are not remote"
        )
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


def companions(bots: Iterable[Bot], tested: Collection[int]) -> list[int]:
    """Return who may fill the other seats of a test.

    >>> bots = [Bot(number, "b", "ann", "agent", "random", None, "", None) for number in (1, 2, 3)]
    >>> companions(bots, {1, 2})
    [3]
    """
    return [bot.id for bot in bots if bot.plays and bot.kind != REMOTE and bot.id not in tested]


def make_trial_round(
    connection: Connection, league: League, trial: Trial, present: Callable[[int], bool]
) -> int:
    """Add the next deals of a test, if there may be more by now; return how many."""
    number, unfinished = open_rounds(connection, league, trial.id)
    bots, pair = bots_in(connection, league), (trial.first, trial.second)
    plays = {bot.id for bot in bots if bot.plays}
    others = [bot for bot in companions(bots, pair) if present(bot)]
    wanted = len(league.game.seats) - 2
    ready = plays.issuperset(pair) and all(map(present, pair)) and len(others) >= wanted
    if len(unfinished) >= OPEN_ROUNDS or not ready or number * BATCH >= trial.most:
        return 0
    secret = int(league.seed) % 2**63
    seated = [
        drawn_table(pair, others, wanted, Dice(secret, f"{COMPANY} {trial.id}", deal))
        for deal in range(number * BATCH, (number + 1) * BATCH)
    ]
    add_round(connection, league, trial.id, number, sorted(set().union(*seated)), seated)
    return BATCH


def drawn_table(
    pair: tuple[int, int], others: Sequence[int], wanted: int, dice: Dice
) -> tuple[int, ...]:
    """Return who sits where: two bots, and so many others, in an order that the dice give.

    >>> sorted(drawn_table((7, 9), [3, 4], 1, Dice(1)))[1:]
    [7, 9]
    """
    if not wanted:
        return pair
    table = [*pair, *(others[each] for each in shuffled(len(others), dice)[:wanted])]
    return tuple(table[each] for each in shuffled(len(table), dice))


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
        members = json.loads(row.members)
        own, other = members.index(trial.first), members.index(trial.second)
        rows.append([(1 + (each[other] > each[own]) - (each[other] < each[own])) / 2
                     for each in read_places(row.places)])  # fmt: skip
    width = len(rows[0]) if rows else 1
    return trial.test.judge(np.array(rows, dtype=np.float64).reshape(-1, width))


def end_if_decided(connection: Connection, league: League, trial: Trial) -> None:
    """End a test that is decided, out of deals or of a retired bot; what is open is given up."""
    verdict = verdict_of(connection, league, trial)
    decision = verdict.decision
    if decision == UNDECIDED:
        number, unfinished = open_rounds(connection, league, trial.id)
        bots, pair = bots_in(connection, league), {trial.first, trial.second}
        plays = pair <= {bot.id for bot in bots if bot.plays}
        full = len(companions(bots, pair)) >= len(league.game.seats) - 2
        more = number * BATCH < trial.most and plays and full
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
