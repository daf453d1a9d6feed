"""A quick guess which moves are good, by which the champion's search orders them.

History and killers know nothing where a search has only begun, and a small budget ends soon after.
So every move gets a score at once, without a position being produced for it: a sum of a few numbers
from a table, which was fitted to the choices of deeper searches (learning/champion/order.py). What
counts is where a unit leaves and where it goes: danger, protection, and the steps to prey, to
soldiers and to the own buildings.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import read_weights
from sandtable.compiled import kernel
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.agents.champion.features import beside_soldiers, grow, square_count
from sandtable.games.skirmish.layout import KINGS_STEPS, NO_SQUARES, ONE, single
from sandtable.games.skirmish.rules import land_squares

__all__ = [
    "BUNDLED_ORDER",
    "MOST_PARTS",
    "PARTS",
    "Scene",
    "load_order",
    "look",
    "new_scene",
    "parts_of",
    "score",
]

BUNDLED_ORDER = Path(__file__).parent / "weights" / "order.safetensors"

RINGS = 7  # steps that are told apart, from none to six; what is farther counts as seven
PREY, SOLDIERS, HOME = range(3)  # what steps are counted to: enemy units, enemy soldiers, buildings
DISTANCES = RINGS + 1
NEARER, AS_FAR, FARTHER = range(3)
MOST_WORKERS, MOST_BARRACKS, MOST_ROOM = 3, 2, 4  # counts beyond are not told apart
YEARS, BUILDING_YEARS = 14, 10  # half-turns of age that are not told apart
AGES, BUILDING_AGES = 6, 8
KINDS = 5  # kinds of units have numbers from 1

# Where the parts of a score lie in the table.
DANGER = 0  # [mover, attacked here, attacked there, protected there, protected here]
STEPS_TO = DANGER + 2 * 2 * 2 * 2 * 2  # [to what, mover, distance there, change]
ATTACKED = STEPS_TO + 3 * 2 * DISTANCES * 3  # [kind met, protected, mover attacked there]
TAKEN = ATTACKED + KINDS * 2 * 2  # [kind, protected]
SHELTER = TAKEN + KINDS * 2  # [leaves units alone, comes to units that are alone]
AGE = SHELTER + 2 * 2  # [mover, age]
BUILD = AGE + 2 * AGES  # [other workers, barracks, distance of enemy soldiers]
BUILD_AGE = BUILD + (MOST_WORKERS + 1) * (MOST_BARRACKS + 1) * DISTANCES
BUILD_ROOM = BUILD_AGE + BUILDING_AGES
PASSING = BUILD_ROOM + MOST_ROOM + 1
PARTS = PASSING + 1
MOST_PARTS = 12  # of one move


class Scene(NamedTuple):
    """A position in sets of squares, as the side to move sees it."""

    own: NDArray[np.uint64]  # [kind]
    enemy: NDArray[np.uint64]  # [kind]
    around: NDArray[np.uint64]  # [2] beside own soldiers, beside the enemy's
    rings: NDArray[np.uint64]  # [to what, steps] squares at most so many steps away
    free: NDArray[np.uint64]  # [1] land without units
    places: NDArray[np.int64]  # [MOST_PARTS] room for the parts of one move


def load_order() -> NDArray[np.float32]:
    """Read the bundled table [PARTS]."""
    return read_weights(BUNDLED_ORDER, PARTS, "the order of moves of Skirmish's champion")


@kernel
def new_scene() -> Scene:
    """Make room for one position."""
    return Scene(
        np.empty(KINDS, dtype=np.uint64),
        np.empty(KINDS, dtype=np.uint64),
        np.empty(2, dtype=np.uint64),
        np.empty((3, RINGS), dtype=np.uint64),
        np.empty(1, dtype=np.uint64),
        np.empty(MOST_PARTS, dtype=np.int64),
    )


@kernel
def look(position: NDArray[np.int16], seat: int, scene: Scene) -> None:
    """Write what the moves of a position have in common."""
    own, enemy, rings = scene.own, scene.enemy, scene.rings
    sign = 1 if seat == layout.FIRST else -1
    own[:] = NO_SQUARES
    enemy[:] = NO_SQUARES
    for square in range(layout.SQUARES):
        unit = position[layout.UNITS + square] * sign
        if unit > 0:
            own[unit] |= single(square)
        elif unit < 0:
            enemy[-unit] |= single(square)
    land = land_squares(position)
    buildings, prey = own[layout.TOWN] | own[layout.BARRACKS], NO_SQUARES
    taken = buildings | own[layout.WORKER] | own[layout.SOLDIER] | enemy[layout.SOLDIER]
    for kind in range(layout.TOWN, layout.SOLDIER):
        prey |= enemy[kind]
    scene.free[0] = land & ~(taken | prey)
    scene.around[0] = beside_soldiers(own[layout.SOLDIER])
    scene.around[1] = beside_soldiers(enemy[layout.SOLDIER])
    rings[PREY, 0], rings[SOLDIERS, 0], rings[HOME, 0] = prey, enemy[layout.SOLDIER], buildings
    for what in range(3):
        for ring in range(1, RINGS):
            rings[what, ring] = grow(rings[what, ring - 1]) & land


@kernel
def holds(squares: np.uint64, square: int) -> int:
    """Return 1 if a square is in a set, 0 if not."""
    return int((squares >> np.uint64(square)) & ONE)


@kernel
def steps_to(scene: Scene, what: int, square: int) -> int:
    """Return how many steps over land a square is away from something."""
    for ring in range(RINGS):
        if holds(scene.rings[what, ring], square):
            return ring
    return RINGS


@kernel
def parts_of_building(position: NDArray[np.int16], square: int, scene: Scene) -> int:
    """Write the places of the parts of building on a square; return how many."""
    places, own = scene.places, scene.own
    workers = min(MOST_WORKERS, square_count(own[layout.WORKER]) - 1)
    barracks = min(MOST_BARRACKS, square_count(own[layout.BARRACKS]))
    crowd = workers * (MOST_BARRACKS + 1) + barracks
    places[0] = BUILD + crowd * DISTANCES + steps_to(scene, SOLDIERS, square)
    age = position[layout.AGES + square] // BUILDING_YEARS
    places[1] = BUILD_AGE + min(BUILDING_AGES - 1, age)
    places[2] = BUILD_ROOM + min(MOST_ROOM, square_count(KINGS_STEPS[square] & scene.free[0]))
    return 3


@kernel
def parts_of_soldier(
    position: NDArray[np.int16], here: int, there: int, attacked: int, count: int, scene: Scene
) -> int:
    """Add what only a soldier's step means: whom it takes, meets and leaves alone."""
    places, own = scene.places, scene.own
    taken = abs(int(position[layout.UNITS + there]))
    if taken:
        places[count] = TAKEN + taken * 2 + attacked
        count += 1
    for kind in range(layout.TOWN, layout.SOLDIER + 1):
        met = KINGS_STEPS[there] & scene.enemy[kind]
        if met != NO_SQUARES:
            protected = int((met & ~scene.around[1]) == NO_SQUARES)
            places[count] = ATTACKED + (kind * 2 + protected) * 2 + attacked
            count += 1
    alone = NO_SQUARES
    for kind in range(layout.TOWN, layout.SOLDIER + 1):
        alone |= own[kind] & scene.around[1]
    left = int((KINGS_STEPS[here] & alone & ~KINGS_STEPS[there]) != NO_SQUARES)
    joined = KINGS_STEPS[there] & alone & ~KINGS_STEPS[here] & ~single(here)
    places[count] = SHELTER + left * 2 + int(joined != NO_SQUARES)
    return count + 1


