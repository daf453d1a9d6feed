"""The agents of Stratego that play with networks: their boards, their search, their errors."""

from __future__ import annotations

import numpy as np
import pytest

from sandtable.conformance import check_agent
from sandtable.dice import Dice
from sandtable.errors import SandtableError, UnreadableSpec, WrongSeats
from sandtable.games.stratego.agents import square_codes as boards
from sandtable.games.stratego.agents.classic_board import weights_file
from sandtable.games.stratego.agents.value.agent import Value
from sandtable.games.stratego.layout import BOARD, ENDS, NO_ATTACK, QUIET, SIDE, turned_action
from sandtable.games.stratego.planes import encode_paper
from sandtable.registry import check_seats, make_agent, make_game
from sandtable.types import OVER

CLASSIC = make_game("stratego:long_scouts=false")
BARRAGE = make_game("stratego:variant=barrage")
MINI = "stratego:variant=mini,long_scouts=false"


def some_states(game, games, every, seed=4):
    """Yield states from games of random moves."""
    for number in range(games):
        dice = Dice(seed, "test", number)
        state, ply = game.start(dice), 0
        while state.turn != OVER:
            if ply % every == every - 1:
                yield state
            legal = state.legal
            state, ply = state.play(legal[dice.below(len(legal))]), ply + 1


def test_boards_hold_what_the_planes_of_the_paper_do():
    scale = np.array([1, 10, 10, 1, 1, 1], dtype=np.float32)[:, None, None]
    expected = np.zeros(boards.PLANE_SHAPE, dtype=np.float32)
    planes = np.zeros((1, *boards.PLANE_SHAPE), dtype=np.float32)
    codes = np.zeros((1, 100), dtype=np.uint8)
    keys = set()
    states = list(some_states(CLASSIC, 2, 40))
    for state in states:
        for seat in range(2):
            position = np.array(state.position)
            encode_paper(position, seat, expected)
            boards.write_codes(position, seat, False, codes[0])
            boards.write_planes(codes, 1, planes)
            np.testing.assert_allclose(planes[0] * scale, expected, atol=1e-6)
            keys.add(int(boards.key_of(codes[0])))
    assert len(keys) == 2 * len(states)


def test_moves_are_turned_and_mirrored_like_boards():
    for action in range(0, boards.MOVES, 7):
        assert boards.TURNED_ACTIONS[action] == turned_action(SIDE, action)
        left = [divmod(int(square), SIDE) for square in ENDS[0, action]]
        right = [divmod(int(square), SIDE) for square in ENDS[0, boards.MIRRORED_ACTIONS[action]]]
        assert right == [(row, SIDE - 1 - column) for row, column in left]


def some_values(planes):
    """Stand in for a network: numbers that depend on all planes."""
    weights = np.random.default_rng(5).normal(size=planes[0].size)
    return np.sin(planes.reshape(len(planes), -1) @ weights).astype(np.float32)


class PlainSearch:
    """The same search as the method says it: recursively, leaf by leaf, and nothing cut."""

    def __init__(self, agent, view, dice):
        self.seat, self.depth = view.turn, agent.depth
        self.last = agent.depth + agent.attacks
        self.samples = [view.guess(dice) for _ in range(agent.samples)]

    def means(self):
        """Return the value of every move: its mean over the samples."""
        return {
            move: np.mean([self.value(each.play(move), 1) for each in self.samples])
            for move in self.samples[0].legal
        }

    def value(self, state, ply):
        if state.turn == OVER:
            return self.end(state)
        if ply >= self.last:
            return self.leaf(state)
        attacks = [move for move in state.legal if state.position[BOARD + ENDS[0, move, 1]] != 0]
        moves = state.legal if ply < self.depth else attacks
        values = [self.value(state.play(move), ply + 1) for move in moves]
        values += [] if ply < self.depth else [self.leaf(state)]
        return max(values) if state.turn == self.seat else min(values)

    def end(self, state):
        score = state.outcome.scores[self.seat]
        return score if score else -0.5

    def followed(self, state, plies, player):
        """Let a player go on for both sides, and value where that leads."""
        for _ in range(plies):
            if state.turn == OVER:
                return self.end(state)
            state = state.play(player.choose(state.view(state.turn), Dice(0)))
        return self.end(state) if state.turn == OVER else self.leaf(state)

    def leaf(self, state):
        planes = np.zeros((1, *boards.PLANE_SHAPE), dtype=np.float32)
        encode_paper(state.view(self.seat)._position, self.seat, planes[0])
        planes[:, 1:3] /= 10
        share = state.position[QUIET] / state.position[NO_ATTACK]
        value = np.clip(float(some_values(planes)[0]), -0.98, 0.98)
        return value + share * (-0.5 - value)


@pytest.mark.parametrize(
    ("game", "options", "count"),
    [
        (CLASSIC, {"depth": 1, "attacks": 2, "samples": 3}, 3),
        (BARRAGE, {"depth": 2, "attacks": 1, "samples": 2}, 2),
    ],
)
def test_batched_search_finds_what_a_plain_one_finds(game, options, count):
    agent = Value(haste=0.0, **options)
    agent.evaluate = some_values
    tried = 0
    for number, state in enumerate(some_states(game, 2, 90)):
        view = state.view(state.turn)
        found = agent.choose(view, Dice(1, "search", number))
        means = PlainSearch(agent, view, Dice(1, "search", number)).means()
        assert means[found] == pytest.approx(max(means.values()), abs=1e-6)
        tried += 1
        if tried == count:
            break
    assert tried == count


