"""Stratego's champion: positions drawn from beliefs, the look ahead, and set-ups."""

import numpy as np
import pytest

from sandtable.agents.stratego.champion import Champion, drawn
from sandtable.agents.stratego.champion_search import believed, draw_believed, look_ahead
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.games.stratego import layout
from sandtable.games.stratego.game import stratego
from sandtable.registry import make_agent


@pytest.fixture(scope="module")
def view():
    """Red's view in the middle of a game, with pieces that have moved and pieces that are known."""
    state, dice = stratego().start(Dice(11)), Dice(12)
    while state.turn == 1 or state.position[layout.PLIES] < 160:
        moves = state.legal
        state = state.play(moves[int(dice.array[1]) % len(moves)], dice)
        dice.array[1] += np.uint64(1)
    return state.view(0)


def test_drawn_positions_agree_with_the_view(view):
    even = np.full((12, 100), 1 / 12, dtype=np.float32)
    for number in range(20):
        position = np.array(view.position)
        draw_believed(position, 0, even, Dice(number).array)
        again = np.array(position)
        view.game.rules.hide(again, 0)
        assert np.array_equal(again, view.position)
        cells = position[:100][(position[:100] & (layout.OWNED << 1)) != 0]
        counts = np.bincount(cells & layout.RANK_BITS, minlength=layout.RANKS)
        alive = layout.ALIVE + layout.RANKS
        assert np.array_equal(counts, position[alive : alive + layout.RANKS])
        assert not ((cells & layout.MOVED != 0) & (cells & layout.RANK_BITS >= layout.BOMB)).any()


def test_a_firm_belief_is_always_drawn(view):
    hidden = [
        square
        for square in range(100)
        if view.position[square] & layout.RANK_BITS == 0
        and view.position[square] & (layout.OWNED << 1)
        and not view.position[square] & layout.MOVED
    ]
    beliefs = np.full((12, 100), 0.1, dtype=np.float32)
    beliefs[layout.FLAG - 1] = 0.0
    beliefs[layout.FLAG - 1, hidden[3]] = 1.0
    for number in range(10):
        position = np.array(view.position)
        draw_believed(position, 0, beliefs, Dice(number).array)
        assert position[hidden[3]] & layout.RANK_BITS == layout.FLAG


def test_the_look_ahead_shows_what_the_opponent_would_see(view):
    moves = np.flatnonzero(view.mask)[:5]
    even = np.full((12, 100), 1 / 12, dtype=np.float32)
    planes = np.empty((2, len(moves), *view.game.plane_shape), dtype=np.float32)
    values = np.empty((2, len(moves)))
    look_ahead(np.array(view.position), 0, even, moves, Dice(3).array, planes, values)
    dice = Dice(3)
    for number in range(2):
        sample = np.array(view.position)
        draw_believed(sample, 0, even, dice.array)
        for index, move in enumerate(moves):
            after = type(view)(view.game, sample).play(int(move))
            if after.turn >= 0:
                assert np.isnan(values[number, index])
                assert np.array_equal(planes[number, index], after.planes(1))
            else:
                assert values[number, index] == after.outcome.scores[0]


def test_beliefs_are_chances_and_turn_with_the_board():
    logits = np.random.default_rng(0).normal(size=(12, 100)).astype(np.float32)
    red, blue = believed(logits, 0), believed(logits, 1)
    assert np.allclose(red.sum(axis=0), 1.0)
    assert np.array_equal(blue, red[:, ::-1])


def test_draws_follow_the_logits():
    logits = np.log(np.array([0.1, 0.6, 0.3], dtype=np.float32))
    dice = Dice(4)
    counts = np.bincount([drawn(logits, dice) for _ in range(3000)], minlength=3)
    assert np.allclose(counts / 3000, [0.1, 0.6, 0.3], atol=0.04)


@pytest.mark.parametrize("variant", ["barrage", "duel"])
def test_it_sets_up_and_plays_on_boards_it_has_not_learned_on(variant):
    state, champion, dice = (
        stratego(variant=variant, setup="choose").start(Dice(0)),
        Champion(samples=2, width=3),
        Dice(1),
    )
    for _ in range(6):
        state = state.play(champion.choose(state.view(state.turn), dice))
    assert state.position[layout.PLIES] == 4


def test_the_small_board_is_refused_in_one_line():
    with pytest.raises(WrongSeats, match="large board"):
        Champion.suits(stratego(variant="mini"))


@pytest.mark.parametrize(
    "options", ["samples=-1", "width=0", "temperature=-1", "trust=-2", "weights=chmpion"]
)
def test_bad_options_are_told_in_one_line(options):
    with pytest.raises(SandtableError) as told:
        make_agent(f"stratego/champion:{options}")
    assert "\n" not in str(told.value)
