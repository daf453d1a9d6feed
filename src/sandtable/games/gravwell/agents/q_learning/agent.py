"""The published Q-learner with tables that were learned before.

See docs/games/gravwell/q-learning.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy, Explanation
from sandtable.agents.scripted import Scripted
from sandtable.compiled import kernel
from sandtable.dice import Dice
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.card_sets import drawn, field_of, hand_of, refuse_other_games
from sandtable.games.gravwell.agents.decision_tree import as_coded as decision_tree_as_coded
from sandtable.games.gravwell.agents.decision_tree import described as decision_tree_described
from sandtable.games.gravwell.agents.q_learning.drawing import (
    distance_name,
    stop_process_svg,
    tables_svg,
    tables_text,
)
from sandtable.games.gravwell.agents.q_learning.states import (
    DISTANCES,
    HULKS,
    IN_ORDER,
    JOINT,
    NETWORK,
    NO_STATE,
    chosen_card,
    entries_of,
    place_of,
    stop_state,
    wants_stop,
    write_values,
)
from sandtable.games.gravwell.agents.q_learning.tables import DRAFTS, QTables, load_tables, path_of
from sandtable.games.gravwell.cards import CARDS, NAMES
from sandtable.types import Game, State

__all__ = ["Learned", "QLearning", "act", "drafted", "learned_from"]

DRAFT_RANDOM, DRAFT_TREE, DRAFT_AS_CODED = range(len(DRAFTS))

draft_described = decision_tree_described.draft
draft_as_coded = decision_tree_as_coded.draft
FEWER_GROUPS = decision_tree_described.FEWER_GROUPS  # the tables were learned with these
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
        return draft_described(hand_of(view, seat), field_of(view), FEWER_GROUPS, dice)
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
    seat = layout.as_int64(view[layout.MOVER])
    if view[layout.PHASE] == layout.DRAFTING:
        actions[0] = layout.TAKE + drafted(view, seat, constants.draft, dice)
    elif view[layout.PHASE] == layout.PLAYING:
        hand, heat = hand_of(view, seat), constants.temperature
        if constants.switches & (NETWORK | JOINT):
            values = np.empty(CARDS)
            write_values(view, seat, constants.switches, constants.cards, values)
            actions[0] = chosen_card(hand, IN_ORDER, values, heat, dice)
        else:
            entries = np.empty(CARDS, dtype=np.int64)
            entries_of(view, seat, constants.switches, entries)
            actions[0] = chosen_card(hand, entries, constants.cards, heat, dice)
    else:
        entry = stop_state(view, seat, layout.as_int64(view[layout.CURRENT]))
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

    meanings: ClassVar[Mapping[str, str]] = {
        "table": "bundled tables by their name, or a file",
        "temperature": "how much it explores; 0: never; left out: as it was trained",
    }

    def __init__(self, table: str = "published", temperature: float | None = None) -> None:
        """Take bundled tables by their name, or a file; at ``temperature`` 0 it never explores."""
        if temperature is not None and not 0 <= temperature < math.inf:
            raise ValueError(f"temperature is 0 or more, got {temperature}")
        self.path = path_of(table)
        self.tables = load_tables(table)
        self.temperature = self.tables.temperature if temperature is None else temperature

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return [self.path]

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games."""
        refuse_other_games("gravwell/q-learning", game)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel; its constants are the tables."""
        self.suits(game)
        return CompiledPolicy(act, constants=learned_from(self.tables, self.temperature))

    def show_text(self) -> str:
        """Return the best card of every state, and what stopping is worth."""
        return tables_text(self.tables)

    def show_svg(self) -> str:
        """Return the same as a drawing."""
        return tables_svg(self.tables)

    def explain(self, view: State, dice: Dice) -> Explanation:
        """Tell what the tables say about the state at hand."""
        return explanation_of(self, view, self.choose(view, dice)[0])


def explanation_of(agent: QLearning, view: State, action: int) -> Explanation:
    """Say what the tables are worth in a view, and what follows from it."""
    position, tables = np.array(view.position), agent.tables
    picture = tables_svg(tables)
    seat, phase = int(position[layout.MOVER]), int(position[layout.PHASE])
    name = view.game.notation.action_name(action)
    if phase == layout.DRAFTING:
        lines = [f"The draft is not learned; stacks are taken by the rule '{tables.draft}'."]
    elif phase == layout.PLAYING:
        behind, ahead = divmod(
            int(place_of(position, seat, bool(tables.switches & HULKS))), DISTANCES
        )
        lines = [
            f"Nearest opponent behind: {distance_name(behind)}, ahead: {distance_name(ahead)}.",
            f"{'card':>6} {'worth':>8} {'chance':>8}",
        ]
        for card, worth, chance in weighed_cards(agent, position, seat):
            lines.append(f"{NAMES[card]:>6} {worth:>8.1f} {chance:>8.1%}")
    else:
        entry = int(stop_state(position, seat, int(position[layout.CURRENT])))
        lines = ["The card leads nowhere, or the stop is not used: it takes effect."]
        picture = stop_process_svg(tables)
        if entry != NO_STATE and tables.stop:
            go, stop = (float(each) for each in tables.stops[entry : entry + 2])
            lines = [f"Letting it take effect is worth {go:.1f}, stopping it {stop:.1f}."]
    return Explanation((action,), "\n".join([*lines, f"It plays {name}."]), picture)


def weighed_cards(
    agent: QLearning, position: NDArray[np.int16], seat: int
) -> list[tuple[int, float, float]]:
    """Return the cards in hand with their worth and how likely each is played, the best first."""
    values, tables = np.empty(CARDS), agent.tables
    if tables.switches & (NETWORK | JOINT):
        write_values(position, seat, tables.switches, tables.cards, values)
    else:
        entries = np.empty(CARDS, dtype=np.int64)
        entries_of(position, seat, tables.switches, entries)
        values[:] = tables.cards[entries]
    hand = int(hand_of(position, seat))
    cards = [card for card in range(CARDS) if hand >> card & 1]
    cards.sort(key=lambda card: -values[card])
    worths = [float(values[card]) for card in cards]
    if agent.temperature > 0:
        weights = [math.exp((worth - worths[0]) / agent.temperature) for worth in worths]
    else:
        weights = [1.0] + [0.0] * (len(cards) - 1)
    return [
        (card, worth, weight / sum(weights))
        for card, worth, weight in zip(cards, worths, weights, strict=True)
    ]
