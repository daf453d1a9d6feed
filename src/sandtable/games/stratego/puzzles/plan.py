"""How the puzzles of Stratego are made: the champion's networks play, screen and judge."""

from __future__ import annotations

import functools

import numpy as np

from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.agent import Champion
from sandtable.games.stratego.puzzles.judge import NetworkJudge
from sandtable.puzzles.judge import Judge
from sandtable.puzzles.plan import PuzzlePlan
from sandtable.types import Game, State

__all__ = ["PLAN"]

BARRAGE = "stratego:variant=barrage"  # eight pieces a side: most moves matter
LEAST_SHARE = 0.5  # of the network's moves: it knows what it wants
MOST_SHARE = 0.995  # beyond that everybody knows it
LOOKED_AT = 3  # moves of the first look
QUICK_SAMPLES = 6
QUICK_MARGIN = 0.06


@functools.cache
def network_judge(weights: str) -> NetworkJudge:
    """Return the judge with a network, read once."""
    return NetworkJudge(weights)


@functools.cache
def player() -> Champion:
    """Return the agent that is asked where to look."""
    return Champion("fitting", mirror=False)


def judge(game: Game) -> Judge:
    """Ask the network that trained on random set-ups."""
    return network_judge("champion")


def second(game: Game) -> Judge:
    """Ask the one that went on with set-ups that look thought about."""
    return network_judge("champion-built")


def asks(state: State) -> bool:
    """Ask where the network clearly prefers a move, and is right as far as a first look tells."""
    if layout.setting_up(np.array(state.position)):
        return False
    moves, logits, _ = player().candidates(state)
    shares = np.exp((logits - logits.max()).astype(np.float64))
    shares /= shares.sum()
    if not LEAST_SHARE <= shares.max() <= MOST_SHARE:
        return False
    best = np.argsort(-shares, kind="stable")[:LOOKED_AT]
    tried = [(int(moves[index]),) for index in best]
    means = network_judge("champion").results(state, tried, QUICK_SAMPLES, Dice(1)).mean(axis=0)
    return bool(means[0] - means[1:].max() >= QUICK_MARGIN)


PLAN = PuzzlePlan(
    players={"": "stratego/champion:mirror=no,temperature=0.5,weights=fitting"},
    judge=judge,
    second=second,
    games=(BARRAGE, BARRAGE, BARRAGE, "stratego"),
    slips=0.15,
    margin=0.06,
    samples=64,
    second_samples=52,
    first_samples=4,
    share=0.8,
    apart=8,
    most_of_a_game=5,
    asks=asks,
)
