"""The kernels against a plain twin: they must agree on every board, age, move and result."""

import numpy as np
import pytest

from games.skirmish.plain import PlainSkirmish
from sandtable.dice import Dice
from sandtable.games.skirmish import layout, rules
from sandtable.games.skirmish.game import level_named
from sandtable.registry import make_game
from sandtable.types import OVER

KINDS = {"town": 1, "barracks": 2, "worker": 3, "soldier": 4}
LEVELS = ["1", "2", "3", "4", "5", "6", "7", "random-1", "random-2", "random-3"]
GAMES_A_LEVEL = 30

# How often each situation must have come up, at least, for the agreement to mean something.
WANTED = {
    "raised later in the pass": 100,
    "raised earlier": 500,
    "no room for a new unit": 20,
    "town gone of age": 50,
    "barracks gone of age": 200,
    "worker gone of age": 20,
    "soldier gone of age": 50,
    "a barracks is built": 200,
    "soldier captured": 200,
    "worker captured": 50,
    "barracks captured": 20,
    "town captured": 5,
    "a pass": 50,
    "an end": 200,
    "both empty": 1,
}


def action_of(move):
    if move is None:
        return layout.PASS
    (row, column), (to_row, to_column) = move
    return (row * 8 + column) * 9 + (to_row - row + 1) * 3 + to_column - column + 1


def assert_same(plain, position):
    units, ages = np.zeros(64, dtype=int), np.zeros(64, dtype=int)
    for (row, column), (side, kind, age) in plain.units.items():
        units[row * 8 + column] = KINDS[kind] if side == 1 else -KINDS[kind]
        ages[row * 8 + column] = age
    assert (units == position[layout.UNITS : layout.UNITS + 64]).all()
    assert (ages == position[layout.AGES : layout.AGES + 64]).all()
    assert {(s // 8, s % 8) for s in range(64) if position[layout.LAND + s]} == plain.land
    assert rules.turn(position) == (OVER if plain.over else plain.mover - 1)
    assert position[layout.PLAYED] == plain.half_turns


def choose(moves, plain, choices, peaceful):
    """Like captures and builds in half of all moves; in peaceful games build little, grow old."""
    if peaceful and choices.below(10):
        moves = [move for move in moves if move[0] != move[1]] or moves
    good = [move for move in moves if move[1] in plain.units]
    if good and choices.below(2):
        return good[choices.below(len(good))]
    return moves[choices.below(len(moves))]


def play_both(level, number, options, seen):
    game = make_game(f"skirmish:level={level}" + "".join(f",{k}={v}" for k, v in options.items()))
    dice, choices = Dice(3, "game", number), Dice(3, "choices", number)
    plain = PlainSkirmish.from_level(
        str(level_named(level)),
        both_empty=options.get("both_empty", "draw"),
        max_turns=int(options.get("max_turns", 0)),
    )
    plain.seen = seen
    plain.begin(options.get("start") != "town-only")
    position = game.empty_position()
    rules.start(position, dice.array)
    mask, listed = np.zeros(layout.ACTIONS, dtype=bool), np.zeros(layout.ACTIONS, dtype=np.int16)
    while not plain.over:
        assert_same(plain, position)
        moves = plain.moves() or [None]
        count = rules.legal(position, mask)
        expected = [action_of(move) for move in moves]
        assert np.flatnonzero(mask).tolist() == expected
        assert rules.legal_moves(position, listed) == count == len(expected)
        assert listed[:count].tolist() == expected
        move = choose(moves, plain, choices, number % 2 == 0) if moves != [None] else None
        captures = move is not None and move[0] != move[1] and move[1] in plain.units
        assert rules.is_capture(position, action_of(move)) == captures
        plain.play(move)
        rules.apply(position, action_of(move), dice.array)
    assert_same(plain, position)
    scores = np.zeros(2)
    rules.score(position, scores)
    assert scores.tolist() == [plain.result(), -plain.result()]
    assert plain.half_turns <= game.max_actions
    return plain.half_turns


def test_kernels_and_twin_agree():
    seen, half_turns = {}, 0
    for index, level in enumerate(LEVELS):
        for number in range(GAMES_A_LEVEL):
            options = ({}, {"start": "town-only"}, {"both_empty": "second"})[number % 3]
            half_turns += play_both(level, index * 100 + number, options, seen)
    assert half_turns > 40_000
    assert {what: count for what, count in WANTED.items() if seen.get(what, 0) < count} == {}


@pytest.mark.parametrize("turns", [1, 3, 40])
def test_limits_of_turns_agree(turns):
    for number in range(3):
        assert play_both("4", number, {"max_turns": turns}, {}) <= 2 * turns
