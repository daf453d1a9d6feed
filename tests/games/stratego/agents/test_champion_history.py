"""What the champion remembers of a game: a plain twin, both seats, and games it has not seen."""

from collections import defaultdict

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion import history as remembered
from sandtable.games.stratego.agents.champion.history import (
    HISTORY_CELLS,
    HISTORY_PLANE_NAMES,
    History,
    encode_history,
    remember_all,
)
from sandtable.games.stratego.game import stratego

OWNERS = (layout.OWNED, layout.OWNED << 1)


def owner(cell):
    """Return whose piece stands in a cell, or None."""
    return next((seat for seat, mark in enumerate(OWNERS) if cell & mark), None)


def beside(square):
    """Return the squares beside one."""
    row, column = divmod(square, 10)
    steps = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [r * 10 + c for r, c in steps if 0 <= r < 10 and 0 <= c < 10]


class PlainHistory:
    """The same by dictionaries of pieces, from whole positions before and after a move."""

    def __init__(self):
        self.facts = defaultdict(lambda: [0] * remembered.FACTS)  # by square
        self.moves = []  # newest last

    def remember(self, before, after, left, reached):
        seat = owner(before[left])
        self.moves.append((left, reached))
        threatened = {
            square
            for square in range(100)
            if owner(before[square]) == seat
            and any(owner(before[near]) == 1 - seat for near in beside(square))
        }
        for square in threatened - {left}:
            self.facts[square][remembered.LEFT_ALONE] += 1
        mover = self.facts.pop(left, [0] * remembered.FACTS)
        if owner(after[reached]) is None:
            self.facts.pop(reached, None)
        elif owner(after[reached]) == seat:
            now = any(owner(after[near]) == 1 - seat for near in beside(reached))
            attack = owner(before[reached]) is not None
            mover[remembered.MOVES] += 1
            mover[remembered.LAST] = len(self.moves)
            mover[remembered.ATTACKS] += attack
            mover[remembered.APPROACHES] += now and not attack
            mover[remembered.RETREATS] += left in threatened and not now and not attack
            self.facts[reached] = mover

    def planes(self, position, seat):
        planes = np.zeros((len(HISTORY_PLANE_NAMES), 100))
        most = (8, None, 3, 4, 4, 8)
        for square, facts in self.facts.items():
            sign = 1 if owner(position[square]) == seat else -1
            for fact, count in enumerate(facts):
                if fact != remembered.LAST:
                    planes[fact, square] = sign * min(count / most[fact], 1)
                elif count:
                    planes[fact, square] = sign * 4 / (4 + len(self.moves) - count)
        recent = list(reversed(self.moves))[: remembered.RECENT_MOVES]
        for back, (left, reached) in enumerate(recent):
            planes[remembered.FACTS + back, left] = -1
            planes[remembered.FACTS + back, reached] = 1
        turned = planes if seat == layout.RED else planes[:, ::-1]
        return turned.reshape(-1, 10, 10)


@pytest.mark.parametrize("spec", [{}, {"variant": "barrage"}])
def test_it_remembers_what_a_plain_twin_does(spec):
    game, fights = stratego(**spec), 0
    for seed in range(6):
        dice, plain = Dice(seed), PlainHistory()
        seen = [History(), History()]
        state = game.start(dice)
        while state.turn != layout.OVER and len(plain.moves) < 300:
            legal = np.flatnonzero(state.mask)
            action = int(legal[dice.below(len(legal))])
            before, state = state, state.play(action, dice)
            if state.turn == layout.OVER:
                break
            left, reached = (int(square) for square in layout.ENDS[0, action])
            fights += bool(before.position[reached])
            plain.remember(before.position, state.position, left, reached)
            for seat, history in enumerate(seen):
                view = np.array(state.view(seat).position)
                history.watch(view, action)
                made = history.planes(view, seat)
                assert np.allclose(made, plain.planes(state.position, seat), atol=1e-6)
    assert fights > 20


def test_set_ups_are_nothing_to_remember():
    game, dice = stratego(setup="choose"), Dice(3)
    state, history = game.start(dice), History()
    while layout.setting_up(np.array(state.position)):
        action = int(np.flatnonzero(state.mask)[0])
        state = state.play(action, dice)
        history.watch(np.array(state.view(0).position), action if state.turn == 0 else None)
    assert not history.cells.any()


def test_a_game_joined_later_has_no_history():
    game, dice = stratego(), Dice(5)
    state = game.start(dice)
    for _ in range(7):
        state = state.play(int(np.flatnonzero(state.mask)[0]), dice)
    late = History()
    assert not late.planes(np.array(state.view(0).position), 0).any()
    action = int(np.flatnonzero(state.mask)[0])
    state = state.play(action, dice)
    late.watch(np.array(state.view(0).position), action)
    assert late.cells.any()
    assert not late.planes(np.array(state.view(0).position), 0).any()


def test_a_new_game_begins_with_nothing():
    histories = np.ones((2, HISTORY_CELLS), dtype=np.int16)
    histories[1] = 0
    position = np.array(stratego().start(Dice(1)).position)
    moves = np.array([0, 0])
    remember_all(histories, np.stack([position, position]), moves, np.array([True, True]))
    assert not histories.any()


def test_planes_stay_between_minus_one_and_one():
    position = np.array(stratego().start(Dice(1)).position)
    cells = np.full(HISTORY_CELLS, 500, dtype=np.int16)
    planes = np.empty((len(HISTORY_PLANE_NAMES), 10, 10), dtype=np.float32)
    for seat in (0, 1):
        encode_history(cells, position, seat, planes)
        assert abs(planes).max() == 1.0
