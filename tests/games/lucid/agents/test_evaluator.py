"""The evaluator: its kernels against plain twins, and what it knows without having learned."""

from __future__ import annotations

import numpy as np
import pytest

from sandtable.agents.weights import weights_bytes
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.evaluator import bitboards, network
from sandtable.games.lucid.agents.evaluator.bitboards import (
    BOARDS,
    FEATURES,
    mirror_boards,
    read_boards,
)
from sandtable.registry import make_game
from sandtable.types import OVER

LUCID = make_game("lucid")
COLUMNS, ROWS = range(5), range(5)


def random_weights(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 0.2, network.PARAMETERS).astype(np.float32)


def positions_after_moves(count: int, seed: int = 3) -> list[np.ndarray]:
    """Return positions of random games in which some movelets of a turn are made."""
    found: list[np.ndarray] = []
    number = 0
    while len(found) < count:
        dice = Dice(seed, "evaluator test", number)
        number += 1
        state = LUCID.start(dice)
        for _ in range(40 + dice.below(160)):
            north = [action for action in state.legal if action % 4 == rules.NORTH]
            liked = north if dice.below(2) and north else state.legal
            action = rules.END if dice.below(6) == 0 else liked[dice.below(len(liked))]
            state = state.play(action, dice)
            if state.turn == OVER:
                break
        if state.turn != OVER:
            found.append(np.array(state.position))
    return found


def plain_supply(blue: dict, red: dict) -> set:
    """Nodes of Blue alone from which such nodes lead to row 1."""
    alone = {node for node in blue if node not in red}
    reached = {node for node in alone if node[0] == 0}
    while True:
        grown = {
            (row, column)
            for row, column in alone
            if any(abs(row - r) + abs(column - c) == 1 for r, c in reached)
        } | reached
        if grown == reached:
            return reached
        reached = grown


def plain_features(position: np.ndarray) -> np.ndarray:
    """The features of an after-move position, one by one from their description."""
    grids = position[: rules.GOAL].reshape(4, 5, 5)
    nodes = [(row, column) for row in ROWS for column in COLUMNS]
    blue = {node: int(grids[0][node]) for node in nodes if grids[0][node]}
    red = {node: int(grids[1][node]) for node in nodes if grids[1][node]}
    supply = plain_supply(blue, red)
    features = np.zeros((BOARDS, 5, 5))
    for row, column in nodes:
        here = (row, column)
        for level in range(3):
            features[level][here] = blue.get(here, 0) > level
            features[3 + level][here] = red.get(here, 0) > level
        features[9][here] = here in supply
        if here in blue and here in red:
            attacker = int(position[rules.MOVER]) if grids[3][here] else int(grids[2][here]) - 1
            features[6 + attacker][here] = 1
            beside = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
            features[8][here] = row > 0 and not any(other in supply for other in beside)
    totals = [sum(blue.values()) > n for n in range(15)] + [
        sum(red.values()) > n for n in range(10)
    ]
    features[10] = np.reshape(totals, (5, 5))
    turns = np.zeros(rules.TURNS)
    turns[rules.TURNS - 1 - position[rules.PLAYED]] = 1
    return np.concatenate([features.reshape(-1), turns])


def plain_value(position: np.ndarray, weights: np.ndarray) -> float:
    """The network by matrices, in double precision."""
    if position[rules.PLAYED] == rules.TURNS - 1:
        return float(position[rules.GOAL])
    wide = weights.astype(np.float64)
    first = wide[network.FIRST_WEIGHTS : network.FIRST_BIAS].reshape(FEATURES, network.HIDDEN)
    second = wide[network.SECOND_WEIGHTS : network.SECOND_BIAS].reshape(
        network.HIDDEN, network.SECOND_HIDDEN
    )
    hidden = np.maximum(
        plain_features(position) @ first + wide[network.FIRST_BIAS : network.SECOND_WEIGHTS], 0
    )
    hidden = np.maximum(hidden @ second + wide[network.SECOND_BIAS : network.OUTPUT_WEIGHTS], 0)
    total = hidden @ wide[network.OUTPUT_WEIGHTS : network.OUTPUT_BIAS] + wide[network.OUTPUT_BIAS]
    units = int(position[rules.BLUE : rules.BLUE + rules.NODES].sum())
    return float(position[rules.GOAL] + units / (1 + np.exp(-total)))


