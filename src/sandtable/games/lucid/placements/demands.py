"""Whole moves of Operation Lucid as placements: listing, drawing and playing them under demands.

A move is chosen by where the units shall stand afterwards. Demands ask for minimum numbers of units
in areas; where they cannot all be met they are relaxed one unit at a time, in a fixed order, until
some placement meets them (report, section 3.4, table 3.2). What that section proposes instead can
be chosen: a drawn order, or units taken off only at the bottlenecks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid import rules
from sandtable.games.lucid.notation import LucidNotation
from sandtable.games.lucid.placements.movelets import route, write_movelets
from sandtable.games.lucid.placements.sampling import MOST_AREAS, Demands, build_lattice, draw_moves
from sandtable.games.lucid.placements.search import (
    GOAL_SHIFT,
    TOO_MANY,
    search,
    without_needless_entries,
)
from sandtable.games.lucid.rules import Cells
from sandtable.types import Position

Codes = NDArray[np.int64]  # [placement], as described in search.py

PUBLISHED_ORDER = tuple(
    row * rules.SIDE + column for column in range(rules.SIDE) for row in range(rules.SIDE)
)
MOST_LISTED = 20_000_000
MOST_GENERATED = 20_000
FIXED, RANDOM, BOTTLENECKS = "fixed", "random", "bottlenecks"
RELAXATIONS = (FIXED, RANDOM, BOTTLENECKS)  # how demands that cannot be met are relaxed
LISTED_PER_MOVE = 4  # listing goes through half-made placements too; so many times the result


@dataclass(frozen=True)
class Demand:
    """A wanted minimum number of the mover's units in an area after the move."""

    nodes: frozenset[int]  # by number; TO_GOAL counts the units that get there in this move
    units: int


@dataclass(frozen=True)
class Generated:
    """The placements found for some demands, and how far those had to be relaxed."""

    codes: Codes
    demands: tuple[Demand, ...]  # as they were met
    relaxed: int  # units taken off the demands
    complete: bool  # all placements that meet them; otherwise a sample


def as_arrays(demands: Sequence[Demand]) -> Demands:
    """Write demands as the kernels want them."""
    if len(demands) > MOST_AREAS:
        raise SandtableError(f"there can be {MOST_AREAS} demands at once, got {len(demands)}")
    fields = np.zeros(len(demands), dtype=np.int64)
    for index, demand in enumerate(demands):
        for node in demand.nodes - {rules.TO_GOAL}:
            fields[index] |= 3 << (2 * node)
    with_goal = np.array([rules.TO_GOAL in demand.nodes for demand in demands], dtype=np.bool_)
    # More than all units can never be met, whatever the number; and four bits must hold it.
    minimum = [min(demand.units, rules.BLUE_UNITS + 1) for demand in demands]
    return Demands(fields, with_goal, np.array(minimum, dtype=np.int64))


def node_demands(units: Sequence[int] | Cells) -> tuple[Demand, ...]:
    """Ask for these numbers of units on the nodes (by number), in the published order.

    >>> node_demands([2] + [0] * 24)
    (Demand(nodes=frozenset({0}), units=2),)
    """
    wanted = [(node, int(units[node])) for node in PUBLISHED_ORDER]
    return tuple(Demand(frozenset({node}), count) for node, count in wanted if count > 0)


def relaxations(demands: Sequence[Demand]) -> Iterator[tuple[Demand, ...]]:
    """Yield the demands, then again and again with one unit less in one of them.

    The demands are gone through in their order, over and over, and those that are down to nothing
    are passed by; the last set asks for nothing at all.
    """
    current = list(demands)
    yield tuple(current)
    while any(demand.units > 0 for demand in current):
        for index, demand in enumerate(current):
            if demand.units > 0:
                current[index] = Demand(demand.nodes, demand.units - 1)
                yield tuple(current)


def check_mover(position: Position) -> None:
    """Refuse positions in which nobody is to move."""
    if position[rules.MOVER] < 0:
        raise SandtableError(f"nobody moves in {LucidNotation().position_line(position)}")


