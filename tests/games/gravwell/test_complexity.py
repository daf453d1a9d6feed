"""The formulas of section 2.2 against figures worked out by hand, and against plain counting."""

import itertools
from math import comb, factorial

import pytest

from sandtable.games.gravwell.complexity import (
    board_permutations,
    boards,
    distinct_play_sequences,
    hulks,
    play_sequences,
    stop_sequences,
)
from sandtable.games.gravwell.drawing.stop_trees import counted_stops, named_stops
from sandtable.registry import make_game


@pytest.mark.parametrize(
    ("players", "by_hand"),
    [
        (2, 54 * 53 * 52 + 2),
        (3, 54 * 53 * 52 * 51 * 50 // 2 + 6),
        (4, 54 * 53 * 52 * 51 * 50 * 49 // 2 + 24),
    ],
)
def test_board_permutations(players, by_hand):
    assert board_permutations(players) == by_hand


def test_board_permutations_in_figures():
    assert [board_permutations(players) for players in (2, 3, 4)] == [
        148_826,
        189_750_606,
        9_297_779_424,
    ]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("tiles", [4, 6])
def test_exact_boards_are_those_one_can_count(players, tiles):
    found = set()
    for placed in itertools.product(range(tiles + 1), repeat=players + hulks(players)):
        outside = [tile for tile in placed if tile]
        if len(set(outside)) == len(outside):
            found.add((placed[:players], tuple(sorted(placed[players:]))))
    assert boards(players, tiles) == len(found)


def test_the_published_formula_leaves_out_most_boards_with_ships_in_the_singularity():
    for players in (2, 3, 4):
        outside = board_permutations(players, 6)
        assert outside < boards(players, 6)
        assert boards(players) > board_permutations(players)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("turns", [0, 1, 2, 3, 6])
def test_stop_sequences_are_those_of_the_tree(players, turns):
    paths = [players]  # how many can still stop, at the end of each way through the tree
    for _ in range(turns):
        paths = [left for before in paths for left in range(before + 1)]
    assert stop_sequences(turns, players) == len(paths)


def test_stop_sequences_of_two_turns_as_in_the_first_figure():
    assert [stop_sequences(2, players) for players in (2, 3, 4)] == [6, 10, 15]


@pytest.mark.parametrize("players", [2, 3])
def test_distinct_stops_of_three_turns_as_in_the_second_figure(players):
    turn_of_each = itertools.product(range(4), repeat=players)  # 3: never
    cards = distinct_play_sequences(3, players) // len(list(turn_of_each))
    expected = 1
    for card in range(3 * players):
        expected *= 26 - card
    assert cards == expected


def test_play_sequences_by_hand():
    assert play_sequences(0, 4) == 1
    assert play_sequences(1, 2) == 3 * 325
    assert play_sequences(2, 2) == 6 * 325 * 276
    assert distinct_play_sequences(1, 2) == 4 * 26 * 25
    assert distinct_play_sequences(2, 3) == 27 * 26 * 25 * 24 * 23 * 22 * 21


@pytest.mark.parametrize(
    ("players", "in_figures", "distinct_in_figures"),
    [(2, 2.024e15, 2.267e17), (3, 1.801e19, 3.431e24), (4, 2.216e20, 4.842e29)],
)
def test_a_whole_round_counted_in_one_go(players, in_figures, distinct_in_figures):
    deals = factorial(26) // factorial(26 - 6 * players)  # in order, to seats and turns
    assert distinct_play_sequences(6, players) == 7**players * deals
    assert play_sequences(6, players) == (
        comb(6 + players, players) * deals // factorial(players) ** 6
    )
    assert play_sequences(6, players) == pytest.approx(in_figures, rel=1e-3)
    assert distinct_play_sequences(6, players) == pytest.approx(distinct_in_figures, rel=1e-3)


def test_a_round_has_six_turns():
    with pytest.raises(ValueError, match="0 to 6 turns, got 7"):
        play_sequences(7, 2)


def leaves(node):
    return sum(leaves(branch.node) for branch in node.branches) or 1


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_drawn_trees_have_as_many_ends_as_the_formulas_say(players, turns):
    assert leaves(counted_stops(players, turns)) == stop_sequences(turns, players)
    assert leaves(named_stops("T" * players, turns)) == (turns + 1) ** players


def test_sizes_are_told_by_the_game():
    table = make_game("gravwell").sizes()
    assert table.columns == ("2 players", "3 players", "4 players")
    assert table.rows["(1) board permutations"][0] == 148_826
    assert all(len(row) == 3 for row in table.rows.values())
    assert table.svg().startswith("<svg")
