"""Games of an agent against many opponents on many levels, played by any workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.match import open_run
from sandtable.arena.play.plan import MatchPlan
from sandtable.reproduce.running import Settings

__all__ = ["Meeting", "Tally", "play_meetings"]


@dataclass(frozen=True)
class Meeting:
    """Games of one agent against one opponent on one level, in one seat."""

    part: str  # which table they are for
    level: str
    seat: int  # of the agent
    budget: int  # of the opponent
    games: int


@dataclass
class Tally:
    """The games of one row as they come in."""

    meetings: list[Meeting]
    won: dict[Meeting, NDArray[np.bool_]] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether everything has been played."""
        return len(self.won) == len(self.meetings)

    @property
    def waiting(self) -> list[Meeting]:
        """What has still to be played."""
        return [meeting for meeting in self.meetings if meeting not in self.won]

    def games_won(self, part: str, budget: int) -> NDArray[np.float64]:
        """Return which games were won [meeting, repeat]."""
        rows = [
            self.won[each] for each in self.meetings if (each.part, each.budget) == (part, budget)
        ]
        return np.array(rows, dtype=np.float64)


def play_meetings(
    tally: Tally,
    plans: dict[Meeting, MatchPlan],
    settings: Settings,
    keep: Callable[[Meeting, Sequence[bool]], None],
) -> None:
    """Play what the tally waits for, and keep each meeting once; Ctrl-C leaves the rest."""
    meetings = list(plans)
    known = [meeting.games if meeting in tally.won else 0 for meeting in meetings]
    parts: dict[Meeting, dict[int, bool]] = {meeting: {} for meeting in tally.waiting}
    try:
        with open_run(list(plans.values()), settings.how, settings.journals, known) as run:
            for number, chunk in run.chunks():
                meeting = meetings[number]
                if meeting in tally.won:
                    continue  # kept before, and in the journal of a run that was stopped too
                for game, scores in enumerate(chunk.scores, start=chunk.first):
                    parts[meeting][game] = bool(scores[meeting.seat] > 0)
                if len(parts[meeting]) == meeting.games:
                    won = [parts[meeting][game] for game in range(meeting.games)]
                    tally.won[meeting] = np.array(won)
                    keep(meeting, won)
    except KeyboardInterrupt:
        return
