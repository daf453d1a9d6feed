"""The four imitation agents of Operation Lucid (report, sections 3.3 to 3.6).

All look up the most similar position in which an expert moved. The first repeats the movelets, the
second tries to reach the same placement and leaves the rest to the evaluator, the third does the
one and then the other, and the fourth too, with the expert's move seen node by node.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, Explanation
from sandtable.dice import Dice
from sandtable.games.lucid.agents.evaluator.weights_file import load_weights
from sandtable.games.lucid.agents.expert.games import BUNDLED_GAMES, read_expert_games
from sandtable.games.lucid.agents.expert.positions import Entries, Entry, entries_of
from sandtable.games.lucid.agents.imitation.move_transfer import (
    in_legal_order,
    node_movelets,
    repeated,
)
from sandtable.games.lucid.agents.placement_choice import best_placement
from sandtable.games.lucid.placements.demands import Generated, generate, movelets_to, node_demands
from sandtable.games.lucid.rules import END, MOVER
from sandtable.registry import make_game
from sandtable.types import Position, State

__all__ = ["ImitatedMove", "Imitation1", "Imitation2", "Imitation3", "Imitation4"]

USUAL_CANDIDATES = 20_000
USUAL_WEIGHTS = "td"


@dataclass(frozen=True)
class ImitatedMove:
    """How an imitation agent came to its move."""

    entry: Entry  # the reference position with the expert's move
    distance: int
    repeated: tuple[int, ...]  # movelets taken over from the expert
    generated: Generated | None  # placements that meet the demands; None: no demands were made
    value: float | None  # what the evaluator expects of the chosen one
    actions: tuple[int, ...]  # the whole turn


@functools.cache
def entries_from(path: Path, seat: int) -> Entries:
    """Read a database once for all games of this process."""
    return entries_of(read_expert_games(path), seat, str(path))


class Imitation(Agent):
    """What the imitation agents share."""

    seats = ("blue", "red")

    def __init__(
        self, database: str = "", weights: str = USUAL_WEIGHTS, candidates: int = USUAL_CANDIDATES
    ) -> None:
        """Take another file of expert games or of the evaluator's weights than the bundled one."""
        if candidates < 1:
            raise ValueError(f"candidates is at least 1, got {candidates}")
        self.path = Path(database).expanduser() if database else BUNDLED_GAMES
        self.weights: NDArray[np.float32] = load_weights(weights)
        self.candidates = candidates

    def check(self) -> None:
        """Find out before the first game whether the database can be read."""
        read_expert_games(self.path)

    def choose(self, view: State, dice: Dice) -> list[int]:
        """Imitate the expert in the most similar position."""
        return list(self.decide(view.position, dice).actions)

    def explain(self, view: State, dice: Dice) -> Explanation:
        """Choose, and say why."""
        from sandtable.games.lucid.agents.explanation.text import explain_imitation

        return explain_imitation(view.position, self.decide(view.position, dice))

    def decide(self, position: Position, dice: Dice) -> ImitatedMove:
        """Choose a turn and keep how it came about."""
        own = np.array(position)
        entry, distance = entries_from(self.path, int(own[MOVER])).nearest(own)
        taken = in_legal_order(repeated(own, self.movelets(own, entry, dice)))
        if not self.uses_demands:
            return ImitatedMove(entry, distance, tuple(taken), None, None, (*taken, END))
        apply = make_game("lucid").rules.apply
        for movelet in taken:
            apply(own, movelet, dice.array)
        made = generate(own, node_demands(entry.desired), dice, self.candidates)
        code, value = best_placement(own, made.codes, self.weights)
        actions = (*taken, *movelets_to(own, code))
        return ImitatedMove(entry, distance, tuple(taken), made, value, actions)

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