def active_demands(demands: Sequence[Demand]) -> list[Demand]:
    """Leave out demands for nothing."""
    return [demand for demand in demands if demand.units > 0]


def hopeless(position: Position, demands: Sequence[Demand]) -> bool:
    """Say whether something is demanded of a side without units; the kernels count on some."""
    own = rules.own_board(int(position[rules.MOVER]))
    return bool(active_demands(demands)) and not position[own : own + rules.NODES].any()


def all_placements(
    position: Position, demands: Sequence[Demand] = (), limit: int = MOST_LISTED
) -> Codes:
    """Return every placement that meets the demands, each once; SandtableError beyond the limit.

    >>> position = LucidNotation().parse_position("5/5/5/5/b2,4 b 20 4 -")
    >>> len(all_placements(position)), len(all_placements(position, [Demand(frozenset({5}), 1)]))
    (6, 3)

    Of the ways to reach one it is that which enters the fewest nodes the mover defends.
    """
    check_mover(position)
    if hopeless(position, demands):
        return np.zeros(0, dtype=np.int64)
    codes, count = search(np.array(position), *as_arrays(active_demands(demands)), limit)
    if count == TOO_MANY:
        line = LucidNotation().position_line(position)
        raise SandtableError(f"more than {limit:,} placements from {line}; demand more, or sample")
    return without_needless_entries(codes[:count])


def count_moves(position: Position, demands: Sequence[Demand] = ()) -> int:
    """Return how many moves (multisets of movelets) meet the demands."""
    check_mover(position)
    if hopeless(position, demands):
        return 0
    return int(build_lattice(np.array(position), as_arrays(active_demands(demands))).moves[0])


def drawn_placements(
    position: Position, demands: Sequence[Demand], count: int, dice: Dice
) -> Codes:
    """Return the placements of moves drawn uniformly from those that meet the demands.

    Placements reached by several moves are the more likely ones; each comes back once. Without any
    move that meets the demands there are none.
    """
    check_mover(position)
    own, arrays = np.array(position), as_arrays(active_demands(demands))
    lattice = build_lattice(own, arrays)
    if lattice.moves[0] == 0 or hopeless(position, demands):
        return np.zeros(0, dtype=np.int64)
    codes = np.zeros(count, dtype=np.int64)
    draw_moves(own, arrays, lattice, dice.array, codes)
    return without_needless_entries(np.unique(codes))


def check_relaxation(relaxation: str) -> str:
    """Return a way of relaxing if there is one of this name; ValueError otherwise.

    >>> check_relaxation("random")
    'random'
    """
    if relaxation not in RELAXATIONS:
        raise ValueError(f"relaxation is one of {', '.join(RELAXATIONS)}, got '{relaxation}'")
    return relaxation


def relaxed_demands(
    position: Position, demands: Sequence[Demand], dice: Dice, relaxation: str = FIXED
) -> tuple[Demand, ...]:
    """Return the demands, or what is left of them when they can be met in one move.

    >>> position = LucidNotation().parse_position("5/5/5/5/b2,4 b 20 4 -")
    >>> far, near = Demand(frozenset({24}), 2), Demand(frozenset({0}), 2)
    >>> [each.units for each in relaxed_demands(position, [near, far], Dice(0))]
    [0, 0]
    >>> [each.units for each in relaxed_demands(position, [near, far], Dice(0), BOTTLENECKS)]
    [2, 0]
    """
    if count_moves(position, demands):
        return tuple(demands)
    if relaxation == BOTTLENECKS:
        return relaxed_at_bottlenecks(position, demands)
    order = drawn_order(demands, dice) if relaxation == RANDOM else demands
    for current in islice(relaxations(order), 1, None):
        if count_moves(position, current):
            return current
    raise AssertionError("with no demands left there is always a move")


def drawn_order(demands: Sequence[Demand], dice: Dice) -> list[Demand]:
    """Return demands in an order drawn anew, each as likely."""
    order, rest = [], list(demands)
    while rest:
        order.append(rest.pop(dice.below(len(rest))))
    return order


