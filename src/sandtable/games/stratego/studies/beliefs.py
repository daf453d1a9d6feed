"""A study of the champion's beliefs, by ply: how well ranks are guessed behind people's set-ups.

Scripted players who set up as people do play each other; every few plies a seat's hidden pieces
are guessed from the other side's view, in four ways: every rank that is not excluded alike, by the
counts that the rules leave, by a network of the champion, and by the network with the correction
for how people set up (agents/champion/people_beliefs.py), if it has not trained behind such
set-ups. A network that sees the history of a game is shown it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.game_loop import play_game
from sandtable.arena.statistics.intervals import estimate_mean
from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.agent import Champion
from sandtable.games.stratego.agents.champion.people_beliefs import corrected
from sandtable.games.stratego.agents.champion.search import believed
from sandtable.games.stratego.studies.secrets import hidden_pieces, uniform_chances
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
from sandtable.types import OVER, State

__all__ = ["BELIEF_STUDIES", "guesses"]

GAME = "stratego:setup=choose"
PLAYERS = ("stratego/hunter", "stratego/chaser", "stratego/rusher", "stratego/besieger")
GAMES, QUICK_GAMES = 120, 4
PLIES = (0, 20, 40, 60, 80, 120, 160)  # when ranks are guessed
LEAST_CHANCE = 1e-4
ALIKE, COUNTS, NETWORK, PEOPLE = (
    "all ranks alike",
    "what is left",
    "the network",
    "the network and people's set-ups",
)
WAYS = (ALIKE, COUNTS, NETWORK, PEOPLE)
FRONT = "bombs in front at the start (%)"
TRUTH = "the truth"
SAVED = "bits less than by what is left,"  # by the same pieces


def guesses(reader: Champion, state: State, seat: int) -> dict[str, NDArray[np.float64]]:
    """Return the chances [rank - 1, square] of a seat's pieces by each way, seen by the other."""
    view = state.view(1 - seat)
    position = np.array(view.position)
    uniform = uniform_chances(state.position, seat)
    counts = np.zeros((layout.RANKS - 1, layout.SQUARES))
    for square, chances in uniform.items():
        counts[:, square] = chances[layout.SPY :]
    alike = (counts > 0) / np.maximum((counts > 0).sum(0), 1)
    network = believed(reader.candidates(view)[2], 1 - seat)
    knows = reader.network_for(view).people
    people = network if knows else corrected(network, position, 1 - seat)
    found = {ALIKE: alike, COUNTS: counts}
    for way, believes in ((NETWORK, network), (PEOPLE, people)):
        possible = believes.astype(np.float64) * (counts > 0)  # what the rules exclude is known
        found[way] = possible / np.maximum(possible.sum(0), 1e-9)
    return found


def look(
    found: dict[tuple[str, int], list[float]], reader: Champion, state: State, ply: int
) -> None:
    """Guess the ranks of who is not to move, and keep means over pieces."""
    seat = 1 - state.turn
    pieces = hidden_pieces(state.position, seat)
    if not pieces:
        return
    front = [layout.setup_square(np.array(state.position), seat, index) for index in range(10)]
    if ply == 0:
        true = [piece.rank == layout.BOMB for piece in pieces if piece.square in front]
        found[f"{FRONT}, {TRUTH}", 0].append(100.0 * float(np.mean(true)))
    bits = dict[str, float]()
    for way, chances in guesses(reader, state, seat).items():
        right = [max(float(chances[each.rank - 1, each.square]), LEAST_CHANCE) for each in pieces]
        bits[way] = float(np.mean(-np.log2(right)))
        found[f"bits, {way}", ply].append(bits[way])
        best = [chances[:, each.square].argmax() == each.rank - 1 for each in pieces]
        if way != ALIKE:
            found[f"ranks named (%), {way}", ply].append(100.0 * float(np.mean(best)))
        if ply == 0:
            share = float(chances[layout.BOMB - 1, front].mean())
            found[f"{FRONT}, {way}", 0].append(100.0 * share)
    for way in (NETWORK, PEOPLE):  # of the same pieces, so that the difference is a figure too
        found[f"{SAVED} {way}", ply].append(bits[COUNTS] - bits[way])


