"""Noughts and crosses with kernels, and a slow search in plain Python to compare with."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np

from sandtable.compiled import kernel
from sandtable.types import Game, Rules, State

CELLS = 9
MOVER = CELLS  # seat to act, or OVER
LINES = np.array(
    [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)],
    dtype=np.int16,
)
OVER = -1


@kernel
def start(position, dice):
    position[:] = 0


@kernel
def turn(position):
    return np.int64(position[MOVER])


@kernel
def legal(position, mask):
    count = 0
    for cell in range(CELLS):
        mask[cell] = position[cell] == 0 and position[MOVER] != OVER
        count += mask[cell]
    return count


@kernel
def winner(position):
    for line in range(len(LINES)):
        first = position[LINES[line, 0]]
        if first != 0 and first == position[LINES[line, 1]] == position[LINES[line, 2]]:
            return np.int64(first)
    return 0


@kernel
def apply(position, action, dice):
    mover = position[MOVER]
    position[action] = 1 if mover == 0 else -1
    full = True
    for cell in range(CELLS):
        full = full and position[cell] != 0
    position[MOVER] = OVER if full or winner(position) != 0 else 1 - mover


@kernel
def score(position, scores):
    scores[0] = winner(position)
    scores[1] = -winner(position)


@kernel
def hide(position, seat):
    pass


@kernel
def guess(position, seat, dice):
    pass


@kernel
def encode(position, seat, planes):
    pass


@kernel
def evaluate(position, seat, weights):
    """Own cells count by weight: nonsense as an estimate, but different for every position."""
    total = 0.0
    for cell in range(CELLS):
        total += weights[cell] * position[cell]
    return total if seat == 0 else -total


def tictactoe(**changes):
    """Return the game; facts can be changed to declare other ones."""
    facts = {
        "name": "tictactoe",
        "title": "Noughts and crosses",
        "version": 1,
        "seats": ("crosses", "noughts"),
        "rules": Rules(start, turn, legal, apply, score, hide, guess, encode),
        "notation": SimpleNamespace(action_name=str, reason=lambda position: "played out"),
        "drawing": SimpleNamespace(),
        "position_size": CELLS + 1,
        "action_count": CELLS,
        "plane_names": ("cells",),
        "board_shape": (3, 3),
        "score_bounds": ((-1.0, 1.0), (-1.0, 1.0)),
        "max_actions": CELLS,
        "chance": False,
        "hidden": False,
        "zero_sum": True,
        "has_winner": True,
    }
    return Game(**facts | changes)


def state_of(cells: str) -> State:
    """Return the state of a board written as nine of 'xo.'; crosses move first."""
    position = np.zeros(CELLS + 1, dtype=np.int16)
    position[:CELLS] = [".xo".index(cell) if cell != "o" else -1 for cell in cells]
    position[MOVER] = 0 if cells.count("x") == cells.count("o") else 1
    return State(tictactoe(), position)


@cache
def solved(state: State, seat: int) -> float:
    """Return the exact result for a seat, by looking at everything."""
    if state.outcome:
        return state.outcome.scores[seat]
    results = [solved(state.play(action), seat) for action in state.legal]
    return max(results) if state.turn == seat else min(results)


def minimax(state: State, seat: int, depth: int, estimate) -> float:
    """Return the value at a fixed depth, by looking at everything; a win is worth a million."""
    if state.outcome:
        return 1e6 * state.outcome.scores[seat]
    if depth == 0:
        return estimate(state.position, seat)
    values = [minimax(state.play(each), seat, depth - 1, estimate) for each in state.legal]
    return max(values) if state.turn == seat else min(values)
