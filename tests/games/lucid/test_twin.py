"""The kernels against a plain twin: four thousand games in which both must agree on all."""

from collections import Counter

import numpy as np
import pytest

from games.lucid.plain import GOAL, NEIGHBOURS, NODES, SIDES, TURNS, IllegalMovelet, PlainLucid
from plain_dice import PlainDice
from sandtable.compiled import kernel
from sandtable.dice import Dice, below, stream_key
from sandtable.games.lucid import rules
from sandtable.registry import make_game

SEED = 2003
GAMES = 4_000
GAMES_AT_ONCE = 500
LONGEST = rules.TURNS * (rules.BLUE_UNITS + 1)
LEGAL_SETS_EVERY = 97  # movelets; a prime, so that all parts of a turn are looked at

# How often each situation must have come up, at least, for the agreement to mean something.
WANTED = {
    "a combat": 40_000,
    "a combat without supply": 4_000,
    "a combat with supply": 4_000,
    "Blue defends without supply": 400,
    "a lone attacker without supply": 400,
    "a combat on row 1": 400,
    "a combat is decided": 4_000,
    "a unit reaches the goal": 4_000,
    "a defender leaves": 4_000,
    "a defender leaves into the goal": 100,
    "a defender becomes the attacker": 400,
    "all leave a combat and others enter": 400,
    "a locked attacker stays": 4_000,
    "a step into a node that was full": 4_000,
    "no Blue unit is left": 400,
}


# What makes the players of a game different from others: drawn once for each game.
HASTE, CAREFUL, RED = 0, 1, 2
RED_ADVANCES, RED_ATTACKS = 1, 2  # what Red prefers, if anything


