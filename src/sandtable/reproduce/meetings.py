"""Games of an agent against many opponents on many levels, played side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.chunks import MatchPlan, Player
from sandtable.dice import Dice
from sandtable.errors import StopGame
from sandtable.types import Agent, State

__all__ = ["Meeting", "Tally", "play_meetings"]

PREPARING = Lock()  # kernels are put together by one thread at a time, and compiled once


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


class Stoppable:
    """An agent that breaks its game off at the next move once it is told to."""

    def __init__(self, agent: Agent, stop: Event) -> None:
        self._agent, self._stop = agent, stop

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)

    def choose(self, view: State, dice: Dice) -> int | Sequence[int]:
        """Choose as the agent does."""
        if self._stop.is_set():
            raise StopGame
        return self._agent.choose(view, dice)


def play_meetings(
    tally: Tally,
    plans: dict[Meeting, MatchPlan],
    jobs: int,
    keep: Callable[[Meeting, Sequence[bool]], None],
) -> None:
    """Play what the tally waits for, ``jobs`` meetings side by side; Ctrl-C leaves the rest."""
    stop = Event()

    def play(meeting: Meeting) -> tuple[Meeting, list[bool]]:
        with PREPARING:
            player = Player(plans[meeting])
            player.warm_up()
        player.agents = [Stoppable(agent, stop) for agent in player.agents]
        won = []
        try:
            for number in range(meeting.games):
                if stop.is_set():
                    raise StopGame
                chunk = player.play(number, 1, False)
                won.append(bool(chunk.scores[0, meeting.seat] > 0))
        finally:
            player.close()
        return meeting, won

    with ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(play, meeting) for meeting in tally.waiting}
        try:
            while running:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    meeting, won = future.result()
                    tally.won[meeting] = np.array(won)
                    keep(meeting, won)
        except KeyboardInterrupt:
            pass
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
