"""The four imitation agents of Operation Lucid (report, sections 3.1 and 3.3 to 3.6).

All look up the most similar position in which an expert moved. The first repeats the movelets, the
second tries to reach the same placement and leaves the rest to the evaluator, the third does the
one and then the other, and the fourth too, with the expert's move seen node by node: a node that
was emptied is emptied, one where a single unit was kept as supply keeps one, and others split as
the expert split them.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, Explanation
from sandtable.compiled import kernel
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.evaluator.network import best_placement, load_weights, path_of
from sandtable.games.lucid.agents.expert.games import BUNDLED_GAMES, ExpertGame, read_expert_games
from sandtable.games.lucid.placements.demands import Generated, generate, movelets_to, node_demands
from sandtable.games.lucid.placements.movelets import playable_movelets, units_on
from sandtable.games.lucid.rules import Cells
from sandtable.types import Position, State

__all__ = [
    "Entries",
    "Entry",
    "ImitatedMove",
    "Imitation1",
    "Imitation2",
    "Imitation3",
    "Imitation4",
]

USUAL_CANDIDATES = 20_000
USUAL_WEIGHTS = "td"
DEFENDER_PENALTY = 1
BOARDS = (rules.BLUE, rules.RED, rules.ATTACKER, rules.ARRIVED)
MIRROR = np.array(
    [
        node // rules.SIDE * rules.SIDE + rules.SIDE - 1 - node % rules.SIDE
        for node in range(rules.NODES)
    ]
)


# --- positions of experts, to be looked up -------------------------------------------------------

# Every turn of an expert is entered twice, as it was played and mirrored left to right.


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

    def nearest(self, position: Position) -> tuple[Entry, int]:
        """Return the most similar reference position, the first of equals, and its distance."""
        index, distance = nearest(self.positions, np.array(position))
        return self.entries[index], int(distance)


@kernel
def nearest(positions: Cells, position: Cells) -> tuple[int, int]:
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
    entries = []
    own = rules.own_board(seat)
    for game in games:
        for turn in game.turns:
            if turn.seat != seat:
                continue
            units = turn.after[own : own + rules.NODES]
            name = game.record.identity
            entries.append(Entry(name, turn.number, False, turn.before, turn.actions, units))
            before, actions = mirrored_position(turn.before), mirrored_actions(turn.actions)
            entries.append(Entry(name, turn.number, True, before, actions, units[MIRROR]))
    if not entries:
        side = "blue" if own == rules.BLUE else "red"
        raise SandtableError(f"no turn of {side} is in {where}: there is nothing to imitate")
    return Entries(tuple(entries), np.array([entry.before for entry in entries], dtype=np.int16))


@functools.cache
def entries_from(path: Path, seat: int) -> Entries:
    """Read a database once for all games of this process."""
    return entries_of(read_expert_games(path), seat, str(path))


# --- the expert's move seen node by node ---------------------------------------------------------


def node_movelets(
    position: Position, reference: Position, movelets: Sequence[int], dice: Dice
) -> list[int]:
    """Return the movelets that mirror, node by node, what the expert did in the reference.

    They stand in the order in which their nodes first moved there.
    """
    taken: dict[int, Counter[int]] = {}
    for movelet in movelets:
        taken.setdefault(movelet // rules.DIRECTIONS, Counter())[movelet] += 1
    transferred: list[int] = []
    for node, steps in taken.items():
        stay = units_on(reference, node) - steps.total()
        here = int(rules.movable(position, node))
        if stay == 0:
            shares = shared_out(here, steps, dice)
        elif stay == 1:  # kept for supply
            shares = shared_out(max(here - 1, 0), steps, dice)
        else:
            shares = shared_out(here, {**steps, rules.END: stay}, dice)
        transferred += [
            step for step, units in shares.items() if step != rules.END for _ in range(units)
        ]
    return transferred


def shared_out(units: int, votes: Mapping[int, int], dice: Dice) -> dict[int, int]:
    """Split units in proportion to votes: the largest remainders get what is left, ties by lot."""
    total = sum(votes.values())
    shares = {choice: units * count // total for choice, count in votes.items()}
    remainders = {choice: units * count % total for choice, count in votes.items()}
    for _ in range(units - sum(shares.values())):
        most = max(remainders.values())
        tied = [choice for choice, remainder in remainders.items() if remainder == most]
        chosen = tied[dice.below(len(tied))]
        shares[chosen] += 1
        remainders[chosen] = -1
    return shares


# --- the agents ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ImitatedMove:
    """How an imitation agent came to its move."""

    entry: Entry  # the reference position with the expert's move
    distance: int
    repeated: tuple[int, ...]  # movelets taken over from the expert
    generated: Generated | None  # placements that meet the demands; None: no demands were made
    value: float | None  # what the evaluator expects of the chosen one
    actions: tuple[int, ...]  # the whole turn


class Imitation(Agent):
    """What the imitation agents share."""

    seats = ("blue", "red")

    def __init__(
        self, database: str = "", weights: str = USUAL_WEIGHTS, candidates: int = USUAL_CANDIDATES
    ) -> None:
        """Take another file of expert games or of the evaluator's weights than the bundled one.

        >>> Imitation1().path.name
        'champion.jsonl'
        """
        if candidates < 1:
            raise ValueError(f"candidates is at least 1, got {candidates}")
        self.path = Path(database).expanduser() if database else BUNDLED_GAMES
        self.weights_path = path_of(weights)
        self.weights: NDArray[np.float32] = load_weights(weights)
        self.candidates = candidates

    def check(self) -> None:
        """Find out before the first game whether the database can be read."""
        read_expert_games(self.path)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with: the expert's games and the evaluator's weights."""
        return [self.path, self.weights_path]

    def choose(self, view: State, dice: Dice) -> list[int]:
        """Imitate the expert in the most similar position."""
        return list(self.decide(view.position, dice).actions)

    def explain(self, view: State, dice: Dice) -> Explanation:
        """Choose, and say why."""
        from sandtable.games.lucid.agents.explanation import explain_imitation

        return explain_imitation(view.position, self.decide(view.position, dice))

    def decide(self, position: Position, dice: Dice) -> ImitatedMove:
        """Choose a turn and keep how it came about."""
        own = np.array(position)
        entry, distance = entries_from(self.path, int(own[rules.MOVER])).nearest(own)
        taken = playable_movelets(own, self.movelets(own, entry, dice))
        if not self.uses_demands:
            return ImitatedMove(entry, distance, tuple(taken), None, None, (*taken, rules.END))
        for movelet in taken:
            rules.move_units(own, movelet, 1)
        generated = generate(own, node_demands(entry.desired), dice, self.candidates)
        code, value = best_placement(own, generated.codes, self.weights)
        actions = (*taken, *movelets_to(own, code))
        return ImitatedMove(entry, distance, tuple(taken), generated, value, actions)

    uses_demands = True

    @abstractmethod
    def movelets(self, position: Position, entry: Entry, dice: Dice) -> list[int]:
        """Return the movelets to take over from the expert."""


class Imitation1(Imitation):
    """Repeats the movelets of the nearest expert position (published 1.97)."""

    uses_demands = False

    def movelets(self, position: Position, entry: Entry, dice: Dice) -> list[int]:
        """Take all."""
        return list(entry.actions)


class Imitation2(Imitation):
    """Aims at the placement after the nearest expert move, by demands (published 4.04)."""

    def movelets(self, position: Position, entry: Entry, dice: Dice) -> list[int]:
        """Take none."""
        return []


class Imitation3(Imitation):
    """Repeats the expert's movelets, then demands for the other units (published 4.15)."""

    def movelets(self, position: Position, entry: Entry, dice: Dice) -> list[int]:
        """Take all."""
        return list(entry.actions)


class Imitation4(Imitation):
    """Repeats the expert's move node by node, then demands for the rest (published 4.53)."""

    def movelets(self, position: Position, entry: Entry, dice: Dice) -> list[int]:
        """Take what mirrors the expert's move on each node."""
        return node_movelets(position, entry.before, entry.actions, dice)
