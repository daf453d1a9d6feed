"""Does convolution help in other games? The paper leaves it open; here it meets a perceptron.

Both learn from the planes of positions out of random games how the game ended for the first seat.
They do as many multiplications for a board, see the same examples, and are judged on the same games
held out. Needs torch, and for OpenSpiel's game the extra ``interop``.
"""

from __future__ import annotations

import functools
import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import estimate_mean
from sandtable.dice import Dice
from sandtable.games.stratego.studies.networks import apart, shown
from sandtable.registry import make_game
from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import (
    AGREES,
    CANNOT_BE_TOLD,
    CONTRADICTS,
    Finding,
    Measured,
    Measurement,
    Study,
    Variant,
)
from sandtable.types import OVER, State

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["ELSEWHERE_STUDIES"]

GAMES = {"lucid": "lucid", "connect-four": "openspiel.connect_four"}
NUMBER, QUICK_NUMBER = 1200, 40  # of random games
KEPT = 8  # positions of a game
HELD_OUT = 0.25  # of the games
FILTERS = 16
STEPS, QUICK_STEPS, BATCH, RATE = 300, 20, 128, 0.001  # with more, both learn results by heart
CONVOLUTION, PERCEPTRON = "convolution", "perceptron"
ERROR, KNOWING_NOTHING = "squared error, held out", "squared error of the mean, held out"
MULTIPLICATIONS = "multiplications for a board"


@functools.lru_cache(maxsize=2)
def examples(spec: str, number: int, seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return planes, results from -1 to 1, and the number of the game of each position."""
    game = make_game(spec)
    planes, results, games = [], [], []
    for index in range(number):
        dice = Dice(seed, "elsewhere", index)
        state, passed = game.start(dice), list[State]()
        while state.turn != OVER:
            if state.turn == 0:  # of one seat alone: in some games the other has other scores
                passed.append(state)
            legal = state.legal
            state = state.play(legal[dice.below(len(legal))], dice)
        scores = state.outcome.scores if state.outcome else ()
        chosen = np.random.default_rng([seed, index]).permutation(len(passed))[:KEPT]
        for place in chosen:
            before = passed[place]
            low, high = game.score_bounds[before.turn]
            planes.append(before.view(before.turn).planes())
            results.append(2.0 * (scores[before.turn] - low) / (high - low) - 1.0)
            games.append(index)
    return np.stack(planes), np.array(results, dtype=np.float32), np.array(games)


def networks(shape: tuple[int, int, int]) -> tuple[dict[str, nn.Module], int]:
    """Return both networks for boards of a shape, and how often each multiplies for one board."""
    from torch import nn

    planes, rows, columns = shape
    squares = rows * columns
    cost = squares * 9 * FILTERS * (planes + FILTERS) + FILTERS * squares
    inputs = planes * squares  # inputs * hidden + hidden**2 + hidden = cost
    hidden = round((-(inputs + 1) + math.sqrt((inputs + 1) ** 2 + 4 * cost)) / 2)
    convolution = nn.Sequential(
        nn.Conv2d(planes, FILTERS, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(FILTERS, FILTERS, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(FILTERS * squares, 1),
    )
    perceptron = nn.Sequential(
        nn.Flatten(),
        nn.Linear(inputs, hidden),
        nn.ReLU(),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Linear(hidden, 1),
    )
    return {CONVOLUTION: convolution, PERCEPTRON: perceptron}, cost


def measure(name: str, kind: str, settings: Settings, report: Report) -> list[Measurement]:
    """Fit one network to one game, and judge it on games it has not seen."""
    import torch
    from torch.nn import functional

    number = settings.games or (QUICK_NUMBER if settings.quick else NUMBER)
    planes, results, games = examples(GAMES[name], number, settings.seed)
    held_out = games >= round((1 - HELD_OUT) * number)
    inputs, targets = torch.from_numpy(planes), torch.from_numpy(results)
    learned = torch.from_numpy(np.flatnonzero(~held_out))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        made, cost = networks(planes.shape[1:])
        network = made[kind]
        optimiser = torch.optim.Adam(network.parameters(), RATE)
        steps = QUICK_STEPS if settings.quick else STEPS
        with report(f"{name}, {kind}: steps", steps) as progress:
            for _ in range(steps):
                chosen = learned[torch.randint(len(learned), (BATCH,))]
                loss = functional.mse_loss(network(inputs[chosen])[:, 0], targets[chosen])
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                progress(1)
    with torch.no_grad():
        answers: Tensor = network(inputs[torch.from_numpy(np.flatnonzero(held_out))])[:, 0]
    truth, owners = results[held_out], games[held_out]
    plain = by_game((truth - results[~held_out].mean()) ** 2, owners)
    errors = by_game((answers.numpy() - truth) ** 2, owners)
    return [
        Measurement.of(ERROR, estimate_mean(errors)),
        Measurement.of(KNOWING_NOTHING, estimate_mean(plain)),
        Measurement(MULTIPLICATIONS, cost),
    ]


def by_game(errors: NDArray[Any], games: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mean error of every game: its positions go together.

    >>> by_game(np.array([1.0, 3.0, 5.0]), np.array([7, 7, 9])).tolist()
    [2.0, 5.0]
    """
    return np.array([errors[games == each].mean() for each in np.unique(games)], dtype=np.float64)


def judge(measured: Measured) -> Finding:
    """Say in which game convolution has the smaller error, if anything was learned at all."""
    words, signs = [], []
    for name in GAMES:
        first, second = (measured[f"{name}-{kind}"][0] for kind in (CONVOLUTION, PERCEPTRON))
        nothing = measured[f"{name}-{CONVOLUTION}"][1]
        learned = min(first.value, second.value) < nothing.value
        signs.append(-apart(first, second) if learned else 0)
        words.append(f"{name} {shown(first)} and {shown(second)}, by the mean {shown(nothing)}")
    verdict = AGREES if max(signs) > 0 else CONTRADICTS if min(signs) < 0 else CANNOT_BE_TOLD
    return Finding(verdict, f"Squared error, {CONVOLUTION} and {PERCEPTRON}: {'; '.join(words)}.")


ELSEWHERE_STUDIES = (
    Study(
        "elsewhere",
        "Convolution against a perceptron of the same cost in other games",
        "Smith, Learning to Play Stratego with Convolutional Neural Networks, 2015, section 5.1",
        "other games may benefit from convolutional networks; it is unclear whether they do",
        tuple(
            Variant(f"{name}-{kind}", f"{name}, {kind}", partial(measure, name, kind))
            for name in GAMES
            for kind in (CONVOLUTION, PERCEPTRON)
        ),
        judge,
        minutes=6,
    ),
)
