"""The agent that plays any game by flat Monte Carlo: random games after every move it could make.

See docs/methods/montecarlo.md for what it does and what its options are worth.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, Analysis, Candidate, CompiledPolicy, Scale
from sandtable.agents.alphabeta.hints import Evaluation, SearchHints, evaluation_named, hints_for
from sandtable.agents.search_parts import (
    GameFacts,
    facts_of,
    list_moves_by_mask,
    play_on_by_rules,
    value_of_end,
)
from sandtable.compiled import copy_cells, kernel, placeholder, specialise
from sandtable.dice import Dice, below
from sandtable.types import Game, State

__all__ = ["MonteCarlo", "PlayoutOptions", "Playouts", "best_total", "playouts_of"]

# What the templates below are specialised with.
turn = apply = guess = placeholder
play_on = value_of = list_moves = tally = placeholder
SEATS = ACTION_COUNT = 0

USUAL_SAMPLES = 30
MOST_SAMPLES = 1_000_000
MOST_PLIES = 1_000_000
ENDLESS = 1 << 62  # samples, where only the clock ends them
SECONDS_PER_SLICE = 0.002  # between looks at the clock, about


class PlayoutOptions(NamedTuple):
    """The options of the agent, as kernels take them."""

    samples: int
    shortest: int  # random actions of a playout, at least
    longest: int  # and at most
    common: bool  # whether all moves are tried in the same guesses
    bonus: float  # the most that a playout without an end is worth, as a share of a win
    weights: NDArray[np.float64]  # of the evaluation


def tally_samples(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    options: PlayoutOptions,
    moves: NDArray[np.int64],
    count: int,
    samples: int,
    totals: NDArray[np.float64],
) -> None:
    """Try every move in so many samples and add up what the playouts are worth.

    A sample is a position that the view allows and a length. With ``common`` all moves are tried in
    the same samples, so that a lucky guess favours none of them; otherwise each has its own.
    """
    seat = turn(view)
    shortest, lengths = options.shortest, options.longest - options.shortest + 1
    bonus, weights = options.bonus, options.weights
    guessed, position = np.empty_like(view), np.empty_like(view)
    scores = np.zeros(SEATS)
    plies = shortest
    for _ in range(samples):
        for index in range(count):
            if index == 0 or not options.common:
                copy_cells(view, guessed)
                guess(guessed, seat, dice)
                plies = shortest + int(below(dice, lengths))
            copy_cells(guessed, position)
            apply(position, moves[index], dice)
            play_on(position, plies, dice)
            totals[index] += value_of(position, seat, bonus, weights, scores)


@kernel
def best_total(totals: NDArray[np.float64], count: int, dice: NDArray[np.uint64]) -> int:
    """Return the index of the highest total; among equal ones the dice decide."""
    best, equals = 0, 1
    for index in range(1, count):
        if totals[index] > totals[best]:
            best, equals = index, 1
        elif totals[index] == totals[best]:
            equals += 1
            if below(dice, equals) == 0:
                best = index
    return best


def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: PlayoutOptions,
    actions: NDArray[np.int16],
) -> int:
    """Write the action whose playouts were worth most on average."""
    moves = np.empty(ACTION_COUNT, dtype=np.int64)
    count = list_moves(view, moves)
    chosen = 0
    if count > 1:
        totals = np.zeros(count)
        tally(view, dice, constants, moves, count, constants.samples, totals)
        chosen = best_total(totals, count, dice)
    actions[0] = moves[chosen]
    return 1


class Playouts(NamedTuple):
    """The templates, compiled for one game and one evaluation."""

    list_moves: Any  # (view, moves) -> how many
    tally: Any  # (view, dice, options, moves, count, samples, totals)
    act: Any  # the compiled policy


def playouts_of(game: Game, hints: SearchHints, evaluation: Evaluation) -> Playouts:
    """Return the playouts of a game, compiled when they are first used."""
    return compiled_playouts(facts_of(game), evaluation.kernel, hints.play_on)


@functools.cache
def compiled_playouts(facts: GameFacts, evaluate_kernel: Any, play_on_kernel: Any) -> Playouts:
    """Fill the templates with the kernels of one game."""
    name = facts.kernel_name(evaluate_kernel)
    given = {**facts.fillings(), "evaluate": evaluate_kernel}
    given["play_on"] = play_on_kernel or specialise(play_on_by_rules, name, **given)
    given["value_of"] = specialise(value_of_end, name, **given)
    given["list_moves"] = specialise(list_moves_by_mask, name, **given)
    given["tally"] = specialise(tally_samples, name, **given)
    acting = specialise(act, name, **given)
    return Playouts(given["list_moves"], given["tally"], acting)


class MonteCarlo(Agent):
    """Any game; tries every action in guessed positions that are played on at random."""

    meanings: ClassVar[Mapping[str, str]] = {
        "samples": "how often every action is tried; left out: 30, or no limit with seconds",
        "seconds": "time for a move; 0: no limit",
        "shortest": "random actions of a playout at least",
        "longest": "random actions of a playout at most; 0: to the end of the game",
        "evaluation": "which of the game's evaluations values a playout that stops early",
        "bonus": "the most such a playout is worth, as a share of a win",
        "common": "try all actions in the same guesses",
    }

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
        self.hurried = False  # somebody wants an answer now
        self.values: dict[int, float] = {}  # [action] average value in the last decision

    def policy(self, game: Game) -> CompiledPolicy | None:
        """Return the playouts as a kernel; none with a time limit, since kernels have no clock."""
        if self.seconds:
            return None
        return CompiledPolicy(self.playouts(game).act, constants=self.options(game))

    def playouts(self, game: Game) -> Playouts:
        """Return the kernels for a game."""
        return playouts_of(game, hints_for(game), evaluation_named(game, self.evaluation))

    def options(self, game: Game) -> PlayoutOptions:
        """Return the options as kernels take them."""
        longest = self.longest or game.max_actions
        shortest = self.shortest if self.longest else longest
        weights = np.array(evaluation_named(game, self.evaluation).weights, dtype=np.float64)
        bonus = float(self.bonus)
        return PlayoutOptions(self.samples, shortest, longest, self.common, bonus, weights)

    def choose(self, view: State, dice: Dice) -> int:
        """Try all actions in slices of samples until their number or the time is used up."""
        game, began = view.game, time.perf_counter()
        self.hurried = False
        compiled, options = self.playouts(game), self.options(game)
        position = np.array(view.position)
        moves = np.zeros(game.action_count, dtype=np.int64)
        count = int(compiled.list_moves(position, moves))
        totals = np.zeros(count)
        self.tried, self.values = 0, {}
        if count == 1:
            return int(moves[0])
        wanted = options.samples
        portion = 1  # slices change nothing about the samples, but can be the last
        while self.tried < wanted:
            sliced = time.perf_counter()
            portion = min(portion, wanted - self.tried)
            compiled.tally(position, dice.array, options, moves, count, portion, totals)
            self.tried += portion
            now = time.perf_counter()
            if self.hurried or (self.seconds and now - began >= self.seconds):
                break
            if now - sliced < SECONDS_PER_SLICE:
                portion *= 2
        averages = (totals / self.tried).tolist()
        self.values = dict(zip(moves[:count].tolist(), averages, strict=True))
        return int(moves[best_total(totals, count, dice.array)])

    def hurry(self) -> None:
        """Answer after this slice."""
        self.hurried = True

    def analyse(self, view: State, dice: Dice) -> Analysis | None:
        """Return every action with the mean result of its playouts, the best first."""
        chosen = self.choose(view, dice)
        game = view.game
        if not self.values:  # the only one there is was not tried
            return Analysis("own", None, (Candidate((chosen,)),))
        low, high = (0.0, 1.0) if game.has_winner else game.score_bounds[view.turn]
        half = (high - low) / 2  # values go from -1 to 1
        results = {each: low + (value + 1) * half for each, value in self.values.items()}
        best = sorted(results, key=lambda each: (-results[each], each != chosen))
        candidates = tuple(Candidate((each,), results[each]) for each in best)
        scale: Scale = "chance" if game.has_winner else "score"
        return Analysis(scale, candidates[0].value, candidates)
