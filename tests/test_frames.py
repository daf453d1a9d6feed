"""What a seat sees and what it does are in one frame, whoever asks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sandtable.batch import Batch
from sandtable.conformance import check_game
from sandtable.conformance.games import GAME_PROMISES, Walk
from sandtable.conformance.report import Report
from sandtable.dice import Dice
from sandtable.errors import IllegalAction, SandtableError
from sandtable.games.skirmish import layout as skirmish_layout
from sandtable.games.stratego import layout as stratego_layout
from sandtable.registry import make_game

TURNED = ("skirmish", "stratego:variant=mini,setup=choose", "stratego")


def problems_of_frames(game, games=20):
    """Play random games; return what is wrong with the frames of a game, and only that."""
    report = Report(game.spec, GAME_PROMISES)
    walk = Walk(game, report, 0)
    for number in range(games if walk.frames else 0):
        dice, choices = Dice(0, "game", number), Dice(1, "choices", number)
        position = walk.bench.start(dice)
        while (seat := walk.bench.turn(position)) >= 0:
            _, mask = walk.bench.legal(position)
            walk.frames.look(position, seat, mask, number)
            action = walk.bench.random_action(mask, choices)
            position = walk.bench.apply(position, action, dice)
    if walk.frames:
        walk.frames.check()
    return report.lines()


@pytest.mark.parametrize("spec", ["skirmish", "stratego", "lucid", "gravwell:players=3"])
def test_our_games_are_in_one_frame(spec):
    assert problems_of_frames(make_game(spec)) == []


@pytest.mark.parametrize("spec", ["skirmish", "stratego"])
def test_a_board_turned_without_its_actions_is_found(spec):
    (line,) = problems_of_frames(replace(make_game(spec), action_frames=None))
    assert "its actions disagree: only 0% of" in line


def test_the_kit_tells_of_a_turned_board():
    report = check_game(replace(make_game("skirmish"), action_frames=None))
    assert [problem.check for problem in report.problems] == ["frames"]


def test_actions_turned_without_the_board_are_found():
    """Lucid's planes tell the seat, so this is a game without that: Gravwell's cards reversed."""
    game = make_game("gravwell:players=2")
    table = np.tile(np.arange(game.action_count), (2, 1))
    table[1] = table[1, ::-1]
    assert problems_of_frames(game) == []
    assert "its actions disagree" in problems_of_frames(replace(game, action_frames=table))[0]


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (lambda table: table[:, :-1], "no table of whole numbers"),
        (lambda table: table.astype(float), "no table of whole numbers"),
        (lambda table: np.where(table == 3, 4, table), "has an action twice"),
        (lambda table: table[::-1], "renumbers the first seat's actions"),
    ],
)
def test_a_table_that_is_no_renumbering_is_found(spoil, line):
    game = make_game("skirmish")
    spoiled = replace(game, action_frames=spoil(np.array(game.action_frames)))
    assert line in problems_of_frames(spoiled, games=0)[0]


@pytest.mark.parametrize("spec", TURNED)
def test_there_and_back(spec):
    game = make_game(spec)
    for seat in range(2):
        for action in range(0, game.action_count, 7):
            assert game.seat_action(seat, game.board_action(seat, action)) == action
    assert game.board_action(1, -1) == -1 and game.board_action(1, 10**6) == 10**6


@pytest.mark.parametrize("spec", TURNED[1:])
def test_strategos_frame_is_the_turned_board(spec):
    game = make_game(spec)
    side = game.board_shape[0]
    turned = [stratego_layout.turned_action(side, each) for each in range(game.action_count)]
    assert game.action_frames[1].tolist() == turned


def origins(game, mask):
    """Return the places on the board where the legal moves of a mask begin."""
    if game.name == "skirmish":
        return [action // 9 for action in np.flatnonzero(mask) if action != skirmish_layout.PASS]
    side = game.board_shape[0]
    moves = stratego_layout.first_setup_action(side)
    return [action // (2 * (side - 1)) for action in np.flatnonzero(mask) if action < moves]


def own(game, planes):
    """Return which places of a seat's planes hold pieces of its own that can move."""
    first, end = (3, 5) if game.name == "skirmish" else (0, 10)
    return (planes[first:end] == 1).any(axis=0).reshape(-1)