@pytest.mark.parametrize("game", [CLASSIC, BARRAGE])
def test_followed_moves_are_worth_what_plain_play_leads_to(game):
    agent = Value(follow=5, samples=5, moves=4)
    agent.evaluate = some_values
    player = make_agent("stratego/policy")
    for number, state in zip(range(6), some_states(game, 2, 40), strict=False):
        view = state.view(state.turn)
        found = agent.choose(view, Dice(1, "search", number))
        told = agent.followed
        plain = PlainSearch(agent, view, Dice(1, "search", number))
        assert told.moves[0] == player.choose(view, Dice(0))
        scores = {}
        for place, move in enumerate(told.moves.tolist()):
            samples = plain.samples if place in told.finalists else plain.samples[:3]
            lines = [plain.followed(each.play(move), 5, player) for each in samples]
            assert told.values[place] == pytest.approx(np.mean(lines), abs=1e-6)
            if place in told.finalists:
                scores[move] = np.mean(lines) + 0.05 * max(told.chances[place], -8.0)
        assert len(scores) == min(2, len(told.moves))
        assert scores[found] == pytest.approx(max(scores.values()), abs=1e-6)


def test_quiet_moves_lead_to_enemies_when_a_draw_is_near():
    state = next(some_states(BARRAGE, 1, 60))
    hasty = Value(haste=1.0, contempt=0.0, samples=1)
    hasty.evaluate = lambda planes: np.zeros(len(planes), dtype=np.float32)
    position = np.array(state.position)
    position[QUIET] = 150
    view = type(state)(state.game, position).view(state.turn)
    move = hasty.choose(view, Dice(2))
    steps = hasty.search.nudges[list(hasty.search.moves[0]).index(move)]
    attacked = position[BOARD + ENDS[0, move, 1]] != 0
    assert attacked or steps == pytest.approx(0.75)


@pytest.mark.parametrize(
    "spec",
    ["stratego/policy", "stratego/value:samples=2,attacks=1", "stratego/value:follow=3,samples=2"],
)
def test_agents_keep_their_promises_and_see_no_more_than_their_view(spec):
    game = "stratego:variant=barrage,setup=choose,max_plies=60"
    assert not check_agent(spec, game, games=1).problems
    agent = make_agent(spec)
    for number, state in enumerate(some_states(CLASSIC, 1, 150)):
        view = state.view(state.turn)
        other = view.guess(Dice(9, "truth", number))
        assert other != state
        choices = [
            agent.choose(each.view(state.turn), Dice(1, "agent", number)) for each in (state, other)
        ]
        assert choices[0] == choices[1]
        assert choices[0] in state.legal


@pytest.mark.parametrize("name", ["policy", "value"])
def test_damaged_and_foreign_weights_are_refused_in_a_line(name, tmp_path):
    whole = weights_file(name, name).read_bytes()
    for data, word in (
        (whole[: len(whole) // 2], "damaged"),
        (whole[:5000] + b"\x00\x7b" + whole[5002:], "damaged"),
        (b"", "damaged"),
    ):
        path = tmp_path / "weights.onnx"
        path.write_bytes(data)
        with pytest.raises(SandtableError, match=word) as caught:
            make_agent(f"stratego/{name}:weights={path}")
        assert "\n" not in str(caught.value)
    with pytest.raises(SandtableError, match="no weights 'valu'"):
        make_agent(f"stratego/{name}:weights=valu")
    with pytest.raises(SandtableError, match="no file"):
        make_agent(f"stratego/{name}:weights={tmp_path}/none.onnx")
    foreign = "value" if name == "policy" else "policy"
    with pytest.raises(SandtableError, match=f"no network for stratego/{name}"):
        make_agent(f"stratego/{name}:weights={foreign}")


def test_small_boards_and_senseless_options_are_refused():
    for name in ("stratego/policy", "stratego/value"):
        with pytest.raises(WrongSeats, match="plays stratego, not lucid"):
            check_seats(make_game("lucid"), [name, "lucid/axes-red"])
    with pytest.raises(WrongSeats, match="is for a board of 10 by 10, it does not fit"):
        make_agent("stratego/value:weights=loop").begin(make_game(MINI), 0, Dice(0))
    for options in (
        "depth=0",
        "attacks=9",
        "samples=0",
        "seconds=-1",
        "contempt=2",
        "leaves=no",
        "follow=-1",
        "moves=0",
        "guide=2",
        "follow=8,depth=2",
        "evaluation=guess",
    ):
        with pytest.raises(UnreadableSpec):
            make_agent(f"stratego/value:{options}")


@pytest.mark.parametrize("follow", [0, 200])
def test_time_limit_still_gives_a_legal_move(follow):
    agent = make_agent(f"stratego/value:seconds=0.001,samples=16,follow={follow}")
    state = next(some_states(CLASSIC, 1, 200))
    assert agent.choose(state.view(state.turn), Dice(1)) in state.legal