def measure_beliefs(weights: str, settings: Settings, report: Report) -> list[Measurement]:
    """Watch games of the scripted players; a look at a game is one observation."""
    count = settings.games or (QUICK_GAMES if settings.quick else GAMES)
    reader = make_agent(f"stratego/champion:weights={weights}")
    assert isinstance(reader, Champion)
    pairs = list(permutations(PLAYERS, 2))
    found: dict[tuple[str, int], list[float]] = defaultdict(list)

    def watch(before: State, mover: int, chosen: list[int], after: State) -> None:
        reader.watch(after.view(1 - mover), chosen[-1])
        position = np.array(after.position)
        ply = int(position[layout.PLIES])
        if after.turn != OVER and not layout.setting_up(position) and ply in PLIES:
            look(found, reader, after, ply)

    with report(f"beliefs of {weights}", count) as progress:
        for number in range(count):
            specs = list(pairs[number % len(pairs)])
            agents = [make_agent(spec) for spec in specs]
            reader.begin(make_game(GAME), 0, Dice(number, "reader"))
            play_game(
                make_game(GAME),
                agents,
                specs=specs,
                seed=settings.seed,
                number=number,
                watcher=watch,
            )
            progress(1)
    return [measured(quantity, ply, values) for (quantity, ply), values in found.items()]


def measured(quantity: str, ply: int, values: list[float]) -> Measurement:
    """Return a mean with its interval, and its place on the curve."""
    estimate = estimate_mean(np.array(values))
    return Measurement.of(quantity, estimate, at=float(ply))


def judge_beliefs(measured: Measured) -> Finding:
    """Say whether the champion knows more than the counts at every ply, and what the network adds.

    What it believes behind people's set-ups is the network with the correction.
    """
    words, saved = [], []
    for name, figures in measured.items():
        saved += [each for each in figures if each.quantity == f"{SAVED} {PEOPLE}"]
        means = {way: mean_of(figures, f"bits, {way}") for way in WAYS}
        front = {way: mean_of(figures, f"{FRONT}, {way}") for way in (TRUTH, NETWORK, PEOPLE)}
        bits = ", ".join(f"{way} {value:.2f}" for way, value in means.items())
        bombs = ", ".join(f"{way} {value:.1f}%" for way, value in front.items())
        words.append(f"{name}: {bits}; bombs in front at the start: {bombs}")
    told = f"Bits to name a rank, mean over plies. {'. '.join(words)}."
    return Finding(verdict_on(saved), told)


def verdict_on(saved: Sequence[Measurement]) -> str:
    """Return whether differences are all above nothing, all below, or it cannot be told.

    >>> verdict_on([Measurement("saved", 0.1, 0.05, 0.15), Measurement("saved", 0.1, -0.05, 0.2)])
    'cannot be told'
    """
    if saved and all(each.low is not None and each.low > 0 for each in saved):
        return AGREES
    if saved and all(each.high is not None and each.high < 0 for each in saved):
        return CONTRADICTS
    return CANNOT_BE_TOLD


def mean_of(figures: Sequence[Measurement], quantity: str) -> float:
    """Return the mean of a quantity over its curve, or 0 if it was not measured."""
    values = [figure.value for figure in figures if figure.quantity == quantity]
    return sum(values) / max(len(values), 1)


BELIEF_STUDIES = (
    Study(
        "beliefs",
        "Stratego: what the champion believes behind people's set-ups, by ply",
        "ours; the paper has no beliefs",
        "the champion knows more of hidden ranks than counting tells, at every ply",
        (
            Variant(
                "built",
                "the first champion's network for chosen set-ups",
                partial(measure_beliefs, "champion-built"),
            ),
            Variant(
                "schooled",
                "the champion's network, which sees the history",
                partial(measure_beliefs, "champion-schooled"),
            ),
        ),
        judge_beliefs,
        horizontal="ply",
        minutes=2,
    ),
)