@kernel
def parts_of(position: NDArray[np.int16], action: int, scene: Scene) -> int:
    """Write which numbers of the table a move's score adds up; return how many.

    ``scene`` is that of the position (``look``).
    """
    places = scene.places
    if action == layout.PASS:
        places[0] = PASSING
        return 1
    here = action // layout.STEPS
    if action % layout.STEPS == layout.BUILD:
        return parts_of_building(position, here, scene)
    there = int(layout.DESTINATION[action])
    soldier = abs(int(position[layout.UNITS + here])) == layout.SOLDIER
    mover, guards = int(soldier), scene.around[0]
    if soldier:  # it does not protect itself
        guards = beside_soldiers(scene.own[layout.SOLDIER] & ~single(here))
    attacked = holds(scene.around[1], there)
    danger = (mover * 2 + holds(scene.around[1], here)) * 2 + attacked
    protected = holds(guards, there) * 2 + holds(scene.around[0], here)
    places[0] = DANGER + danger * 4 + protected
    for what in range(3):
        before, after = steps_to(scene, what, here), steps_to(scene, what, there)
        change = NEARER if after < before else (FARTHER if after > before else AS_FAR)
        places[1 + what] = STEPS_TO + ((what * 2 + mover) * DISTANCES + after) * 3 + change
    places[4] = AGE + mover * AGES + min(AGES - 1, position[layout.AGES + here] // YEARS)
    return parts_of_soldier(position, here, there, attacked, 5, scene) if soldier else 5


@kernel
def score(
    position: NDArray[np.int16], action: int, scene: Scene, table: NDArray[np.float32]
) -> float:
    """Return how good a move looks: the higher, the likelier a deeper search would choose it."""
    count = parts_of(position, action, scene)
    total = 0.0
    for index in range(count):
        total += table[scene.places[index]]
    return total
