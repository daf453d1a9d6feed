"""The agent that plays any game by flat Monte Carlo: random games after every move it could make.

See docs/methods/montecarlo.md for what it does and what its options are worth.
"""

from __future__ import annotations

import functools
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, CompiledPolicy
from sandtable.agents.alphabeta.hints import Evaluation, SearchHints, evaluation_named, hints_for
from sandtable.compiled import copy_cells, kernel, placeholder, specialise
from sandtable.dice import Dice, below
from sandtable.types import OVER, Game, Rules, State

__all__ = ["MonteCarlo", "PlayoutOptions", "Playouts", "best_total", "playouts_of"]

# What the templates below are specialised with.
turn = legal = apply = score = guess = random_action = evaluate = placeholder
play_on = value_of = list_moves = tally = placeholder
SEATS = ACTION_COUNT = 0
LOW = HIGH = (0.0,)  # [seat] lowest and highest scores

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


def play_on_by_rules(position: NDArray[np.int16], plies: int, dice: NDArray[np.uint64]) -> None:
    """Play so many random actions, or fewer if the game ends."""
    for _ in range(plies):
        if turn(position) == OVER:
            return
        apply(position, random_action(position, dice), dice)


def value_of_end(
    position: NDArray[np.int16],
    seat: int,
    bonus: float,
    weights: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> float:
    """Return what the end of a playout is worth to a seat; ``scores`` is scratch."""
    if turn(position) != OVER:
        estimate = float(evaluate(position, seat, weights))
        return bonus * estimate / (1.0 + abs(estimate))
    score(position, scores)
    return float((2.0 * scores[seat] - LOW[seat] - HIGH[seat]) / (HIGH[seat] - LOW[seat]))


def list_moves_by_mask(position: NDArray[np.int16], moves: NDArray[np.int64]) -> int:
    """Write the legal actions in ascending order; return how many there are."""
    mask = np.empty(ACTION_COUNT, dtype=np.bool_)
    legal(position, mask)
    count = 0
    for action in range(ACTION_COUNT):
        if mask[action]:
            moves[count] = action
            count += 1
    return count


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
    return compiled_playouts(
        game.name,
        game.rules,
        game.action_count,
        tuple(low for low, _ in game.score_bounds),
        tuple(high for _, high in game.score_bounds),
        evaluation.kernel,
        hints.play_on,
    )


@functools.cache
def compiled_playouts(
    game_name: str,
    rules: Rules,
    action_count: int,
    low: tuple[float, ...],
    high: tuple[float, ...],
    evaluate_kernel: Any,
    play_on_kernel: Any,
) -> Playouts:
    """Fill the templates with the kernels of one game."""
    plain = getattr(evaluate_kernel, "py_func", evaluate_kernel)
    name = f"{game_name}_{plain.__module__}_{plain.__qualname__}".replace(".", "_")
    given: dict[str, Any] = {
        "turn": rules.turn,
        "legal": rules.legal,
        "apply": rules.apply,
        "score": rules.score,
        "guess": rules.guess,
        "random_action": rules.random_action,
        "evaluate": evaluate_kernel,
        "ACTION_COUNT": action_count,
        "SEATS": len(low),
        "LOW": low,
        "HIGH": high,
    }
    given["play_on"] = play_on_kernel or specialise(play_on_by_rules, name, **given)
    given["value_of"] = specialise(value_of_end, name, **given)
    given["list_moves"] = specialise(list_moves_by_mask, name, **given)
    given["tally"] = specialise(tally_samples, name, **given)
    acting = specialise(act, name, **given)
    return Playouts(given["list_moves"], given["tally"], acting)


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
