"""Positions of experts at Operation Lucid, to be looked up by their distance (report, section 3.7).

Every turn of an expert is an entry, and if wanted a second one with west and east exchanged. The
distance is the published one; its parts can be given other weights.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.errors import SandtableError
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.expert.games import ExpertGame, read_expert_games
from sandtable.games.lucid.rules import Cells
from sandtable.types import Position

__all__ = ["PUBLISHED_DISTANCE", "Distance", "Entries", "Entry", "entries_from", "entries_of"]

BOARDS = (rules.BLUE, rules.RED, rules.ATTACKER, rules.ARRIVED)
MIRROR = np.array(
    [
        node // rules.SIDE * rules.SIDE + rules.SIDE - 1 - node % rules.SIDE
        for node in range(rules.NODES)
    ]
)


@dataclass(frozen=True)
class Distance:
    """What the parts of a distance weigh; the published one gives every part the weight 1."""

    nodes: tuple[float, ...] = (1.0,) * rules.NODES  # differences in units, by node
    turns: float = 1.0  # the difference in turns left
    defender: float = 1.0  # each node where another side attacks

    @classmethod
    def parse(cls, nodes: str, turns: float, defender: float) -> Distance:
        """Read the weights of nodes: a digit for each row from 1 to 5, or for each node from a1 on.

        ValueError for anything else, and for weights below 0.

        >>> Distance.parse("11123", 1, 1).nodes[:: rules.SIDE]
        (1.0, 1.0, 1.0, 2.0, 3.0)
        >>> Distance.parse("", 1, 1) == PUBLISHED_DISTANCE
        True
        """
        if nodes and not (nodes.isascii() and nodes.isdigit() and len(nodes) in (5, rules.NODES)):
            raise ValueError(
                f"node_weights is a digit for each row from 1 to 5, or for each of the "
                f"{rules.NODES} nodes from a1 on, got '{nodes}'"
            )
        if turns < 0 or defender < 0:
            raise ValueError(f"weights are at least 0, got {min(turns, defender):g}")
        digits = [float(digit) for digit in nodes or "1" * rules.SIDE]
        repeats = rules.NODES // len(digits)
        return cls(tuple(digit for digit in digits for _ in range(repeats)), turns, defender)


PUBLISHED_DISTANCE = Distance()


def mirrored_position(position: Position) -> Position:
    """Return a position with west and east exchanged."""
    mirrored = np.array(position)
    for board in BOARDS:
        mirrored[board : board + rules.NODES] = position[board + MIRROR]
    return mirrored


def mirrored_actions(actions: Sequence[int]) -> tuple[int, ...]:
    """Return movelets with west and east exchanged: a1-b1 becomes e1-d1.

    >>> mirrored_actions([rules.EAST]) == (4 * rules.DIRECTIONS + rules.WEST,)
    True
    """
    swapped = {rules.EAST: rules.WEST, rules.WEST: rules.EAST}
    mirrored = []
    for action in actions:
        node, direction = divmod(action, rules.DIRECTIONS)
        mirrored.append(int(MIRROR[node]) * rules.DIRECTIONS + swapped.get(direction, direction))
    return tuple(mirrored)


@dataclass(frozen=True)
class Entry:
    """One turn of an expert."""

    game: str  # the id of the game
    turn: int
    mirrored: bool
    before: Position
    actions: tuple[int, ...]  # the movelets in the order in which they were played
    desired: Cells  # [25] own units on the nodes after the move

    @property
    def name(self) -> str:
        """Where this comes from, in words."""
        return f"game {self.game}, turn {self.turn}" + (", mirrored" if self.mirrored else "")


@dataclass(frozen=True)
class Entries:
    """All turns of one seat."""

    entries: tuple[Entry, ...]
    positions: Cells  # [entry, cell], for the search

    def nearest(
        self, position: Position, distance: Distance = PUBLISHED_DISTANCE
    ) -> tuple[Entry, float]:
        """Return the most similar reference position, the first of equals, and its distance."""
        index, smallest = nearest(
            self.positions,
            np.array(position),
            np.array(distance.nodes),
            distance.turns,
            distance.defender,
        )
        return self.entries[index], float(smallest)


@kernel
def nearest(
    positions: Cells,
    position: Cells,
    node_weights: NDArray[np.float64],
    turns_weight: float,
    defender_weight: float,
) -> tuple[int, float]:
    """Return the row of the nearest position and its distance.

    The distance is the sum over all nodes of the differences in Blue and in Red units and of a
    penalty where others attack, and the difference in turns left, each with its weight.
    """
    best, smallest = 0, np.inf
    for row in range(len(positions)):
        turns = abs(positions[row, rules.PLAYED] - position[rules.PLAYED])
        distance = turns_weight * turns
        for node in range(rules.NODES):
            blue = abs(positions[row, rules.BLUE + node] - position[rules.BLUE + node])
            red = abs(positions[row, rules.RED + node] - position[rules.RED + node])
            distance += node_weights[node] * (blue + red)
            if positions[row, rules.ATTACKER + node] != position[rules.ATTACKER + node]:
                distance += defender_weight
        if distance < smallest:
            best, smallest = row, distance
    return best, smallest


def entries_of(games: Sequence[ExpertGame], seat: int, where: str, mirror: bool = True) -> Entries:
    """Collect the turns of one seat, each also mirrored if wanted; refuse games without any."""
    entries = []
    own = rules.own_board(seat)
    for game in games:
        for turn in game.turns:
            if turn.seat != seat:
                continue
            units = turn.after[own : own + rules.NODES]
            name = game.record.identity
            entries.append(Entry(name, turn.number, False, turn.before, turn.actions, units))
            if mirror:
                before, actions = mirrored_position(turn.before), mirrored_actions(turn.actions)
                entries.append(Entry(name, turn.number, True, before, actions, units[MIRROR]))
    if not entries:
        side = "blue" if own == rules.BLUE else "red"
        raise SandtableError(f"no turn of {side} is in {where}: there is nothing to imitate")
    return Entries(tuple(entries), np.array([entry.before for entry in entries], dtype=np.int16))


@functools.cache
def entries_from(path: Path, seat: int, mirror: bool = True) -> Entries:
    """Read a database once for all games of this process."""
    return entries_of(read_expert_games(path), seat, str(path), mirror)