def relaxed_at_bottlenecks(position: Position, demands: Sequence[Demand]) -> tuple[Demand, ...]:
    """Take units off only where that is needed: none of the demands could keep one more.

    The demands are built up from nothing, one unit each in turn; one that cannot be raised beside
    the others is a bottleneck and stays where it is.
    """
    met = [0] * len(demands)

    def current() -> tuple[Demand, ...]:
        pairs = zip(demands, met, strict=True)
        return tuple(Demand(demand.nodes, units) for demand, units in pairs)

    def raised(indices: Sequence[int]) -> list[int]:
        """Raise as many of these as can be, the first ones first, and return them."""
        for index in indices:
            met[index] += 1
        if count_moves(position, current()):
            return list(indices)
        for index in indices:
            met[index] -= 1
        half = len(indices) // 2
        return raised(indices[:half]) + raised(indices[half:]) if half else []

    rising = list(range(len(demands)))
    while rising := [index for index in rising if met[index] < demands[index].units]:
        rising = raised(rising)
    return current()


def generate(
    position: Position,
    demands: Sequence[Demand],
    dice: Dice,
    most: int = MOST_GENERATED,
    relaxation: str = FIXED,
) -> Generated:
    """Relax the demands until some placement meets them, and return those that do.

    If there are more than about ``most``, so many moves are drawn instead.
    """
    current = relaxed_demands(position, demands, dice, relaxation)
    relaxed = sum(demand.units for demand in demands) - sum(demand.units for demand in current)
    codes, count = search(
        np.array(position), *as_arrays(active_demands(current)), LISTED_PER_MOVE * most
    )
    if 0 <= count <= most:
        kept = without_needless_entries(codes[:count])
        return Generated(kept, current, relaxed, complete=True)
    drawn = drawn_placements(position, current, most, dice)
    return Generated(drawn, current, relaxed, complete=False)


def units_of(code: int) -> Cells:
    """Return the units of a placement [26]: on the nodes, and those that reach the goal.

    >>> units_of(0b1110)[:3].tolist()
    [2, 3, 0]
    """
    places = [(int(code) >> (2 * node)) & rules.CAPACITY for node in range(rules.NODES)]
    return np.array([*places, (int(code) >> GOAL_SHIFT) & 15], dtype=np.int16)


def movelets_to(position: Position, code: int) -> list[int]:
    """Return the movelets that lead to a placement, in a legal order and closed by END.

    SandtableError if it cannot be reached in one turn.
    """
    flow = np.zeros(rules.END, dtype=np.int64)
    if not route(np.array(position), code, flow):
        line = LucidNotation().position_line(position)
        raise SandtableError(f"the placement cannot be reached in one turn from {line}")
    actions = np.zeros(rules.BLUE_UNITS + 1, dtype=np.int16)
    return [int(action) for action in actions[: write_movelets(flow, actions)]]


@kernel
def put_after(position: Cells, code: int, marks: NDArray[np.int64], after: Cells) -> None:
    """Write the position after the movelets to a placement, the turn not closed yet.

    Units that arrived are marked where the numbers show it or a defended node was entered, which
    is where it matters; ``marks`` comes from ``defended_nodes``.
    """
    own = rules.own_board(position[rules.MOVER])
    for cell in range(rules.POSITION_SIZE):
        after[cell] = position[cell]
    for node in range(rules.NODES):
        units = (code >> (2 * node)) & rules.CAPACITY
        arrived = max(units - position[own + node], 0)
        if arrived == 0 and (code & marks[node]) != 0:
            arrived = 1
        after[own + node] = units
        after[rules.ARRIVED + node] += arrived
        if units == arrived:  # nobody is left of those who fought there
            after[rules.ATTACKER + node] = rules.NOBODY
    if position[rules.MOVER] == rules.BLUE_SEAT:
        after[rules.GOAL] += (code >> GOAL_SHIFT) & 15
