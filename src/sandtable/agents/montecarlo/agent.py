"""The agent that plays any game by flat Monte Carlo: random games after every move it could make.

See docs/methods/montecarlo.md for what it does and what its options are worth.
"""

from __future__ import annotations

import time

import numpy as np

from sandtable.agent import Agent, CompiledPolicy
from sandtable.agents.alphabeta.hints import evaluation_named, hints_for
from sandtable.agents.montecarlo.playouts import Options, Playouts, best_total, playouts_of
from sandtable.dice import Dice
from sandtable.types import Game, State

__all__ = ["MonteCarlo"]

USUAL_SAMPLES = 30
MOST_SAMPLES = 1_000_000
MOST_PLIES = 1_000_000
ENDLESS = 1 << 62  # samples, where only the clock ends them
SECONDS_PER_SLICE = 0.002  # between looks at the clock, about


class MonteCarlo(Agent):
    """Any game; tries every action in guessed positions that are played on at random."""

    def __init__(
        self,
        samples: int | None = None,
        seconds: float = 0.0,
        shortest: int = 0,
        longest: int = 0,
        evaluation: str | None = None,
        bonus: float = 0.5,
        common: bool = True,
    ) -> None:
        """Try every action ``samples`` times, or until ``seconds`` are over.

        A playout has ``shortest`` to ``longest`` random actions (0: to the end of the game). One
        that stops earlier is worth its ``evaluation``, and never more than ``bonus`` of a win;
        with ``common`` all actions are tried in the same guesses.
        """
        if samples is not None and not 1 <= samples <= MOST_SAMPLES:
            raise ValueError(f"samples is 1 to {MOST_SAMPLES}, got {samples}")
        if not 0 <= seconds < float("inf"):
            raise ValueError(f"seconds is 0 (no limit) or more, got {seconds}")
        if not 0 <= longest <= MOST_PLIES:
            raise ValueError(f"longest is 0 (to the end) to {MOST_PLIES}, got {longest}")
        if not 0 <= shortest <= (longest or 0):
            raise ValueError(
                f"shortest is 0 to longest, got shortest={shortest} and longest={longest}"
            )
        if not 0 <= bonus <= 1:
            raise ValueError(f"bonus lies between 0 and 1, got {bonus}")
        self.samples = samples or (ENDLESS if seconds else USUAL_SAMPLES)
        self.seconds = seconds
        self.shortest, self.longest = shortest, longest
        self.evaluation, self.bonus, self.common = evaluation, bonus, common
        self.tried = 0  # samples of the last decision
        self.values: dict[int, float] = {}  # [action] average value in the last decision

    def policy(self, game: Game) -> CompiledPolicy | None:
        """Return the playouts as a kernel; none with a time limit, since kernels have no clock."""
        if self.seconds:
            return None
        return CompiledPolicy(self.playouts(game).act, constants=self.options(game))

    def playouts(self, game: Game) -> Playouts:
        """Return the kernels for a game."""
        return playouts_of(game, hints_for(game), evaluation_named(game, self.evaluation))

    def options(self, game: Game) -> Options:
        """Return the options as kernels take them."""
        longest = self.longest or game.max_actions
        shortest = self.shortest if self.longest else longest
        weights = np.array(evaluation_named(game, self.evaluation).weights, dtype=np.float64)
        bonus = float(self.bonus)
        return Options(self.samples, shortest, longest, self.common, bonus, weights)

    def choose(self, view: State, dice: Dice) -> int:
        """Try all actions in slices of samples until their number or the time is used up."""
        game, began = view.game, time.perf_counter()
        compiled, options = self.playouts(game), self.options(game)
        position = np.array(view.position)
        moves = np.zeros(game.action_count, dtype=np.int64)
        count = int(compiled.list_moves(position, moves))
        totals = np.zeros(count)
        self.tried, self.values = 0, {}
        if count == 1:
            return int(moves[0])
        wanted = options.samples
        portion = 1 if self.seconds else wanted
        while self.tried < wanted:
            sliced = time.perf_counter()
            portion = min(portion, wanted - self.tried)
            compiled.tally(position, dice.array, options, moves, count, portion, totals)
            self.tried += portion
            now = time.perf_counter()
            if self.seconds and now - began >= self.seconds:
                break
            if now - sliced < SECONDS_PER_SLICE:
                portion *= 2
        averages = (totals / self.tried).tolist()
        self.values = dict(zip(moves[:count].tolist(), averages, strict=True))
        return int(moves[best_total(totals, count, dice.array)])
