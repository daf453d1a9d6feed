"""The published Q-learner with tables that were learned before.

See docs/games/gravwell/q-learning.md.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.compiled import kernel
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.card_sets import drawn, field_of, hand_of, refuse_other_games
from sandtable.games.gravwell.agents.decision_tree import as_coded as decision_tree_as_coded
from sandtable.games.gravwell.agents.decision_tree import described as decision_tree_described
from sandtable.games.gravwell.agents.q_learning.states import (
    NO_STATE,
    STOP_ENTRIES,
    chosen_card,
    entries_of,
    stop_state,
    wants_stop,
)
from sandtable.games.gravwell.agents.q_learning.tables import DRAFTS, QTables, load_tables, path_of
from sandtable.games.gravwell.cards import CARDS
from sandtable.types import Game

__all__ = ["QLearning", "drafted"]

DRAFT_RANDOM, DRAFT_TREE, DRAFT_AS_CODED = range(len(DRAFTS))

# The memory: settings, then the tables of stops and of cards, two numbers in each cell.
SWITCHES_CELL, STOP_CELL, DRAFT_CELL, TEMPERATURE_CELL, STOPS_CELL = range(5)
CARDS_CELL = STOPS_CELL + STOP_ENTRIES // 2

draft_described = decision_tree_described.draft
draft_as_coded = decision_tree_as_coded.draft
Q_LEARNER_LOW = decision_tree_as_coded.Q_LEARNER_LOW


@kernel
def drafted(view: NDArray[np.int16], seat: int, way: int, dice: NDArray[np.uint64]) -> int:
    """Return the visible card of the stack to take: Q-learning says nothing about the draft."""
    if way == DRAFT_TREE:
        return draft_described(hand_of(view, seat), field_of(view), dice)
    if way == DRAFT_AS_CODED:
        return draft_as_coded(view, hand_of(view, seat), Q_LEARNER_LOW, dice)
    return drawn(field_of(view), dice)


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    actions: NDArray[np.int16],
) -> int:
    """Draw the card by the table, and stop what the other table says is better stopped."""
    seat = layout.whole(view[layout.MOVER])
    if view[layout.PHASE] == layout.DRAFTING:
        actions[0] = layout.TAKE + drafted(view, seat, memory[DRAFT_CELL], dice)
    elif view[layout.PHASE] == layout.PLAYING:
        hand, entries = hand_of(view, seat), np.empty(CARDS, dtype=np.int64)
        entries_of(view, seat, memory[SWITCHES_CELL], entries)
        table = memory[CARDS_CELL:].view(np.float32)
        temperature = memory[TEMPERATURE_CELL:STOPS_CELL].view(np.float64)[0]
        actions[0] = chosen_card(hand, entries, table, temperature, dice)
    else:
        entry = stop_state(view, seat, layout.whole(view[layout.CURRENT]))
        stops = memory[STOPS_CELL:CARDS_CELL].view(np.float32)
        stopping = memory[STOP_CELL] != 0 and entry != NO_STATE
        actions[0] = layout.STOP if stopping and wants_stop(entry, stops, 0.0, dice) else layout.GO
    return 1


def packed(tables: QTables, temperature: float) -> tuple[int, ...]:
    """Return the memory of the kernel."""
    heat = int(np.array([temperature]).view(np.int64)[0])
    settings = (tables.switches, int(tables.stop), DRAFTS.index(tables.draft), heat)
    numbers = np.concatenate([tables.stops, tables.cards]).astype(np.float32)
    return (*settings, *numbers.view(np.int64).tolist())


class QLearning(Scripted):
    """Plays by tables of Q-learning, bundled or from a file (published 42%)."""

    def __init__(self, table: str = "published", temperature: float | None = None) -> None:
        """Take bundled tables by their name, or a file; at ``temperature`` 0 it never explores."""
        if temperature is not None and not 0 <= temperature < math.inf:
            raise ValueError(f"temperature is 0 or more, got {temperature}")
        self.path = path_of(table)
        self.tables = load_tables(table)
        self.temperature = self.tables.temperature if temperature is None else temperature
        self._packed = packed(self.tables, self.temperature)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return [self.path]

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games."""
        refuse_other_games("gravwell/q-learning", game)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel; its memory holds the tables."""
        self.suits(game)
        return CompiledPolicy(act, self._packed)