@kernel
def choose(position, mask, style, dice):
    """End the turn with a chance of one in HASTE; Blue prefers the north.

    Careful players seldom move the last unit out of a node, so that chains of supply hold.
    """
    rules.legal(position, mask)
    if below(dice, style[HASTE]) == 0:
        return rules.END
    seat = position[rules.MOVER]
    own = rules.own_board(seat)
    best, heaviest = rules.END, 0
    for action in range(rules.END):
        if mask[action]:
            direction = action % rules.DIRECTIONS
            if seat == 0:
                liked = direction == rules.NORTH
            elif style[RED] == RED_ATTACKS:
                destination = rules.DESTINATION[action]
                liked = destination < rules.NODES and position[rules.BLUE + destination] > 0
            else:
                liked = style[RED] == RED_ADVANCES and direction == rules.SOUTH
            weight = 400 if liked else 100
            if style[CAREFUL] and position[own + action // rules.DIRECTIONS] == 1:
                weight = 20
            weight = below(dice, weight) + 1
            if weight > heaviest:
                best, heaviest = action, weight
    return best


@kernel
def play_and_record(first, game_key, choice_key, actions, lengths, positions):
    """Play games; keep actions [game, action] and the position after each turn [game, turn]."""
    mask = np.zeros(rules.ACTIONS, dtype=np.bool_)
    position = np.zeros(rules.POSITION_SIZE, dtype=np.int16)
    dice = np.zeros(4, dtype=np.uint64)
    choices = np.zeros(4, dtype=np.uint64)
    style = np.zeros(3, dtype=np.int64)
    for game in range(len(lengths)):
        dice[0], dice[1], dice[2] = game_key, first + game, 0
        choices[0], choices[1], choices[2] = choice_key, first + game, 0
        rules.start(position, dice)
        positions[game, 0] = position
        style[HASTE] = 3 + below(choices, 14)
        style[CAREFUL] = below(choices, 2)
        style[RED] = below(choices, 3)
        length = 0
        while rules.turn(position) != rules.OVER:
            action = choose(position, mask, style, choices)
            rules.apply(position, action, dice)
            actions[game, length] = action
            length += 1
            if action == rules.END:
                positions[game, position[rules.PLAYED]] = position
        lengths[game] = length


def step_of(action: int) -> tuple[str, str]:
    """Return the nodes of a movelet, worked out from its number: node * 4 + n, e, s, w."""
    node = NODES[action // 4]
    columns, rows = [(0, 1), (1, 0), (0, -1), (-1, 0)][action % 4]
    column, row = chr(ord(node[0]) + columns), int(node[1]) + rows
    return (node, GOAL) if row == 6 else (node, f"{column}{row}")


STEPS = [step_of(action) for action in range(100)]
ACTION_OF = {step: action for action, step in enumerate(STEPS)}
INDEX = {node: index for index, node in enumerate(NODES)}


def layout(twin: PlainLucid) -> list[int]:
    """Write the twin's game as a position."""
    cells = [0] * rules.POSITION_SIZE
    for node, units in twin.units["blue"].items():
        cells[rules.BLUE + INDEX[node]] = units
    for node, units in twin.units["red"].items():
        cells[rules.RED + INDEX[node]] = units
    for node, side in twin.attacker.items():
        cells[rules.ATTACKER + INDEX[node]] = 1 if side == "blue" else 2
    for node, units in twin.entered.items():
        cells[rules.ARRIVED + INDEX[node]] = units
    cells[rules.GOAL], cells[rules.PLAYED] = twin.goal, twin.turns
    cells[rules.MOVER] = -1 if twin.mover is None else SIDES.index(twin.mover)
    return cells


def check_legal_set(twin: PlainLucid) -> None:
    mask = np.zeros(rules.ACTIONS, dtype=np.bool_)
    count = rules.legal(np.array(layout(twin), dtype=np.int16), mask)
    expected = {ACTION_OF[step] for step in twin.legal_steps()} | {rules.END}
    assert set(np.flatnonzero(mask)) == expected
    assert count == len(expected)


def replay(number: int, actions: list[int], positions: list[list[int]], seen: Counter) -> None:
    """Play one recorded game again with the twin; it must agree after every turn."""
    dice = PlainDice(SEED, "game", number)
    twin = PlainLucid(SIDES[dice.coin()])
    twin.seen = seen
    assert layout(twin) == positions[0]
    for index, action in enumerate(actions):
        if action == rules.END:
            twin.end_turn(dice)
            assert layout(twin) == positions[twin.turns], f"game {number}, turn {twin.turns}"
        else:
            twin.step(*STEPS[action])
        if (number + index) % LEGAL_SETS_EVERY == 0 and twin.mover:
            check_legal_set(twin)
            seen["legal sets compared"] += 1
    assert twin.mover is None
    scores = np.zeros(2)
    rules.score(np.array(positions[twin.turns], dtype=np.int16), scores)
    assert tuple(scores) == (twin.goal, -twin.goal)


def test_kernels_and_twin_agree_on_four_thousand_games():
    seen: Counter[str] = Counter()
    keys = np.uint64(stream_key(SEED, "game")), np.uint64(stream_key(SEED, "choices"))
    for first in range(0, GAMES, GAMES_AT_ONCE):
        actions = np.zeros((GAMES_AT_ONCE, LONGEST), dtype=np.int16)
        lengths = np.zeros(GAMES_AT_ONCE, dtype=np.int64)
        positions = np.zeros((GAMES_AT_ONCE, TURNS + 1, rules.POSITION_SIZE), dtype=np.int16)
        play_and_record(first, *keys, actions, lengths, positions)
        for game in range(GAMES_AT_ONCE):
            played = actions[game, : lengths[game]].tolist()
            replay(first + game, played, positions[game].tolist(), seen)
    rare = {name: seen[name] for name, times in WANTED.items() if seen[name] < times}
    assert not rare, seen
    assert seen["legal sets compared"] > 4_000


def test_the_twin_knows_the_board():
    assert len(NODES) == 25
    assert sum(len(others) for others in NEIGHBOURS.values()) == 2 * 40
    assert sorted(NEIGHBOURS["A1"]) == ["A2", "B1"]


def test_the_twin_refuses_what_the_rules_forbid():
    twin = PlainLucid("blue")
    for step, point in [(("A1", "A3"), "2: no edge"), (("A1", "B1"), "2: no room"),
                        (("A5", "A4"), "2: no unit"), (("A1", GOAL), "3: ")]:  # fmt: skip
        with pytest.raises(IllegalMovelet, match=point):
            twin.step(*step)


def test_kernels_agree_with_their_own_source():
    """A few turns with compilation switched off, function by function."""
    game = make_game("lucid")
    compiled_dice, plain_dice, choices = Dice(1), Dice(1), Dice(1, "choices")
    position = game.start(compiled_dice).position.copy()
    other = game.empty_position()
    rules.start.py_func(other, plain_dice.array)
    mask = np.zeros(rules.ACTIONS, dtype=np.bool_)
    style = np.array([6, 1, 1])
    for _ in range(200):
        assert np.array_equal(position, other)
        action = choose(position, mask, style, choices.array)
        rules.apply(position, action, compiled_dice.array)
        rules.apply.py_func(other, action, plain_dice.array)