@pytest.mark.parametrize("spec", TURNED)
def test_moves_begin_where_the_planes_of_a_batch_show_own_pieces(spec):
    game = make_game(spec)
    batch = Batch(game, 16, seed=2, auto_reset=True)
    seen = [0, 0]
    for _ in range(120):
        for row, seat in enumerate(batch.turns):
            places = origins(game, batch.masks[row])
            assert own(game, batch.observations[row])[places].all()
            seen[seat] += len(places)
        batch.step(batch.random_actions())
    assert min(seen) > 100


@pytest.mark.parametrize("spec", TURNED)
@pytest.mark.parametrize("auto_reset", [False, True])
def test_a_batch_plays_the_same_games_in_both_frames(spec, auto_reset):
    game = make_game(spec)
    by_seat, by_board = (
        Batch(game, 8, seed=5, auto_reset=auto_reset, observe=False, frame=frame)
        for frame in ("seat", "board")
    )
    for _ in range(150):
        turns = np.maximum(by_board.turns, 0)
        drawn, meant = np.array(by_seat.random_actions()), np.array(by_board.random_actions())
        going = by_board.turns >= 0
        assert np.array_equal(game.action_frames[turns, drawn][going], meant[going])
        for row in range(8):
            assert np.array_equal(
                by_seat.masks[row], game.seat_mask(turns[row], by_board.masks[row])
            )
        assert np.array_equal(by_seat.words.view(np.bool_)[:, : game.action_count], by_seat.masks)
        by_seat.step(drawn.astype(np.uint16))
        by_board.step(meant)
        assert np.array_equal(by_seat.positions, by_board.positions)
    saved = by_seat.saved()
    masks = np.array(by_seat.masks)
    by_seat.reset()
    by_seat.restore(saved)
    assert np.array_equal(by_seat.masks, masks)


def test_what_a_batch_does_not_know():
    batch = Batch(make_game("skirmish"), 2)
    with pytest.raises(IllegalAction, match=r"row 1 .*action 10000 is not legal"):
        batch.step([int(batch.random_actions()[0]), 10_000])
    with pytest.raises(SandtableError, match="frame of a batch is seat or board, got 'own'"):
        Batch(make_game("skirmish"), 2, frame="own")


@pytest.mark.parametrize("spec", TURNED)
def test_moves_begin_where_an_environment_shows_own_pieces(spec):
    pytest.importorskip("gymnasium")
    from sandtable.adapters.gymnasium import single_seat_env

    choices, seen = Dice(4), 0
    env = single_seat_env(spec, seat=1)
    observation, info = env.reset(seed=1)
    for _ in range(60):
        places = origins(env.game, info["action_mask"])
        assert own(env.game, observation)[places].all()
        seen += len(places)
        legal = np.flatnonzero(info["action_mask"])
        observation, _, over, _, info = env.step(legal[choices.below(len(legal))])
        assert "illegal_action_by" not in info
        if over:
            observation, info = env.reset()
    assert seen > 50


@pytest.mark.parametrize("spec", TURNED)
def test_moves_begin_where_pettingzoo_and_openspiel_show_own_pieces(spec):
    pytest.importorskip("pettingzoo")
    pytest.importorskip("pyspiel")
    from sandtable.adapters.openspiel.our_games import openspiel_game
    from sandtable.adapters.pettingzoo import aec_env

    choices, env, spiel = Dice(4), aec_env(spec), openspiel_game(spec)
    env.reset(seed=1)
    game = env.game
    state = spiel.state_at(env.episodes.session.state)
    for _ in range(80):
        if env.episodes.over:
            break
        seat, seen = env.episodes.turn, env.observe(env.agent_selection)
        legal = np.flatnonzero(seen["action_mask"])
        assert own(game, seen["observation"])[origins(game, seen["action_mask"])].all()
        assert state.current_player() == seat and state.legal_actions() == legal.tolist()
        planes = np.array(state.observation_tensor(seat), dtype=np.float32)
        assert np.array_equal(planes.reshape(game.plane_shape), seen["observation"])
        action = int(legal[choices.below(len(legal))])
        name = game.notation.action_name(game.board_action(seat, action))
        assert state.action_to_string(seat, action) == name
        env.step(action)
        state.apply_action(action)
        assert not state.is_chance_node()
        assert state.moment.now == env.episodes.session.state
        again = spiel.deserialize_state(state.serialize())
        assert again.moment.now == state.moment.now
