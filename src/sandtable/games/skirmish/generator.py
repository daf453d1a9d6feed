"""New levels for Skirmish: four layers of Perlin noise, and towns where both sides have a chance.

The thesis tells of four layers, and of land where their sum is above -0.2. The layers' 3, 6, 12 and
24 cells across the map and their weights 1, 1/2, 1/4 and 1/8 are those of its author's program.
Ours is that each layer is shifted by a random part of a cell (noise is zero at the corners of its
cells, which would otherwise fall on the same squares in every level), and where towns stand.

Levels have numbers, and nobody may be judged on a level that somebody was trained on: there are
ranges for either, and they have nothing in common whatever seed is chosen. Everything is drawn from
the stream (seed, "skirmish level", attempt), so a seed means one level for ever.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.skirmish.layout import SIDE, SQUARES
from sandtable.games.skirmish.levels import (
    LEAST_NEAR,
    NEAR,
    UNREACHED,
    Level,
    distances,
)

__all__ = [
    "FIRST_TRAINING_LEVEL",
    "LAST_JUDGED",
    "TRAINING_LEVELS",
    "generate_level",
    "judged_levels",
    "noise",
    "perlin_layer",
]

LAYERS = ((3, 1.0), (6, 0.5), (12, 0.25), (24, 0.125))  # cells across the map, weight
LAND_ABOVE = -0.2
ATTEMPTS = 1000

# Numbers of levels. Those above LAST_JUDGED are the champion's to train on.
FIRST_TRAINING_LEVEL = 1_000_000  # Deep-State Learning trains from here on
TRAINING_LEVELS = 1_000_000
JUDGED_APART = 1_000_000  # between the levels of one seed and of the next
LAST_JUDGED = 10**12 - 1

# Narrower than what a level may have at most: nobody needs a lopsided map that was just drawn.
LEAST_STEPS = 4  # from town to town, as on the published levels
MOST_NEAR_DIFFERENCE = 4
MOST_NEARER_DIFFERENCE = 6
LEAST_LAND = 40  # squares that can be reached


def generate_level(seed: int) -> Level:
    """Return the fair level of this seed: connected, with a town for each side.

    >>> print(generate_level(17))
    1x6/8/7t/xx6/8/1x6/5x2/xx2T1x1
    """
    for attempt in range(ATTEMPTS):
        dice = Dice(seed, "skirmish level", attempt)
        land = tuple(map(bool, (noise(dice) > LAND_ABOVE).ravel()))
        pairs = fair_pairs(land)
        if pairs:
            first, second = pairs[dice.below(len(pairs))]
            return Level(land, ((first,), (second,)))
    raise SandtableError(f"no fair level in {ATTEMPTS} attempts with the seed {seed}")


def judged_levels(seed: int, count: int) -> range:
    """Return the numbers of the levels that agents are judged on with a seed: nobody trains there.

    >>> judged_levels(0, 3), judged_levels(1, 3)
    (range(0, 3), range(2000000, 2000003))
    """
    if not 0 < count <= JUDGED_APART:
        raise SandtableError(f"agents are judged on 1 to {JUDGED_APART:,} levels, got {count:,}")
    if seed == 0:
        return range(count)
    after_training = (FIRST_TRAINING_LEVEL + TRAINING_LEVELS) // JUDGED_APART
    blocks = (LAST_JUDGED + 1) // JUDGED_APART - after_training
    first = (after_training + (seed - 1) % blocks) * JUDGED_APART
    return range(first, first + count)


def noise(dice: Dice) -> NDArray[np.float64]:
    """Return the sum of all layers for every square [8, 8]."""
    total = np.zeros((SIDE, SIDE))
    for cells, weight in LAYERS:
        total += weight * perlin_layer(dice, cells)
    return total


def perlin_layer(dice: Dice, cells: int) -> NDArray[np.float64]:
    """Return one layer of noise [8, 8] with so many cells across the map.

    Every corner of a cell gets a gradient; the noise at a place mixes what the gradients of the
    four corners around it say, with weights that are flat at the corners (Perlin 2002).
    """
    corners = cells + 2  # in a row; one more than cells, and one for the shift
    angles = 2.0 * np.pi * np.array([dice.uniform() for _ in range(corners**2)])
    gradients = np.stack([np.sin(angles), np.cos(angles)]).reshape(2, corners, corners)
    places = np.arange(SIDE) * cells / SIDE
    down, right = (np.modf(places + dice.uniform()) for _ in range(2))
    total = np.zeros((SIDE, SIDE))
    for lower in (0, 1):
        for later in (0, 1):
            rows, columns = down[1].astype(int) + lower, right[1].astype(int) + later
            at_corners = gradients[:, rows[:, None], columns[None, :]]
            slope = at_corners[0] * (down[0] - lower)[:, None]
            slope += at_corners[1] * (right[0] - later)[None, :]
            total += share(down[0], lower)[:, None] * share(right[0], later)[None, :] * slope
    return total


def share(within: NDArray[np.float64], corner: int) -> NDArray[np.float64]:
    """Return the weight of the corner before (0) or after (1) places within their cells."""
    faded = within**3 * (within * (within * 6.0 - 15.0) + 10.0)
    return faded if corner else 1.0 - faded


def fair_pairs(land: tuple[bool, ...]) -> list[tuple[int, int]]:
    """Return all places for a town of First and one of Second that are fair to both."""
    squares = [square for square in range(SQUARES) if land[square]]
    steps = {square: distances(land, square) for square in squares}
    near = {square: int((steps[square] <= NEAR).sum()) for square in squares}
    reached = {square: int((steps[square] < UNREACHED).sum()) for square in squares}
    roomy = [s for s in squares if near[s] >= LEAST_NEAR and reached[s] >= LEAST_LAND]
    pairs = []
    for first in (square for square in roomy if square >= SQUARES // 2):
        for second in (square for square in roomy if square < SQUARES // 2):
            lead = int(np.sign(steps[second] - steps[first]).sum())
            if (
                LEAST_STEPS <= steps[first][second] < UNREACHED
                and abs(near[first] - near[second]) <= MOST_NEAR_DIFFERENCE
                and abs(lead) <= MOST_NEARER_DIFFERENCE
            ):
                pairs.append((first, second))
    return pairs
