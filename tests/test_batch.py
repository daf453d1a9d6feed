"""Batches are single games side by side: the same positions, masks, planes and results."""

from dataclasses import replace

import numpy as np
import pytest

from sandtable.batch import Batch
from sandtable.dice import Dice
from sandtable.errors import IllegalAction, SandtableError
from sandtable.registry import make_game
from sandtable.types import OVER, State

SEED = 5
ARRAYS = ("positions", "turns", "masks", "observations", "scores", "over", "numbers")


@pytest.fixture(scope="module")
def lucid():
    return make_game("lucid")


def snapshot(batch: Batch) -> dict[str, np.ndarray]:
    return {name: np.array(getattr(batch, name)) for name in ARRAYS}


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return all(np.array_equal(one[name], other[name]) for name in ARRAYS)


def assert_row_shows(batch: Batch, row: int, state: State) -> None:
    assert np.array_equal(batch.positions[row], state.position)
    assert batch.turns[row] == state.turn
    assert batch.over[row] == (state.turn == OVER)
    if state.outcome is None:
        assert np.array_equal(batch.masks[row], state.mask)
        assert np.array_equal(batch.observations[row], state.planes())
        assert not batch.scores[row].any()
    else:
        assert not batch.masks[row].any()
        assert not batch.observations[row].any()
        assert tuple(batch.scores[row]) == state.outcome.scores


def test_rows_are_the_games_of_single_play(lucid):
    first, size = 100, 4
    batch = Batch(lucid, size, seed=SEED, first=first)
    dice = [Dice(SEED, "game", first + row) for row in range(size)]
    states = [lucid.start(each) for each in dice]
    steps = 0
    while not batch.over.all():
        for row in range(size):
            assert_row_shows(batch, row, states[row])
        actions = batch.random_actions()
        for row in np.flatnonzero(~batch.over):
            states[row] = states[row].play(int(actions[row]), dice[row])
        batch.step(actions)
        steps += 1
    for row in range(size):
        assert_row_shows(batch, row, states[row])
    assert list(batch.numbers) == [100, 101, 102, 103]
    assert 100 < steps <= lucid.max_actions


def test_finished_rows_stay_and_ignore_their_actions(lucid):
    batch = Batch(lucid, 2, seed=SEED)
    while not batch.over.all():
        batch.step(batch.random_actions())
    before = snapshot(batch)
    batch.step([-7, 10**6])
    assert same(before, snapshot(batch))


@pytest.mark.parametrize("auto_reset", [False, True])
def test_any_number_of_threads_gives_the_same(lucid, auto_reset):
    batches = [
        Batch(lucid, 23, seed=SEED, threads=threads, auto_reset=auto_reset)
        for threads in (1, 2, 5, 64)
    ]
    for _ in range(700):
        for batch in batches:
            batch.step(batch.random_actions())
    assert all(same(snapshot(batches[0]), snapshot(batch)) for batch in batches[1:])
    assert batches[0].numbers.max() >= (46 if auto_reset else 22)


def play_randomly(game, number: int) -> tuple[float, ...]:
    """One game by the batch's streams, without a batch."""
    dice, choices = Dice(SEED, "game", number), Dice(SEED, "random actions", number)
    state = game.start(dice)
    while state.outcome is None:
        state = state.play(state.legal[choices.below(len(state.legal))], dice)
    return state.outcome.scores


def test_finished_rows_go_on_with_the_next_number(lucid):
    batch = Batch(lucid, 8, seed=SEED, auto_reset=True, observe=False)
    results = {}
    for _ in range(900):
        numbers = np.array(batch.numbers)
        batch.step(batch.random_actions())
        ended = np.flatnonzero(batch.over)
        for row in ended:
            results[int(numbers[row])] = tuple(batch.scores[row])
            assert batch.turns[row] != OVER
            assert batch.positions[row].sum() in (25, 26)  # units at the start, and who moves
        assert list(batch.numbers[ended]) == sorted(batch.numbers[ended])
        assert (batch.numbers[~batch.over] == numbers[~batch.over]).all()
    assert len(results) > 20
    assert set(results) | set(map(int, batch.numbers)) == set(range(batch.numbers.max() + 1))
    for number in sorted(results)[:3] + sorted(results)[-2:]:
        assert results[number] == play_randomly(lucid, number)


