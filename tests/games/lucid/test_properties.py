"""What holds in every game of Operation Lucid, tried on games that hypothesis makes up."""

import itertools

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sandtable.dice import Dice
from sandtable.games.lucid import rules
from sandtable.registry import make_game
from sandtable.types import OVER, State

LUCID = make_game("lucid")
PLENTY = settings(max_examples=60, deadline=None, derandomize=True)

seeds = st.integers(0, 2**32)
lengths = st.integers(0, 250)


def play(seed: int, length: int) -> list[State]:
    """Play so many actions of a game; every fifth ends a turn, and half of the others go north."""
    dice, choices = Dice(seed), Dice(seed, "choices")
    states = [LUCID.start(dice)]
    while len(states) <= length and states[-1].turn != OVER:
        legal = states[-1].legal
        north = [action for action in legal if action % rules.DIRECTIONS == rules.NORTH]
        liked = north if choices.below(2) else legal
        action = rules.END if choices.below(5) == 0 else liked[choices.below(len(liked))]
        states.append(states[-1].play(action, dice))
    return states


def boards(state: State) -> tuple[np.ndarray, np.ndarray]:
    return state.position[: rules.RED], state.position[rules.RED : rules.ATTACKER]


@PLENTY
@given(seeds, lengths)
def test_units_are_only_moved_or_lost_and_only_at_the_end_of_a_turn(seed, length):
    states = play(seed, length)
    for before, after in itertools.pairwise(states):
        (blue, red), (blue_after, red_after) = boards(before), boards(after)
        blue_change = blue_after.sum() + after.position[rules.GOAL] - (
            blue.sum() + before.position[rules.GOAL]
        )  # fmt: skip
        red_change = red_after.sum() - red.sum()
        if after.position[rules.PLAYED] == before.position[rules.PLAYED]:
            assert (blue_change, red_change) == (0, 0)
        else:
            combats = int(((blue > 0) & (red > 0)).sum())
            assert blue_change + red_change == -combats
            assert max(blue_change, red_change) <= 0


@PLENTY
@given(seeds, lengths)
def test_numbers_stay_in_their_bounds(seed, length):
    states = play(seed, length)
    goals = [int(state.position[rules.GOAL]) for state in states]
    assert goals == sorted(goals)
    for state in states:
        blue, red = boards(state)
        assert min(blue.min(), red.min()) >= 0
        assert max(blue.max(), red.max()) <= rules.CAPACITY
        assert state.position[rules.PLAYED] <= rules.TURNS
        if state.turn != OVER:
            assert rules.END in state.legal


@PLENTY
@given(seeds, lengths)
def test_marks_stand_exactly_where_both_colours_do(seed, length):
    for state in play(seed, length):
        blue, red = boards(state)
        marks = state.position[rules.ATTACKER : rules.ARRIVED]
        if not state.position[rules.ARRIVED : rules.GOAL].any():  # nobody has moved yet
            assert np.array_equal(marks > 0, (blue > 0) & (red > 0))


@PLENTY
@given(seeds, lengths, st.data())
def test_the_order_of_movelets_does_not_matter_for_the_placement(seed, length, data):
    state = next((each for each in reversed(play(seed, length)) if each.turn != OVER), None)
    assume(state is not None)
    movelets: list[int] = []
    moved = state
    while len(movelets) < 6 and len(moved.legal) > 1:
        action = data.draw(st.sampled_from(moved.legal[:-1]))  # the last one is END
        movelets.append(action)
        moved = moved.play(action)
    for _ in range(5):
        order = data.draw(st.permutations(movelets))
        other = state
        for action in order:
            if action not in other.legal:  # the way was not free yet in this order
                break
            other = other.play(action)
        else:
            assert other == moved


@PLENTY
@given(seeds, lengths)
def test_a_game_is_the_same_seen_from_the_other_side_of_the_board(seed, length):
    """Mirrored left to right the legal movelets are the mirrored ones, and so are their results."""
    for state in play(seed, length)[-3:]:
        mirrored = State(LUCID, mirror(state.position))
        assert {mirror_action(action) for action in state.legal} == set(mirrored.legal)
        for action in state.legal[:3]:
            if action != rules.END:
                one = state.play(action).position
                assert np.array_equal(mirror(one), mirrored.play(mirror_action(action)).position)


def mirror(position: np.ndarray) -> np.ndarray:
    other = np.array(position)
    grids = position[: rules.GOAL].reshape(4, rules.SIDE, rules.SIDE)
    other[: rules.GOAL] = grids[:, :, ::-1].reshape(-1)
    return other


def mirror_action(action: int) -> int:
    if action == rules.END:
        return action
    node, direction = divmod(action, rules.DIRECTIONS)
    row, column = divmod(node, rules.SIDE)
    swapped = {rules.EAST: rules.WEST, rules.WEST: rules.EAST}.get(direction, direction)
    return (row * rules.SIDE + rules.SIDE - 1 - column) * rules.DIRECTIONS + swapped
