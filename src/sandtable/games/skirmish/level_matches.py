"""Games of an agent against many opponents on many levels, played by any workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.match import open_run
from sandtable.arena.play.plan import MatchPlan
from sandtable.reproduce.run import Settings

__all__ = ["LevelMatch", "Tally", "play_level_matches"]


@dataclass(frozen=True)
class LevelMatch:
    """Games of one agent against one opponent on one level, in one seat."""

    part: str  # which table they are for
    level: str
    seat: int  # of the agent
    budget: int  # of the opponent
    games: int


@dataclass
class Tally:
    """The games of one row as they come in."""

    matches: list[LevelMatch]
    won: dict[LevelMatch, NDArray[np.bool_]] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether everything has been played."""
        return len(self.won) == len(self.matches)

    @property
    def waiting(self) -> list[LevelMatch]:
        """What has still to be played."""
        return [match for match in self.matches if match not in self.won]

    def games_won(self, part: str, budget: int) -> NDArray[np.float64]:
        """Return which games were won [match, repeat]."""
        rows = [
            self.won[each] for each in self.matches if (each.part, each.budget) == (part, budget)
        ]
        return np.array(rows, dtype=np.float64)


def play_level_matches(
    tally: Tally,
    plans: dict[LevelMatch, MatchPlan],
    settings: Settings,
    keep: Callable[[LevelMatch, Sequence[bool]], None],
) -> None:
    """Play what the tally waits for, and keep each match once; Ctrl-C leaves the rest."""
    matches = list(plans)
    known = [match.games if match in tally.won else 0 for match in matches]
    parts: dict[LevelMatch, dict[int, bool]] = {match: {} for match in tally.waiting}
    try:
        with open_run(list(plans.values()), settings.run_options, settings.journals, known) as run:
            for number, chunk in run.chunks():
                match = matches[number]
                if match in tally.won:
                    continue  # kept before, and in the journal of a run that was stopped too
                for game, scores in enumerate(chunk.scores, start=chunk.first):
                    parts[match][game] = bool(scores[match.seat] > 0)
                if len(parts[match]) == match.games:
                    won = [parts[match][game] for game in range(match.games)]
                    tally.won[match] = np.array(won)
                    keep(match, won)
    except KeyboardInterrupt:
        return
