"""What the champion believes of pieces that have not moved, corrected by how people set up.

Its network learned what it believes from set-ups of its training: half of them random, which never
have a bomb in the front row. Where set-ups are chosen in play, people's are likelier. A piece that
has not moved still stands where it was put, so its chances are multiplied by how much oftener
people put that rank there than the training did (Bayes' rule with another prior).
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import Dice, below
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.setups import SETUP_SQUARES, draw_setup
from sandtable.games.stratego.agents.people_setups import draw_as_people
from sandtable.games.stratego.rules.placement import put_any_named, put_at_random

__all__ = ["corrected", "people_ratios"]

DRAWN = 20_000  # set-ups from which each of the two shares is counted
LARGEST_RATIO = 8.0  # and its inverse: no rank is made much likelier or unlikelier than that
EIGHTHS, NAMED_EIGHTHS, BUILT_EIGHTHS = 8, 1, 3  # of the set-ups of the training


@kernel
def count_people(counts: NDArray[np.float64], draws: int, dice: NDArray[np.uint64]) -> None:
    """Count the ranks [rank - 1, place of the set-up] of set-ups as people make them."""
    ranks = np.empty(SETUP_SQUARES, dtype=np.int64)
    for _ in range(draws):
        draw_as_people(ranks, dice)
        for place in range(SETUP_SQUARES):
            counts[ranks[place] - layout.SPY, place] += 1.0


@kernel
def count_trained(counts: NDArray[np.float64], draws: int, dice: NDArray[np.uint64]) -> None:
    """Count the ranks [rank - 1, place of the set-up] of set-ups as the training had them."""
    ranks = np.empty(SETUP_SQUARES, dtype=np.int64)
    position = np.empty(layout.POSITION_SIZE, dtype=np.int16)
    seat = layout.as_int64(layout.RED)
    for _ in range(draws):
        kind = below(dice, EIGHTHS)
        if NAMED_EIGHTHS <= kind < NAMED_EIGHTHS + BUILT_EIGHTHS:
            draw_setup(ranks, dice)
        else:
            position[:] = 0
            if kind < NAMED_EIGHTHS:
                put_any_named(position, seat, dice)
            else:
                put_at_random(position, seat, dice)
            for place in range(SETUP_SQUARES):
                square = layout.setup_square(position, seat, layout.as_int64(place))
                cell = layout.as_int64(position[layout.BOARD + square])
                ranks[place] = layout.rank_of(cell)
        for place in range(SETUP_SQUARES):
            counts[ranks[place] - layout.SPY, place] += 1.0


@functools.cache
def people_ratios() -> NDArray[np.float64]:
    """Return how much oftener people put each rank on each place than the training [12, 40].

    A place counts from the front row, left to right; left and right are made alike.

    >>> bool(people_ratios()[layout.BOMB - layout.SPY, 4] > 2)  # a bomb at the end of a lane
    True
    """
    shares = []
    for number, count in enumerate((count_people, count_trained)):
        counts = np.ones((layout.RANKS - 1, SETUP_SQUARES))  # one each, so that nothing is 0
        count(counts, DRAWN, Dice(number, "people's set-ups").array)
        mirrored = counts.reshape(layout.RANKS - 1, -1, layout.SIDE)[..., ::-1]
        shares.append(counts + mirrored.reshape(counts.shape))
    ratios: NDArray[np.float64] = np.clip(shares[0] / shares[1], 1 / LARGEST_RATIO, LARGEST_RATIO)
    return ratios


def corrected(
    chances: NDArray[np.float32], position: NDArray[np.int16], seat: int
) -> NDArray[np.float32]:
    """Return chances [rank - 1, square], on the board as it is, of what a seat does not know."""
    found = chances.copy()
    ratios, other = people_ratios(), 1 - seat
    for place in range(SETUP_SQUARES):
        square = int(layout.setup_square(position, other, place))
        cell = int(position[layout.BOARD + square])
        unseen = layout.owned_by(cell, other) and not cell & (layout.KNOWN | layout.MOVED)
        if unseen:
            weighed = found[:, square] * ratios[:, place]
            found[:, square] = weighed / weighed.sum()
    return found
