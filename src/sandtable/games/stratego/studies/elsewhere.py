"""Does convolution help in other games? The paper leaves it open; here it meets a perceptron.

Both learn from the planes of positions how the game ended for the first seat. They do as many
multiplications for a board, see the same examples, and are judged on the same games held out. Both
would learn results by heart in time, so other games, which neither learns from, say when to stop.
Needs torch, and for OpenSpiel's game the extra ``interop``.
"""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent
from sandtable.arena.play.game_loop import play_game
from sandtable.arena.statistics.intervals import estimate_mean
from sandtable.games.stratego.studies.networks import apart, shown
from sandtable.registry import make_agent, make_game
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
from sandtable.types import State

if TYPE_CHECKING:
    from torch import nn

__all__ = ["ELSEWHERE_STUDIES"]

# Who plays the games, by turns. In random games of Lucid nobody ever gets through.
PLAYERS = {
    "lucid": (
        ("lucid/one-axis-blue", "lucid/axes-red"),
        ("lucid/one-axis-blue", "random"),
        ("lucid/simple-blue", "lucid/axes-red"),
        ("lucid/simple-blue", "random"),
    ),
    "openspiel.connect_four": (("random", "random"),),
}
GAMES = {"lucid": "lucid", "connect-four": "openspiel.connect_four"}
NUMBER, QUICK_NUMBER = 6000, 40  # of games
KEPT = 8  # positions of a game
HELD_OUT, STOPPING = 0.25, 0.15  # of the games: to judge by, and to know when to stop
FILTERS = 16
STEPS, QUICK_STEPS, LOOKS, BATCH, RATE = 4000, 20, 40, 128, 0.001
CONVOLUTION, PERCEPTRON = "convolution", "perceptron"
ERROR, KNOWING_NOTHING = "squared error, held out", "squared error of the mean, held out"
MULTIPLICATIONS, STEPS_TAKEN = "multiplications for a board", "steps until it was best"


@functools.lru_cache(maxsize=2)
def examples(spec: str, number: int, seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return planes, results from -1 to 1, and the number of the game of each position."""
    game = make_game(spec)
    agents = {name: make_agent(name) for pair in PLAYERS[spec] for name in pair}
    planes, results, games = [], [], []
    for index in range(number):
        pair = PLAYERS[spec][index % len(PLAYERS[spec])]
        passed = list[State]()

        def watch(before: State, seat: int, *_: object, passed: list[State] = passed) -> None:
            if seat == 0:  # of one seat alone: in some games the other has other scores
                passed.append(before)

        seated: list[Agent] = [agents[name] for name in pair]
        played = play_game(game, seated, specs=pair, seed=seed, number=index, watcher=watch)
        scores = played.record.outcome.scores if played.record.outcome else ()
        chosen = np.random.default_rng([seed, index]).permutation(len(passed))[:KEPT]
        for place in chosen:
            before = passed[place]
            low, high = game.score_bounds[0]
            planes.append(before.view(0).planes())
            results.append(2.0 * (scores[0] - low) / (high - low) - 1.0)
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


def fit(
    network: nn.Module,
    planes: NDArray[Any],
    results: NDArray[Any],
    stopping: NDArray[np.bool_],
    steps: int,
    progress: Callable[[int], None],
) -> int:
    """Fit a network to all positions but those for stopping; return at which step it was best."""
    import torch
    from torch.nn import functional

    inputs, targets = torch.from_numpy(planes[~stopping]), torch.from_numpy(results[~stopping])
    others, truth = torch.from_numpy(planes[stopping]), torch.from_numpy(results[stopping])
    optimiser = torch.optim.Adam(network.parameters(), RATE)
    least, best, at = math.inf, copy.deepcopy(network.state_dict()), 0
    for step in range(1, steps + 1):
        chosen = torch.randint(len(inputs), (BATCH,))
        loss = functional.mse_loss(network(inputs[chosen])[:, 0], targets[chosen])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        progress(1)
        if step % max(1, steps // LOOKS) == 0:
            with torch.no_grad():
                error = float(functional.mse_loss(network(others)[:, 0], truth))
            if error < least:
                least, best, at = error, copy.deepcopy(network.state_dict()), step
    network.load_state_dict(best)
    return at


def measure(name: str, kind: str, settings: Settings, report: Report) -> list[Measurement]:
    """Fit one network to one game, and judge it on games it has not seen."""
    import torch

    number = settings.games or (QUICK_NUMBER if settings.quick else NUMBER)
    planes, results, games = examples(GAMES[name], number, settings.seed)
    held_out = games >= round((1 - HELD_OUT) * number)
    learned, truth = ~held_out, results[held_out]
    stopping = games[learned] >= round((1 - HELD_OUT - STOPPING) * number)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        made, cost = networks(planes.shape[1:])
        steps = QUICK_STEPS if settings.quick else STEPS
        with report(f"{name}, {kind}: steps", steps) as progress:
            at = fit(made[kind], planes[learned], results[learned], stopping, steps, progress)
    with torch.no_grad():
        answers = made[kind](torch.from_numpy(planes[held_out]))[:, 0].numpy()
    plain = by_game((truth - results[learned].mean()) ** 2, games[held_out])
    return [
        Measurement.of(ERROR, estimate_mean(by_game((answers - truth) ** 2, games[held_out]))),
        Measurement.of(KNOWING_NOTHING, estimate_mean(plain)),
        Measurement(MULTIPLICATIONS, cost),
        Measurement(STEPS_TAKEN, at),
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