def test_an_illegal_action_changes_nothing_in_any_row(lucid):
    batch = Batch(lucid, 4, seed=SEED, threads=2)
    before = snapshot(batch)
    actions = np.array(batch.random_actions())
    for wrong, name in (
        (lucid.notation.parse_action("c3-c4"), "'c3-c4'"),
        (101, "101"),
        (-1, "-1"),
    ):
        with pytest.raises(IllegalAction, match=rf"row 2 \(game 2\).*{name} is not legal in"):
            batch.step([*actions[:2], wrong, actions[3]])
        assert same(before, snapshot(batch))
    batch.step(actions)
    other = Batch(lucid, 4, seed=SEED)
    other.step(actions)
    assert same(snapshot(batch), snapshot(other))


@pytest.mark.parametrize("actions", [[1, 2], 3, [[100, 100, 100]], [1.5, 2.5, 3.5], ["end"] * 3])
def test_step_wants_one_whole_number_for_each_row(lucid, actions):
    with pytest.raises(SandtableError, match="step takes 3 whole numbers"):
        Batch(lucid, 3).step(actions)


def test_arrays_are_made_once_and_cannot_be_written(lucid):
    batch = Batch(lucid, 3, seed=SEED, auto_reset=True)
    arrays = [getattr(batch, name) for name in ARRAYS]
    drawn = batch.random_actions()
    batch.step(drawn)
    batch.reset()
    assert all(getattr(batch, name) is array for name, array in zip(ARRAYS, arrays, strict=True))
    assert np.shares_memory(drawn, batch.random_actions())
    for array in [*arrays, drawn]:
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


def test_arrays_have_the_declared_shapes(lucid):
    batch = Batch(lucid, 3)
    shapes = {
        name: (getattr(batch, name).dtype.name, getattr(batch, name).shape) for name in ARRAYS
    }
    assert shapes == {
        "positions": ("int16", (3, lucid.position_size)),
        "turns": ("int64", (3,)),
        "masks": ("bool", (3, lucid.action_count)),
        "observations": ("float32", (3, *lucid.plane_shape)),
        "scores": ("float64", (3, 2)),
        "over": ("bool", (3,)),
        "numbers": ("int64", (3,)),
    }


def test_reset_begins_again_or_elsewhere(lucid):
    batch = Batch(lucid, 3, seed=SEED, auto_reset=True)
    start = snapshot(batch)
    for _ in range(400):
        batch.step(batch.random_actions())
    batch.reset()
    assert same(start, snapshot(batch))
    batch.reset(first=50)
    other = Batch(lucid, 3, seed=SEED, first=50, auto_reset=True)
    for each in (batch, other) * 400:
        each.step(each.random_actions())
    assert same(snapshot(batch), snapshot(other))
    assert batch.numbers.max() > 52


def test_observations_can_be_left_out(lucid):
    batch = Batch(lucid, 2, observe=False)
    batch.step(batch.random_actions())
    assert batch.observations.shape == (0, *lucid.plane_shape)


def test_random_actions_are_uniform_over_the_legal_ones(lucid):
    batch = Batch(lucid, 6000, seed=SEED, observe=False)
    blue = np.flatnonzero(batch.turns == 0)
    legal = np.flatnonzero(batch.masks[blue[0]])
    counts = np.bincount(batch.random_actions()[blue], minlength=lucid.action_count)
    expected = len(blue) / len(legal)
    assert counts[legal].sum() == len(blue)
    chi_square = ((counts[legal] - expected) ** 2 / expected).sum()
    assert chi_square < len(legal) - 1 + 5 * (2 * (len(legal) - 1)) ** 0.5


@pytest.mark.parametrize("name", ["lucid", "skirmish"])
def test_every_draw_is_the_legal_action_that_the_dice_name(name):
    batch = Batch(make_game(name), 32, seed=SEED, observe=False, frame="board")
    dice = [Dice(SEED, "random actions", row) for row in range(32)]
    for _ in range(240):
        expected = [
            0 if over else np.flatnonzero(mask)[each.below(mask.sum())]
            for over, mask, each in zip(batch.over, batch.masks, dice, strict=True)
        ]
        assert list(batch.random_actions()) == expected
        batch.step(expected)
    assert batch.over.any()


def test_a_plain_function_among_the_rules_is_named(lucid):
    broken = replace(lucid, rules=replace(lucid.rules, score=lambda position, scores: None))
    with pytest.raises(SandtableError, match="'score' is a plain function"):
        Batch(broken, 1)


@pytest.mark.parametrize("arguments", [{"size": 0}, {"size": 1, "threads": 0}])
def test_impossible_sizes_are_refused(lucid, arguments):
    with pytest.raises(SandtableError, match="at least 1 row"):
        Batch(lucid, **arguments)
