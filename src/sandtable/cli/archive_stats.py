"""The table of ``sandtable archive stats``."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from sandtable.arena.statistics.intervals import estimate_mean
from sandtable.cli.tables import interval_text

if TYPE_CHECKING:
    from sandtable.records.queries import ExperimentFacts, Played

__all__ = ["stats_table"]


@dataclass
class Sums:
    """What has been counted of one agent in one seat of one game."""

    scores: array[float] = field(default_factory=lambda: array("d"))
    forfeits: int = 0
    actions: int = 0
    seconds: float = 0.0
    timed: int = 0  # games whose thinking time was measured


def stats_table(facts: Iterable[ExperimentFacts], played: Iterable[Played]) -> Table:
    """Count games by game, agent and seat."""
    experiments = {each.experiment: each for each in facts}
    sums: dict[tuple[str, str, int], Sums] = {}
    for one in played:
        experiment = experiments[one.experiment]
        for seat, agent in enumerate(experiment.agents):
            each = sums.setdefault((experiment.game, agent, seat), Sums())
            each.scores.append(one.scores[seat])
            each.forfeits += one.forfeited_by == seat
            each.actions += one.action_count
            if one.seconds:
                each.seconds += one.seconds[seat]
                each.timed += 1
    table = Table(box=None, pad_edge=False)
    for heading in ("game", "agent", "seat"):
        table.add_column(heading, overflow="fold")
    for heading in ("games", "mean score", "95% interval", "forfeits", "actions", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    for (game, agent, seat), each in sorted(sums.items()):
        estimate = estimate_mean(np.array(each.scores))
        table.add_row(
            game,
            agent,
            str(seat + 1),
            f"{len(each.scores):,}",
            f"{estimate.mean:.3f}",
            interval_text(estimate),
            f"{each.forfeits:,}",
            f"{each.actions / len(each.scores):.1f}",
            f"{each.seconds / each.timed:.3f}" if each.timed else "-",
        )
    return table
