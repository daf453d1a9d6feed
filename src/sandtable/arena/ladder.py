"""Measuring a ladder: every level plays the one below it, and the shares make ratings.

A deal is played once for every place of the upper level among the seats, with the same dice, and is
one observation. Where a game has winners it counts what share of the others the upper level came
out ahead of; where it has only scores, who has more of them after the deal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.level.ladder import Ladder, Level, ladder_of, measured_of
from sandtable.arena.play.match import play_match
from sandtable.arena.play.plan import make_plan
from sandtable.arena.statistics.intervals import Estimate, estimate_grouped_share
from sandtable.arena.statistics.pairs import elo_of_share
from sandtable.registry import make_game
from sandtable.types import Game

__all__ = [
    "LOWEST_RATING",
    "Rung",
    "as_data",
    "level_ratings",
    "measure_step",
    "pooled",
    "ratings_of",
    "rungs_of",
    "share_text",
    "step_from_data",
    "table_lines",
    "table_page",
]

LOWEST_RATING = 500.0  # of the weakest level, in points of Elo
SURE = 0.99  # shares beyond are taken as this one: an endless lead helps nobody
DIGITS = 4

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rung:
    """What a level did against the one below: how many deals came to which share.

    >>> Rung("easy", "beginner", {"1.0": 3, "0.5": 1}, games=8).share.mean
    0.875
    """

    upper: str
    lower: str
    deals: Mapping[str, int]
    games: int

    @property
    def share(self) -> Estimate:
        """The share that the upper level won, with its interval."""
        values = [float(value) for value, count in self.deals.items() for _ in range(count)]
        return estimate_grouped_share(np.array(values), games=round(self.games / len(values)))


def deal_shares(game: Game, scores: Floats, orders: Sequence[Sequence[int]]) -> Floats:
    """Return for every deal what share the first agent won against the others."""
    seats = np.array([list(order).index(0) for order in orders])
    by_deal = scores.reshape(-1, len(orders), scores.shape[1])
    mine = np.take_along_axis(by_deal, seats[None, :, None], axis=2)
    if game.has_winner:
        ahead = (mine > by_deal) + 0.5 * (mine == by_deal)
        others = ahead.sum(axis=2) - 0.5  # it is level with itself
        shares: Floats = others.mean(axis=1) / (scores.shape[1] - 1)
        return shares
    total = mine[:, :, 0].sum(axis=1)
    rest = (by_deal.sum(axis=(1, 2)) - total) / (scores.shape[1] - 1)
    decided: Floats = (total > rest) + 0.5 * (total == rest)
    return decided


def measure_step(
    game: str,
    upper: Level,
    lower: Level,
    games: int,
    seed: int,
    jobs: int | None = 1,
    progress: Callable[[int], None] | None = None,
) -> Rung:
    """Play a match between two levels; Ctrl-C ends it with the deals that are finished.

    >>> from sandtable.registry import make_game
    >>> levels = ladder_of(make_game("skirmish")).levels
    >>> measure_step("skirmish", levels[0], levels[0], games=2, seed=0).games
    2
    """
    made = make_game(game)
    agents = [upper.spec, *[lower.spec] * (len(made.seats) - 1)]
    plan = make_plan(game, agents, games, seed, rotate=True)
    result = play_match(plan, jobs=jobs, progress=progress, every_game=True)
    shares = deal_shares(made, result.scores, plan.orders) if result.games else np.zeros(0)
    counts = Counter(str(round(float(share), DIGITS)) for share in shares)
    return Rung(upper.name, lower.name, dict(sorted(counts.items())), result.games)


def pooled(steps: Sequence[Rung]) -> list[Rung]:
    """Put the deals of the same pairing together, in the order in which pairings first came.

    >>> pooled([Rung("b", "a", {"1.0": 2}, 2), Rung("b", "a", {"1.0": 1, "0.0": 1}, 2)])[0].games
    4
    """
    found: dict[tuple[str, str], Rung] = {}
    for step in steps:
        key = step.upper, step.lower
        before = found.get(key)
        deals = Counter(step.deals) + Counter({} if before is None else before.deals)
        games = step.games + (0 if before is None else before.games)
        found[key] = Rung(*key, dict(sorted(deals.items())), games)
    return list(found.values())


def level_ratings(ladder: Ladder, steps: Sequence[Rung]) -> dict[str, float]:
    """Return ratings of the levels, by adding up the leads; those above a gap have none.

    >>> from sandtable.agents.level.ladder import general_ladder
    >>> step = Rung("easy", "beginner", {"1.0": 64, "0.0": 36}, games=100)
    >>> level_ratings(general_ladder(False), [step])
    {'beginner': 500.0, 'easy': 600}
    """
    shares = {(step.upper, step.lower): step.share.mean for step in steps}
    rating = LOWEST_RATING
    found = {ladder.levels[0].name: rating}
    for lower, upper in pairwise(ladder.levels):
        share = shares.get((upper.name, lower.name))
        if share is None:
            break
        rating += elo_of_share(min(max(share, 1 - SURE), SURE))
        found[upper.name] = round(rating)
    return found


def definition(level: Level) -> dict[str, Any]:
    """Return what a level is, so that figures of another one are not taken for its own."""
    return {"title": level.title, "agents": dict(level.agents), "slips": level.slips}


def as_data(
    name: str, games: Sequence[str], ladder: Ladder, steps: Sequence[Rung], commands: Sequence[str]
) -> dict[str, Any]:
    """Return a measured ladder as it is kept beside the game."""
    ratings = level_ratings(ladder, steps) if steps else {}
    return {
        "format": "sandtable-ladder",
        "format_version": 1,
        "game": name,
        "games": list(games),
        "commands": list(commands),
        "levels": [
            {"name": level.name, **definition(level), "rating": ratings.get(level.name)}
            for level in ladder.levels
        ],
        "steps": [
            {
                **asdict(step),
                "share": round(step.share.mean, DIGITS),
                "low": round(step.share.low, DIGITS) if step.share.shown else None,
                "high": round(step.share.high, DIGITS) if step.share.shown else None,
            }
            for step in steps
        ],
    }


def step_from_data(data: Mapping[str, Any]) -> Rung:
    """Read one step of a measured ladder.

    >>> step_from_data({"upper": "b", "lower": "a", "deals": {"1.0": 1}, "games": 2}).upper
    'b'
    """
    return Rung(str(data["upper"]), str(data["lower"]), dict(data["deals"]), int(data["games"]))


def rungs_of(game: Game) -> tuple[list[Rung], list[str], list[str]]:
    """Return what was measured of a game's own levels as they are now: steps, commands, specs.

    >>> from sandtable.registry import make_game
    >>> len(rungs_of(make_game("skirmish")))
    3
    """
    ladder, measured = ladder_of(game), measured_of(game.name)
    kept = {each["name"]: each for each in measured.get("levels", ())}
    for level in ladder.levels:
        found = kept.get(level.name)
        if found is None or any(found[key] != value for key, value in definition(level).items()):
            return [], [], []  # they are others now
    steps = [step_from_data(each) for each in measured["steps"]]
    return steps, list(measured["commands"]), list(measured["games"])


def ratings_of(game: Game) -> dict[str, float]:
    """Return the measured ratings of a game's levels; none if they or its options are others.

    >>> from sandtable.registry import make_game
    >>> isinstance(ratings_of(make_game("skirmish")), dict)
    True
    """
    ladder = ladder_of(game)
    steps, _, games = rungs_of(game) if ladder.own else ([], [], [])
    return level_ratings(ladder, steps) if steps and game.spec in games else {}


def table_lines(data: Mapping[str, Any]) -> list[str]:
    """Return a ladder as lines of Markdown: a table, and the commands that measured it."""
    lines = [
        "| level | who plays | drawn at random | rating | wins against the one below | games |",
        "|---|---|---|---|---|---|",
    ]
    steps = {step["upper"]: step for step in data["steps"]}
    for level in data["levels"]:
        who = "<br>".join(
            (f"{seat}: " if seat else "") + f"`{agent}`" for seat, agent in level["agents"].items()
        )
        step = steps.get(level["name"])
        rating = "" if level["rating"] is None else f"{level['rating']:.0f}"
        games = "" if step is None else f"{step['games']:,}"
        lines.append(
            f"| {level['title']} (`level:{level['name']}`) | {who} | {level['slips']:.1%} "
            f"| {rating} | {'' if step is None else share_text(step)} | {games} |"
        )
    where = ", ".join(f"`{spec}`" for spec in data["games"])
    if data["commands"]:
        lines += ["", f"Measured in {where} with:", ""]
        lines += [f"    {command}" for command in data["commands"]]
    else:
        lines += ["", f"Not measured yet; to be measured in {where}."]
    return [*lines, ""]


def share_text(step: Mapping[str, Any]) -> str:
    """Return the share of a step with its interval.

    >>> share_text({"share": 0.7, "low": 0.65, "high": 0.75})
    '70.0% (65.0% to 75.0%)'
    """
    interval = "" if step["low"] is None else f" ({step['low']:.1%} to {step['high']:.1%})"
    return f"{step['share']:.1%}{interval}"


def table_page(title: str, data: Mapping[str, Any]) -> str:
    """Return a measured ladder as a page of Markdown."""
    about = (
        "Each level plays the one below it. A deal is played with every distribution of the seats "
        "and is one observation; intervals are those of 95%. Ratings add up the leads, in points "
        f"of Elo, from {LOWEST_RATING:.0f}."
    )
    return "\n".join([f"# Levels of {title}", "", about, "", *table_lines(data)])