def test_boards_are_those_of_a_plain_twin():
    boards = np.zeros(BOARDS, dtype=np.int64)
    seen = np.zeros(BOARDS, dtype=np.int64)
    for position in positions_after_moves(60):
        blue = read_boards(position, boards, 0)
        assert blue == position[: rules.RED].sum()
        bits = [[int(board) >> node & 1 for node in range(rules.NODES)] for board in boards]
        expected = plain_features(position)[: BOARDS * rules.NODES]
        assert np.array_equal(np.reshape(bits, -1), expected)
        seen |= boards
    assert seen.all()  # every board has been of use


def test_values_are_those_of_a_plain_twin():
    weights = random_weights(1)
    evaluator = network.new_evaluator(weights)
    for position in positions_after_moves(40, seed=4):
        expected = plain_value(position, weights)
        assert network.evaluate(position, evaluator) == pytest.approx(expected, abs=1e-4)


def test_a_mirrored_position_has_mirrored_boards():
    one, other = np.zeros(BOARDS, dtype=np.int64), np.zeros(BOARDS, dtype=np.int64)
    for position in positions_after_moves(20, seed=5):
        mirrored = np.array(position)
        grids = position[: rules.GOAL].reshape(4, 5, 5)
        mirrored[: rules.GOAL] = grids[:, :, ::-1].reshape(-1)
        read_boards(position, one, 0)
        read_boards(mirrored, other, 0)
        mirror_boards(one)
        assert np.array_equal(one, other)


def test_every_bit_is_found():
    for bit in range(rules.NODES):
        assert network.lowest_bit(1 << bit) == bit
        assert network.lowest_bit((1 << bit) | (1 << 24)) == bit


def test_the_last_turn_and_an_empty_board_need_no_network():
    evaluator = network.new_evaluator(random_weights(2))
    last = LUCID.parse("2,b3,2/5/5/5/5 b 36 4 -").position
    assert network.evaluate(np.array(last), evaluator) == 4
    position = np.array(LUCID.parse("2,b1,2/5/5/5/5 b 20 4 -").play("c5-goal").position)
    assert network.evaluate(position, evaluator) == 5


def test_the_boards_are_listed_in_the_order_of_their_numbers():
    names = ("BLUE_BOARD", "RED_BOARD", "BLUE_ATTACKING", "RED_ATTACKING", "UNSUPPLIED", "TOTALS")
    numbers = [getattr(bitboards, name) for name in names]
    assert numbers == [0, 3, 6, 7, 8, 10]


@pytest.mark.parametrize("name", ["td", "axes-red", "early-red", "champions"])
def test_bundled_weights_know_who_is_better_off(name: str):
    evaluator = network.new_evaluator(network.load_weights(name))
    good = "r1,r1,r1,r1,r1/b3,b3,1,b3,b3/5/5/b3,4 b 14 0 -"
    bad = "r2,r2,r2,r2,r2/5/5/5/b3,b3,3 b 30 0 -"
    values = [
        network.evaluate(np.array(LUCID.parse(line).position), evaluator) for line in (good, bad)
    ]
    assert values[0] > 5
    assert 0 <= values[1] < 2


def test_wrong_weights_are_told(tmp_path):
    assert network.path_of("td").is_file()
    with pytest.raises(SandtableError, match=r"no weights 'champion-blu'.*Did you mean"):
        network.load_weights("champion-blu")
    with pytest.raises(SandtableError, match="cannot read"):
        network.load_weights(str(tmp_path / "none.safetensors"))
    whole = weights_bytes(random_weights(3), {"about": "a test"})
    path = tmp_path / "weights.safetensors"
    path.write_bytes(whole)
    assert np.array_equal(network.load_weights(str(path)), random_weights(3))
    for damaged in (
        whole[:-8],
        whole[:-1] + bytes([whole[-1] ^ 1]),
        b"",
        b"these are no weights at all",
        weights_bytes(np.zeros(network.PARAMETERS - 2, dtype=np.float32), {}),
        weights_bytes(np.full(network.PARAMETERS, np.nan, dtype=np.float32), {}),
    ):
        path.write_bytes(damaged)
        with pytest.raises(SandtableError, match=r"damaged|does not fit") as caught:
            network.load_weights(str(path))
        assert str(path) in str(caught.value) and "\n" not in str(caught.value)
