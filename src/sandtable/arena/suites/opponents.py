"""How strong the opponents of a suite are: each plays the one below it, and the leads add up.

They meet on boards and with dice of the suite that no player ever gets. What came out stands in
``benchmark-measured.json`` beside the game, with the opponents as they were then: figures of others
are not taken for theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from sandtable.arena.ladder import LOWEST_RATING, SURE
from sandtable.arena.statistics.intervals import Estimate, estimate_grouped_share
from sandtable.arena.statistics.pairs import elo_of_share
from sandtable.arena.suites.figures import GAMES_OF_A_DEAL
from sandtable.arena.suites.measuring import Prepared, prepared
from sandtable.arena.suites.results import estimate_data
from sandtable.arena.suites.suite import Entry, Suite

__all__ = ["Step", "measured_data", "opponent_ratings", "opponent_work", "step_of"]

PURPOSE = "opponents"
Step = tuple[str, str, Estimate]  # the upper opponent, the lower one, and the share it won


def opponent_work(suite: str, entry: Entry, deals: int) -> list[Prepared]:
    """Return what has to be played: every opponent against the one below, so many deals each.

    >>> from sandtable.arena.suites.suite import suite_named
    >>> entry = suite_named().only(["skirmish"]).entries[0]
    >>> [work.games for work in opponent_work("sandtable-models-1", entry, 10)]
    [20, 20, 20]
    """
    found = []
    for lower, upper in pairwise(entry.levels):
        pairing = replace(entry, levels=(lower,), deals=deals, purpose=PURPOSE)
        found.append(prepared(Suite(suite, (pairing,)), entry.player(upper.name)))
    return found


def step_of(suite: str, entry: Entry, work: Prepared) -> Step:
    """Return what share an opponent won against the one below, of the deals that are finished."""
    upper = work.player.rpartition("/")[2]
    names = entry.opponents
    lower = names[names.index(upper) - 1]
    pairing = replace(entry, levels=tuple(level for level in entry.levels if level.name == lower))
    deals = work.row(Suite(suite, (pairing,))).deals[entry.name]
    shares = np.round([deal.points for deal in deals], 12)
    return upper, lower, estimate_grouped_share(shares, games=GAMES_OF_A_DEAL)


def opponent_ratings(entry: Entry, steps: Sequence[Step]) -> dict[str, float]:
    """Return the ratings of the opponents, in points of Elo above the weakest.

    A share above 99% counts as 99%: how much more it is cannot be told from so few games.
    """
    shares = {upper: share.mean for upper, _, share in steps}
    rating = LOWEST_RATING
    found = {entry.opponents[0]: rating}
    for name in entry.opponents[1:]:
        if name not in shares:
            break
        rating += elo_of_share(min(max(shares[name], 1 - SURE), SURE))
        found[name] = round(rating)
    return found


def measured_data(entry: Entry, steps: Sequence[Step], command: str) -> dict[str, Any]:
    """Return what was measured, as it is kept beside the game."""
    return {
        "opponents": entry.as_data()["opponents"],
        "ratings": opponent_ratings(entry, steps),
        "steps": [
            {"upper": upper, "lower": lower, "deals": share.count, "points": estimate_data(share)}
            for upper, lower, share in steps
        ],
        "command": command,
    }
