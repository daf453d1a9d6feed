"""Stratego's champion: positions drawn from beliefs, the look ahead, and set-ups."""

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.agent import Champion, drawn
from sandtable.games.stratego.agents.champion.search import believed, draw_believed
from sandtable.games.stratego.agents.square_codes import MIRRORED_ACTIONS, TURNED_ACTIONS
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


def test_the_look_ahead_answers_as_the_opponent_would(view):
    champion = Champion()
    network = champion.network_for(view)
    moves = np.flatnonzero(view.mask)[:5]
    beliefs = champion.candidates(view)[2]
    found = champion.values_after(view, moves, beliefs, 3, Dice(3))
    dice, expected = Dice(3), np.zeros((3, len(moves)))
    for number in range(3):
        sample = np.array(view.position)
        draw_believed(sample, 0, believed(beliefs, 0), dice.array)
        for index, move in enumerate(moves):
            after = type(view)(view.game, sample).play(int(move))
            if after.turn >= 0:  # the answer sees only what the opponent sees
                thoughts = network(after.view(1).planes()[None])
                liked = {each: thoughts.moves[0, TURNED_ACTIONS[each]] for each in after.legal}
                after = after.play(max(liked, key=lambda each: liked[each]))
            if after.turn >= 0:
                expected[number, index] = network(after.view(0).planes()[None]).values[0]
            else:
                expected[number, index] = after.outcome.scores[0]
    assert np.allclose(found, expected.mean(axis=0), atol=1e-4)


def test_moves_far_below_the_best_are_not_looked_at(view):
    moves, logits, beliefs = Champion(mirror=False).candidates(view)
    best = int(moves[logits.argmax()])
    alone = Champion(mirror=False, samples=2, margin=0.0, trust=1000.0)
    assert alone.looked_ahead(view, moves, logits, beliefs, Dice(1))[0].tolist() == [best]
    wide = Champion(mirror=False, samples=2, width=4, margin=1000.0)
    assert len(wide.looked_ahead(view, moves, logits, beliefs, Dice(1))[0]) == 4


@pytest.mark.parametrize(
    ("red", "blue", "for_red", "for_blue"),
    [
        ("random", "random", "champion", "champion"),
        ("random", "named", "champion-built", "champion"),
        ("corner", "choose", "champion-built", "champion-built"),
    ],
)
def test_the_network_fits_how_the_other_side_sets_up(red, blue, for_red, for_blue):
    game = stratego(red=red, blue=blue)
    state, fitting = game.start(Dice(1)), Champion("fitting")
    while state.position[layout.PLIES] < 2:
        if not layout.setting_up(state.position):
            name = (for_red, for_blue)[state.turn]
            assert fitting.network_for(state.view(state.turn)) is fitting.network(name)
            _, found, _ = fitting.candidates(state.view(state.turn))
            assert np.array_equal(found, Champion(name).candidates(state.view(state.turn))[1])
        state = state.play(state.legal[0])
    for name in ("champion", "champion-built", "champion-schooled"):
        given = Champion(name)
        assert given.network_for(state.view(state.turn)) is given.network(name)


@pytest.mark.parametrize("weights", ["champion", "champion-schooled"])
def test_a_mirrored_board_is_seen_as_the_same(view, weights):
    network = Champion().network(weights)
    planes = view.planes()[None]
    straight, mirrored = network.both_ways(planes), network.both_ways(planes[..., ::-1].copy())
    assert np.allclose(straight.moves, mirrored.moves[:, MIRRORED_ACTIONS], atol=1e-4)
    assert np.allclose(straight.values, mirrored.values, atol=1e-5)
    turned = mirrored.beliefs.reshape(1, -1, 10, 10)[..., ::-1].reshape(straight.beliefs.shape)
    assert np.allclose(straight.beliefs, turned, atol=1e-4)
    one_way = network(planes)
    other_way = network(planes[..., ::-1].copy())
    assert np.allclose(straight.values, (one_way.values + other_way.values) / 2, atol=1e-5)


def test_only_networks_that_have_not_met_people_are_corrected():
    game = stratego(setup="choose")
    state, dice = game.start(Dice(5)), Dice(6)
    while layout.setting_up(state.position):
        state = state.play(state.legal[dice.below(len(state.legal))])
    view = state.view(state.turn)
    for name, corrects in (("champion-schooled", False), ("champion-built", True)):
        reader = Champion(name)
        beliefs = reader.candidates(view)[2]
        assert reader.network(name).people is not corrects
        plain = believed(beliefs, view.turn)
        assert np.array_equal(reader.rank_beliefs(view, beliefs), plain) is not corrects


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
    "options",
    ["samples=-1", "width=0", "margin=-1", "temperature=-1", "trust=-2", "weights=chmpion"],
)
def test_bad_options_are_told_in_one_line(options):
    with pytest.raises(SandtableError) as told:
        make_agent(f"stratego/champion:{options}")
    assert "\n" not in str(told.value)
