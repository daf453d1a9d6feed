"""Playing a suite: all deals of a player, kept as they are finished, and rows of earlier runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sandtable.arena.play.journal import run_name
from sandtable.arena.play.match import open_run
from sandtable.arena.play.plan import Chunk, MatchPlan
from sandtable.arena.play.run import RunOptions
from sandtable.arena.suites.facts import DealFacts, GameFacts, deal_points, facts_of_chunk
from sandtable.arena.suites.suite import Suite
from sandtable.errors import DAMAGED, SandtableError
from sandtable.specs import parse_spec

__all__ = ["FORMAT", "FORMAT_VERSION", "Row", "collected", "measure", "prepared", "rows_in_file"]

FORMAT, FORMAT_VERSION = "sandtable-benchmark", 1
GAMES_WITHOUT_ANSWER = 3  # at the beginning: then no more are tried
Finished = Callable[[int], None]  # called with the number of games that have just been finished


@dataclass(frozen=True)
class Row:
    """All deals of one player, by the name of the game, in their order.

    >>> Row("random", "", {"skirmish": ()}).games
    0
    """

    player: str
    program: str  # which program played it: the same deals of the same program need no playing
    deals: Mapping[str, tuple[DealFacts, ...]]

    @property
    def games(self) -> int:
        """How many games were played."""
        return sum(len(deal.games) for deals in self.deals.values() for deal in deals)

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "player": self.player,
            "program": self.program,
            "deals": {name: [deal.as_data() for deal in deals]
                      for name, deals in self.deals.items()},
        }  # fmt: skip

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Row:
        """Read it."""
        deals = {
            str(name): tuple(DealFacts.from_data(each) for each in found)
            for name, found in data["deals"].items()
        }
        return cls(str(data["player"]), str(data["program"]), deals)


@dataclass
class Prepared:
    """A player and the games it has to play, checked before the first of them."""

    player: str
    plans: list[MatchPlan]
    places: list[tuple[str, str, int]]  # of each plan: game, opponent, deal
    program: str
    finished: dict[int, dict[int, GameFacts]] = field(default_factory=dict)  # by plan, game
    scores: dict[int, dict[int, list[float]]] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """How many games there are to play."""
        return sum(plan.games for plan in self.plans)

    def add(self, plan: int, chunk: Chunk) -> None:
        """Take in finished games."""
        self.finished.setdefault(plan, {}).update(facts_of_chunk(self.plans[plan], chunk))
        scores = self.scores.setdefault(plan, {})
        for index, row in enumerate(chunk.scores.tolist()):
            scores[chunk.first + index] = row

    def row(self, suite: Suite) -> Row:
        """Return the deals of which all games are finished."""
        deals: dict[str, list[DealFacts]] = {entry.name: [] for entry in suite.entries}
        for number, (plan, place) in enumerate(zip(self.plans, self.places, strict=True)):
            games = self.finished.get(number, {})
            if len(games) < plan.games:
                continue
            order = range(plan.games)
            points = deal_points(plan, [self.scores[number][game] for game in order])
            name, opponent, deal = place
            told = tuple(games[game] for game in order)
            deals[name].append(DealFacts(opponent, deal, points, told))
        return Row(self.player, self.program, {name: tuple(each) for name, each in deals.items()})


def prepared(suite: Suite, player: str) -> Prepared:
    """Check that a player can be measured, and return what it has to play.

    >>> from sandtable.arena.suites.suite import suite_named
    >>> prepared(suite_named().only(["skirmish"]).shortened(), "random").games
    8
    """
    spec = str(parse_spec(player))
    found: list[tuple[tuple[str, str, int], MatchPlan]] = []
    for entry in suite.entries:
        places = [(entry.name, opponent, deal)
                  for opponent in entry.opponents for deal in range(entry.deals)]  # fmt: skip
        found += zip(places, entry.plans(spec), strict=True)
    found.sort(key=lambda each: each[0][2])  # whole rounds first, if it is broken off
    plans = [plan for _, plan in found]
    return Prepared(spec, plans, [place for place, _ in found], run_name(plans, suite.name))


def measure(
    work: Prepared,
    options: RunOptions,
    journals: list[Path],
    advance: Finished | None = None,
) -> bool:
    """Play what a player has to play; say whether all of it was finished, or Ctrl-C came before.

    Finished games are in a journal, which is added to ``journals``: whoever has told the results
    removes it.
    """
    kept = replace(options, records=True, in_turn=True)
    with open_run(work.plans, kept, journals) as run:
        try:
            for plan, chunk in run.chunks():
                work.add(plan, chunk)
                if advance:
                    advance(len(chunk.scores))
                check_answers(work, journals)
        except KeyboardInterrupt:
            return False
    return True


def check_answers(work: Prepared, journals: list[Path]) -> None:
    """Give up where a model has answered nothing in its first games: its endpoint is wrong."""
    games = [game for found in work.finished.values() for game in found.values()]
    silent = [game for game in games if game.asked.failed == game.asked.requests > 0]
    if len(silent) == len(games) >= GAMES_WITHOUT_ANSWER:
        for journal in journals[-1:]:
            journal.unlink(missing_ok=True)  # nothing in it is worth keeping
        raise SandtableError(f"{work.player} does not answer: {silent[-1].forfeit}")


def rows_in_file(path: Path, suite: Suite) -> list[Row]:
    """Read the rows of an earlier run; SandtableError if they are of another suite."""
    try:
        data = json.loads(path.read_text("utf-8"))
        if data["format"] != FORMAT:
            raise ValueError(f"it is '{data['format']}'")
        name, digest = data["suite"]["name"], data["suite"]["digest"]
        rows = [Row.from_data(each) for each in data["players"]]
    except (OSError, *DAMAGED) as problem:
        raise SandtableError(f"{path} holds no results of a benchmark: {problem!r}") from None
    if digest != suite.digest:
        raise SandtableError(
            f"{path} has results of {name} ({digest}), not of {suite.name} ({suite.digest}): other "
            "games, deals or rules cannot stand in one table"
        )
    return rows


def collected(own: Sequence[Row], others: Sequence[Row]) -> list[Row]:
    """Put rows together; of two of the same player the first counts.

    >>> [row.player for row in collected([Row("a", "", {})], [Row("b", "", {}), Row("a", "", {})])]
    ['a', 'b']
    """
    found: dict[str, Row] = {}
    for row in (*own, *others):
        found.setdefault(row.player, row)
    return list(found.values())
