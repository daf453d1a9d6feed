"""Which reading of "distance" gives the example printed in figure 4.1 of the report?

The example: a group of five units on two nodes sees (distance, resistance) of (2, 1), (2, 2),
(3, 1), (4, 3) and (7, 2), and there are nine Red units. Every placement of nine Red units is tried
for every such group, under each reading of what the best path to an exit is. Other Blue groups are
in nobody's way, so their places do not matter.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.force_groups import PATHS, PathPrices, group_paths, sort_pairs
from sandtable.games.lucid.rules import Cells, Integers
from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import (
    AGREES,
    CONTRADICTS,
    Finding,
    Measured,
    Measurement,
    Study,
    Variant,
)

__all__ = ["EXAMPLE", "STUDIES", "possible_groups", "search"]

EXAMPLE = (2, 1, 2, 2, 3, 1, 4, 3, 7, 2)  # the pairs as printed
RED_UNITS = 9


class Found(NamedTuple):
    """What a search over all placements of Red found."""

    placements: int
    matches: int
    at_home: int  # of the matches those with all Red units on the top row
    first: tuple[int, ...]  # Red's units on all nodes in the first match; nothing without one


@kernel
def pairs_of(
    position: Cells, group_of: Integers, prices: PathPrices, features: NDArray[np.float64]
) -> None:
    """Write the sorted pairs (distance, resistance) of the only Blue group."""
    steps = np.empty(rules.NODES, dtype=np.int64)
    resistance = np.empty(rules.NODES, dtype=np.int64)
    group_paths(position, rules.BLUE_SEAT, group_of, 0, prices, steps, resistance)
    for column in range(rules.SIDE):
        features[2 * column] = steps[rules.FIRST_OF_TOP_ROW + column]
        features[2 * column + 1] = resistance[rules.FIRST_OF_TOP_ROW + column]
    sort_pairs(features)


@kernel
def search_placements(
    group_of: Integers,
    free: Integers,
    red_units: int,
    prices: PathPrices,
    wanted: NDArray[np.float64],
    first: Integers,
) -> tuple[int, int, int]:
    """Try every placement of Red on the free nodes; write the first match, return the counts."""
    position = np.zeros(rules.POSITION_SIZE, dtype=np.int16)
    features = np.empty(2 * rules.SIDE)
    units = np.zeros(len(free), dtype=np.int64)
    placements, matches, at_home = 0, 0, 0
    left, place = red_units, 0
    units[0] = min(rules.CAPACITY, left)
    left -= units[0]
    while True:
        # All behind this place are empty; fill them greedily, so that the first are the fullest.
        while left > 0 and place < len(free) - 1:
            place += 1
            units[place] = min(rules.CAPACITY, left)
            left -= units[place]
        if left == 0:
            placements += 1
            for index in range(len(free)):
                position[rules.RED + free[index]] = units[index]
            pairs_of(position, group_of, prices, features)
            same = True
            for index in range(len(wanted)):
                same = same and features[index] == wanted[index]
            if same:
                if matches == 0:
                    for node in range(rules.NODES):
                        first[node] = position[rules.RED + node]
                matches += 1
                home = 0
                for node in range(rules.FIRST_OF_TOP_ROW, rules.NODES):
                    home += position[rules.RED + node]
                at_home += 1 if home == red_units else 0
        # The last place cannot be filled otherwise; take one unit off the last one before it.
        left += units[len(free) - 1]
        units[len(free) - 1] = 0
        place = len(free) - 2
        while place >= 0 and units[place] == 0:
            place -= 1
        if place < 0:
            return placements, matches, at_home
        units[place] -= 1
        left += 1


def possible_groups() -> list[tuple[int, int]]:
    """Return the pairs of nodes whose distances can become those printed, mirrored ones left out.

    Red can only force detours, and those are two steps or a multiple of it longer.

    >>> possible_groups()  # a3 b3, b3 c3, b3 b4
    [(10, 11), (11, 12), (11, 16)]
    """
    groups = []
    for one, other in itertools.combinations(range(rules.NODES), 2):
        beside = other == one + rules.SIDE or (other == one + 1 and other % rules.SIDE)
        if beside and can_become(one, other) and one % rules.SIDE + other % rules.SIDE < rules.SIDE:
            groups.append((one, other))
    return groups


def can_become(one: int, other: int) -> bool:
    """Say whether detours can lead from the shortest distances to those printed."""
    shortest = [
        min(
            abs(node % rules.SIDE - column) + rules.SIDE - 1 - node // rules.SIDE
            for node in (one, other)
        )
        for column in range(rules.SIDE)
    ]
    return any(
        all(
            printed == least or (printed > least > 0 and (printed - least) % 2 == 0)
            for printed, least in zip(order, shortest, strict=True)
        )
        for order in itertools.permutations(EXAMPLE[::2])
    )


def search(
    paths: str,
    group: tuple[int, int],
    red_units: int = RED_UNITS,
    wanted: Sequence[int] = EXAMPLE,
) -> Found:
    """Try every placement of Red units for a group that is to see these pairs."""
    group_of = np.full(rules.NODES, -1, dtype=np.int64)
    group_of[list(group)] = 0
    free = np.array([node for node in range(rules.NODES) if node not in group])
    first = np.full(rules.NODES, -1, dtype=np.int64)
    pairs = np.array(wanted, dtype=np.float64)
    placements, matches, at_home = search_placements(
        group_of, free, red_units, PATHS[paths], pairs, first
    )
    example = tuple(map(int, first)) if matches else ()
    return Found(int(placements), int(matches), int(at_home), example)


def reading_variant(paths: str) -> Variant:
    """Return a variant that is one reading."""

    def measure(settings: Settings, report: Report) -> Sequence[Measurement]:
        found = []
        with report(f"placements, {paths}", len(possible_groups())) as progress:
            for group in possible_groups():
                found.append(search(paths, group))
                progress(1)
        tried = sum(each.placements for each in found)
        return [
            Measurement(name, float(sum(values)), count=tried, counted="placements")
            for name, values in (
                ("placements with the printed pairs", [each.matches for each in found]),
                ("of these with Red on the top row only", [each.at_home for each in found]),
            )
        ]

    return Variant(paths, f"{paths.replace('-', ' ')} path", measure)


def judge_reading(measured: Measured) -> Finding:
    """Say which readings give the example."""
    giving = [name for name, figures in measured.items() if figures[0].value > 0]
    at_home = [name for name, figures in measured.items() if figures[1].value > 0]
    if not giving:
        return Finding(CONTRADICTS, "no reading gives the printed example.")
    home = "" if at_home else ", and only where Red units have left the top row"
    return Finding(AGREES, f"given by: {', '.join(giving)}{home}.")


STUDIES: tuple[Study, ...] = (
    Study(
        name="semantic-example",
        title="The example of a force group's view: which path to an exit is meant?",
        source="report of 2003, figure 4.1",
        claim="a group sees the exits at (2,1), (2,2), (3,1), (4,3) and (7,2); which paths these "
        "distances belong to is not said.",
        variants=tuple(map(reading_variant, PATHS)),
        judge=judge_reading,
        minutes=5,
    ),
)
