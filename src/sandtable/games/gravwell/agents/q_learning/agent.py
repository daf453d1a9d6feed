"""The published Q-learner with tables that were learned before.

See docs/games/gravwell/q-learning.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

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
    chosen_card,
    entries_of,
    stop_state,
    wants_stop,
)
from sandtable.games.gravwell.agents.q_learning.tables import DRAFTS, QTables, load_tables
from sandtable.games.gravwell.cards import CARDS
from sandtable.types import Game

__all__ = ["QLearning", "drafted"]

DRAFT_RANDOM, DRAFT_TREE, DRAFT_AS_CODED = range(len(DRAFTS))

draft_described = decision_tree_described.draft
draft_as_coded = decision_tree_as_coded.draft
Q_LEARNER_LOW = decision_tree_as_coded.Q_LEARNER_LOW


class Learned(NamedTuple):
    """The tables and how to use them, as the kernel takes them."""

    cards: NDArray[np.float32]
    stops: NDArray[np.float32]
    switches: int  # of the state
    stop: bool  # whether the Emergency Stop is used at all
    draft: int  # in DRAFTS
    temperature: float  # of the choice of cards


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
    constants: Learned,
    actions: NDArray[np.int16],
) -> int:
    """Draw the card by the table, and stop what the other table says is better stopped."""
    seat = layout.whole(view[layout.MOVER])
    if view[layout.PHASE] == layout.DRAFTING:
        actions[0] = layout.TAKE + drafted(view, seat, constants.draft, dice)
    elif view[layout.PHASE] == layout.PLAYING:
        hand, entries = hand_of(view, seat), np.empty(CARDS, dtype=np.int64)
        entries_of(view, seat, constants.switches, entries)
        actions[0] = chosen_card(hand, entries, constants.cards, constants.temperature, dice)
    else:
        entry = stop_state(view, seat, layout.whole(view[layout.CURRENT]))
        stopping = constants.stop and entry != NO_STATE
        stopping = stopping and wants_stop(entry, constants.stops, 0.0, dice)
        actions[0] = layout.STOP if stopping else layout.GO
    return 1


def learned_from(tables: QTables, temperature: float) -> Learned:
    """Return the constants of the kernel."""
    draft, heat = DRAFTS.index(tables.draft), float(temperature)
    return Learned(tables.cards, tables.stops, tables.switches, tables.stop, draft, heat)


class QLearning(Scripted):
    """Plays by tables of Q-learning, bundled or from a file (published 42%)."""

    def __init__(self, table: str = "published", temperature: float | None = None) -> None:
        """Take bundled tables by their name, or a file; at ``temperature`` 0 it never explores."""
        if temperature is not None and not 0 <= temperature < math.inf:
            raise ValueError(f"temperature is 0 or more, got {temperature}")
        self.tables = load_tables(table)
        self.temperature = self.tables.temperature if temperature is None else temperature

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games."""
        refuse_other_games("gravwell/q-learning", game)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel; its constants are the tables."""
        self.suits(game)
        return CompiledPolicy(act, constants=learned_from(self.tables, self.temperature))
