"""The games of several plans, cut into tasks of about equal time.

Game i of a plan depends on nothing but the plan and i, so neither the cut nor who plays a task nor
when has any influence on the results.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sandtable.arena.play.plan import AgentPool, Chunk, MatchPlan, PlanPlayer
from sandtable.arena.play.rehearsal import rehearse

__all__ = ["Cutter", "PlayerCache", "Task"]

SECONDS_PER_TASK = 0.4  # short enough for a lively progress bar and a prompt Ctrl-C
SECONDS_FOR_ONE_AHEAD = 1.0  # a worker gets its next task early if they are shorter than this
MOST_GAMES_PER_TASK = 20_000


@dataclass(frozen=True)
class Task:
    """Consecutive games of one of the plans."""

    plan: int
    first: int
    count: int


class PlayerCache:
    """The players of all plans in one worker, made when they are needed; they share agents."""

    def __init__(self, plans: Sequence[MatchPlan]) -> None:
        self.plans = plans
        self.pool: AgentPool = {}
        self.players: dict[int, PlanPlayer] = {}
        self.rehearsed: set[tuple[object, ...]] = set()  # agent, rules, seat
        self.making = threading.Lock()

    def player(self, plan: int) -> PlanPlayer:
        """Return the player of a plan."""
        with self.making:
            if plan not in self.players:
                self.players[plan] = PlanPlayer(self.plans[plan], self.pool)
            return self.players[plan]

    def play(self, task: Task, keep_records: bool) -> Chunk:
        """Play a task and note how long it took."""
        player = self.player(task.plan)
        self.rehearse(player)
        began = time.perf_counter()
        chunk = player.play(task.first, task.count, keep_records)
        return replace(chunk, seconds=time.perf_counter() - began)

    def rehearse(self, player: PlanPlayer) -> None:
        """Let agents that have a clock make one move without it, once in each seat they take."""
        plan = player.plan
        if player.policies is not None or not plan.move_time:
            return
        for order in plan.orders:
            for seat, number in enumerate(order):
                agent = player.agents[number]
                known = id(agent), player.game.rules, seat
                if known not in self.rehearsed:
                    self.rehearsed.add(known)
                    rehearse(player.game, plan.agents[number], agent, seat, plan.move_time)

    def close(self) -> None:
        """Let all agents end what they have running."""
        for agent in self.pool.values():
            agent.close()
        self.pool.clear()
        self.players.clear()


class Cutter:
    """Cuts what has still to be played into tasks, evenly over the plans.

    Whatever has been played when a run is broken off is as even as can be: the next task is one of
    the plan that has the largest share of its games to go. With ``in_turn`` it is one of the first
    plan that has any. ``games_per_deal`` games of a plan always stay in one task.
    """

    def __init__(
        self,
        plans: Sequence[MatchPlan],
        games_per_deal: Sequence[int],
        workers: int,
        *,
        in_turn: bool = False,
    ) -> None:
        self.plans = plans
        self.in_turn = in_turn
        self.games_per_deal = games_per_deal
        self.workers = workers
        self.gaps = [deque([(0, plan.games)]) for plan in plans]  # first, count
        self.left = [plan.games for plan in plans]
        self.sizes = list(games_per_deal)
        self.seconds: list[float] = [0.0] * len(plans)  # of one game, as far as is known

    def leave_out(self, plan: int, known: Iterable[tuple[int, int]]) -> None:
        """Take note of games (first, count) that need no playing any more."""
        gaps, end = deque[tuple[int, int]](), 0
        for first, count in [*sorted(known), (self.plans[plan].games, 0)]:
            if first > end:
                gaps.append((end, first - end))
            end = max(end, first + count)
        self.gaps[plan] = gaps
        self.left[plan] = sum(count for _, count in gaps)

    def cut(self) -> Task | None:
        """Return the next task, or None when all games are given out."""
        numbers = range(len(self.plans))
        plan = max(numbers, key=self.share_left, default=-1)
        if plan < 0 or self.left[plan] <= 0:
            return None
        fair = -(-self.left[plan] // self.workers)  # near the end nobody should wait for one worker
        games_per_deal = self.games_per_deal[plan]
        deals = max(1, min(self.sizes[plan], fair) // games_per_deal)
        first, there = self.gaps[plan].popleft()
        count = min(deals * games_per_deal, there)
        if count < there:
            self.gaps[plan].appendleft((first + count, there - count))
        self.left[plan] -= count
        return Task(plan, first, count)

    def share_left(self, plan: int) -> float:
        """Return what share of the games of a plan is left; in turn, any is as much as all."""
        return (
            float(self.left[plan] > 0) if self.in_turn else self.left[plan] / self.plans[plan].games
        )

    def learn(self, task: Task, chunk: Chunk) -> None:
        """Adapt the size to the time a task took."""
        wanted = task.count * SECONDS_PER_TASK / max(chunk.seconds, 1e-6)
        most = min(8 * task.count, MOST_GAMES_PER_TASK)
        self.sizes[task.plan] = max(self.games_per_deal[task.plan], min(int(wanted), most))
        self.seconds[task.plan] = chunk.seconds / task.count

    def ahead(self, task: Task) -> bool:
        """Say whether a worker that is still busy may get this task already."""
        return 0 < self.seconds[task.plan] * task.count < SECONDS_FOR_ONE_AHEAD
