"""Gravwell by evolved expression networks (report of 2016, section 3.3), published and improved.

See docs/games/gravwell/neuro-evolution.md. A brain is up to four networks: ``hand`` gives a
preference to every place in a hand (the published one), ``card`` to one card in hand, ``stack`` to
one stack of the draft, and ``stop`` says whether to use the Emergency Stop. Without the last two
the draft is drawn at random and no stop is used, as published.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Analysis, Candidate, CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.agents.weights import bundled_file
from sandtable.compiled import kernel
from sandtable.dice import Dice
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.card_sets import drawn, field_of, refuse_other_games
from sandtable.games.gravwell.agents.neuro_evolution.brain import BOARD, MODE, SLOTS, load_brain
from sandtable.games.gravwell.agents.neuro_evolution.inputs import (
    FINDINGS,
    see_card,
    see_draft,
    see_hand,
    see_kind,
    see_stop,
    see_table,
)
from sandtable.games.gravwell.agents.neuro_evolution.networks import (
    Program,
    evaluate,
    output,
    outputs_of,
    program_of,
    room_for,
)
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.rules.drafting import holds, is_on_field
from sandtable.types import Game, State

__all__ = ["NeuroEvolution", "act"]

WEIGHTS = Path(__file__).parent / "weights"

HAND, CARD, STACK, STOPPER = range(4)  # cells of a program: where each network begins


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: Program,
    actions: NDArray[np.int16],
) -> int:
    """Write the one action that the networks prefer."""
    seat, phase = layout.as_int64(view[layout.MOVER]), view[layout.PHASE]
    if phase == layout.DRAFTING:
        actions[0] = layout.TAKE + chosen_stack(view, seat, constants, dice)
    elif phase == layout.PLAYING:
        if constants.cells[HAND] > 0:
            actions[0] = layout.PLAY + card_by_place(view, seat, constants)
        else:
            actions[0] = layout.PLAY + card_by_card(view, seat, constants)
    else:
        actions[0] = layout.STOP if stops(view, seat, constants) else layout.GO
    return 1


@kernel
def chosen_stack(
    view: NDArray[np.int16], seat: int, program: Program, dice: NDArray[np.uint64]
) -> int:
    """Return the visible card of the stack with the highest preference, or of any without one."""
    network = program.cells[STACK]
    if network == 0:
        return drawn(field_of(view), dice)
    values = np.empty(room_for(program, network))
    see_draft(view, seat, values)
    chosen, highest = 0, -np.inf
    for card in range(CARDS):
        if is_on_field(view, card):
            see_kind(card, values, BOARD)
            evaluate(program, network, values)
            preference = output(program, network, values)
            if preference > highest:
                chosen, highest = card, preference
    return chosen


@kernel
def mode_of(program: Program, network: int, values: NDArray[np.float64]) -> int:
    """Return the mode that an evaluated network prefers; of equal ones the first."""
    best, highest = 0, -np.inf
    for mode in range(outputs_of(program, network) // MODE):
        preference = output(program, network, values, mode * MODE + SLOTS)
        if preference > highest:
            best, highest = mode, preference
    return best


@kernel
def numbered_card(view: NDArray[np.int16], seat: int, number: float) -> int:
    """Return the card in hand with this number, which goes round the hand."""
    held = 0
    for card in range(CARDS):
        held += holds(view, seat, card)
    left = int(np.floor(number)) % held
    for card in range(CARDS):
        if holds(view, seat, card):
            if left == 0:
                return card
            left -= 1
    return 0


@kernel
def card_by_place(view: NDArray[np.int16], seat: int, program: Program) -> int:
    """Return the card in hand whose place has the highest preference; of equal ones the first."""
    network = program.cells[HAND]
    values = np.empty(room_for(program, network))
    see_hand(view, seat, values)
    evaluate(program, network, values)
    if outputs_of(program, network) == 1:
        return numbered_card(view, seat, output(program, network, values))
    first = mode_of(program, network, values) * MODE
    chosen, highest, slot = 0, -np.inf, 0
    for card in range(CARDS):
        if holds(view, seat, card):
            preference = output(program, network, values, first + slot)
            if preference > highest:
                chosen, highest = card, preference
            slot += 1
    return chosen


@kernel
def card_by_card(view: NDArray[np.int16], seat: int, program: Program) -> int:
    """Return the card in hand with the highest preference; of equal ones the first."""
    network = program.cells[CARD]
    values = np.empty(room_for(program, network))
    found = np.empty((FINDINGS, CARDS))
    see_table(view, seat, values, found)
    chosen, highest = 0, -np.inf
    for card in range(CARDS):
        if holds(view, seat, card):
            see_card(view, seat, card, found, values)
            evaluate(program, network, values)
            preference = output(program, network, values)
            if preference > highest:
                chosen, highest = card, preference
    return chosen


@kernel
def stops(view: NDArray[np.int16], seat: int, program: Program) -> bool:
    """Say whether to use the Emergency Stop: if the network says more than nothing."""
    network = program.cells[STOPPER]
    if network == 0:
        return False
    values = np.empty(room_for(program, network))
    see_stop(view, seat, layout.as_int64(view[layout.CURRENT]), values)
    evaluate(program, network, values)
    return bool(output(program, network, values) > 0.0)


def preferences(program: Program, view: NDArray[np.int16], seat: int) -> dict[int, float]:
    """Return what the network of the phase says to every action; empty if there is none.

    Of a network whose one output is a card's number, that card has 1 and the others 0.
    """
    phase = view[layout.PHASE]
    kind = {layout.DRAFTING: STACK, layout.STOPPING: STOPPER}.get(int(phase), CARD)
    if phase == layout.PLAYING and program.cells[HAND] > 0:
        kind = HAND
    network = int(program.cells[kind])
    if network == 0:
        return {}
    values, found = np.empty(room_for(program, network)), {}
    if kind == STOPPER:
        see_stop(view, seat, layout.as_int64(view[layout.CURRENT]), values)
        evaluate(program, network, values)
        return {layout.STOP: float(output(program, network, values)), layout.GO: 0.0}
    if kind == HAND:
        chosen = int(card_by_place(view, seat, program))
        see_hand(view, seat, values)
        evaluate(program, network, values)
        first = int(mode_of(program, network, values)) * MODE
        held = [card for card in range(CARDS) if holds(view, seat, card)]
        if outputs_of(program, network) == 1:
            return {card: float(card == chosen) for card in held}
        return {
            card: float(output(program, network, values, first + slot))
            for slot, card in enumerate(held)
        }
    table = np.empty((FINDINGS, CARDS))
    if kind == STACK:
        see_draft(view, seat, values)
    else:
        see_table(view, seat, values, table)
    for card in range(CARDS):
        if kind == STACK and is_on_field(view, card):
            see_kind(card, values, BOARD)
        elif kind == CARD and holds(view, seat, card):
            see_card(view, seat, card, table, values)
        else:
            continue
        evaluate(program, network, values)
        action = card + (layout.TAKE if kind == STACK else layout.PLAY)
        found[action] = float(output(program, network, values))
    return found


class NeuroEvolution(Scripted):
    """Evolved expression networks: improved ones, or those of the published method."""

    meanings: ClassVar[Mapping[str, str]] = {
        "weights": "bundled networks (improved, published), or a file",
    }
    scale = "own"

    def __init__(self, weights: str = "improved") -> None:
        """Take bundled networks (``improved``, ``published``) or those of a file."""
        self.path = bundled_file(weights, WEIGHTS, ".json")
        self.brain = load_brain(self.path)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return [self.path]

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games."""
        refuse_other_games("gravwell/neuro-evolution", game)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel with the networks as its constants."""
        self.suits(game)
        return CompiledPolicy(act, constants=program_of(self.brain))

    def analyse(self, view: State, dice: Dice) -> Analysis | None:
        """Return the preferences of the networks; None where actions are drawn at random."""
        position = np.array(view.position)
        found = preferences(program_of(self.brain), position, view.turn)
        if not found:
            return None
        ranked = sorted(found.items(), key=lambda each: -each[1])
        candidates = tuple(Candidate((action,), value) for action, value in ranked)
        return Analysis(self.scale, candidates[0].value, candidates)

    def show_text(self) -> str:
        """Return the networks as text."""
        from sandtable.games.gravwell.agents.neuro_evolution.formulas import brain_lines

        return brain_lines(self.brain)

    def show_svg(self) -> str:
        """Return the networks as a drawing."""
        from sandtable.games.gravwell.agents.neuro_evolution.drawing import brain_svg

        return brain_svg(self.brain)
