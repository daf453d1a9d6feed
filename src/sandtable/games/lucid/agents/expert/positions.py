"""Expert games of Operation Lucid as a table of positions in which to look moves up (report, 3.1).

An entry is a turn of one seat: the reference position, the movelets, and the position they led to.
Every turn is entered twice, as it was played and mirrored left to right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.errors import SandtableError
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.expert.games import ExpertGame
from sandtable.types import Position

__all__ = ["Entries", "Entry", "entries_of", "mirrored_actions", "mirrored_position", "nearest"]

DEFENDER_PENALTY = 1
BOARDS = (rules.BLUE, rules.RED, rules.ATTACKER, rules.ARRIVED)
MIRROR = np.array(
    [
        node // rules.SIDE * rules.SIDE + rules.SIDE - 1 - node % rules.SIDE
        for node in range(rules.NODES)
    ]
)


def mirrored_position(position: Position) -> Position:
    """Return a position with west and east exchanged."""
    mirrored = np.array(position)
    for board in BOARDS:
        mirrored[board : board + rules.NODES] = position[board + MIRROR]
    return mirrored


def mirrored_actions(actions: Sequence[int]) -> tuple[int, ...]:
    """Return movelets with west and east exchanged."""
    swapped = {rules.EAST: rules.WEST, rules.WEST: rules.EAST}
    found = []
    for action in actions:
        node, direction = divmod(action, rules.DIRECTIONS)
        found.append(int(MIRROR[node]) * rules.DIRECTIONS + swapped.get(direction, direction))
    return tuple(found)


@dataclass(frozen=True)
class Entry:
    """One turn of an expert."""

    game: str  # the id of the game
    turn: int
    mirrored: bool
    before: Position
    actions: tuple[int, ...]  # the movelets in the order in which they were played
    desired: NDArray[np.int16]  # [25] own units on the nodes after the move

    @property
    def name(self) -> str:
        """Where this comes from, in words."""
        return f"game {self.game}, turn {self.turn}" + (", mirrored" if self.mirrored else "")


@dataclass(frozen=True)
class Entries:
    """All turns of one seat."""

    entries: tuple[Entry, ...]
    positions: NDArray[np.int16]  # [entry, cell], for the search

    def nearest(self, position: Position) -> tuple[Entry, int]:
        """Return the most similar reference position, the first of equals, and its distance."""
        index, distance = nearest(self.positions, np.array(position))
        return self.entries[index], int(distance)


@kernel
def nearest(positions: NDArray[np.int16], position: NDArray[np.int16]) -> tuple[int, int]:
    """Return the row of the nearest position and its distance.

    The distance is the sum over all nodes of the differences in Blue and in Red units and of a
    penalty where others attack, and the difference in turns left.
    """
    best, smallest = 0, 1 << 30
    for row in range(len(positions)):
        distance = abs(positions[row, rules.PLAYED] - position[rules.PLAYED])
        for node in range(rules.NODES):
            distance += abs(positions[row, rules.BLUE + node] - position[rules.BLUE + node])
            distance += abs(positions[row, rules.RED + node] - position[rules.RED + node])
            if positions[row, rules.ATTACKER + node] != position[rules.ATTACKER + node]:
                distance += DEFENDER_PENALTY
        if distance < smallest:
            best, smallest = row, distance
    return best, smallest


def entries_of(games: Sequence[ExpertGame], seat: int, where: str) -> Entries:
    """Collect the turns of one seat, each also mirrored; refuse games without any."""
    found = []
    own = rules.own_board(seat)
    for game in games:
        for turn in game.turns:
            if turn.seat != seat:
                continue
            units = turn.after[own : own + rules.NODES]
            name = game.record.identity
            found.append(Entry(name, turn.number, False, turn.before, turn.actions, units))
            before, actions = mirrored_position(turn.before), mirrored_actions(turn.actions)
            found.append(Entry(name, turn.number, True, before, actions, units[MIRROR]))
    if not found:
        side = "blue" if own == rules.BLUE else "red"
        raise SandtableError(f"no turn of {side} is in {where}: there is nothing to imitate")
    return Entries(tuple(found), np.array([entry.before for entry in found], dtype=np.int16))
