"""Deep minimax beside a plain search that values one leaf at a time, and the agent's errors."""

from __future__ import annotations

import numpy as np
import pytest

from sandtable.agents.alphabeta.agent import AlphaBeta
from sandtable.agents.onnx_files import bundled_file
from sandtable.dice import Dice
from sandtable.errors import SandtableError, UnreadableSpec, WrongSeats
from sandtable.games.skirmish.agents.dsl import agent as dsl
from sandtable.games.skirmish.agents.dsl.agent import WEIGHTS_FOLDER, DeepSearch, run_searches
from sandtable.games.skirmish.layout import BUILD, PASS, STEPS
from sandtable.games.skirmish.rules import is_capture
from sandtable.registry import make_agent, make_game
from sandtable.types import OVER

INCENTIVE = 1.2
UNIT_VALUES = (9.0, 6.0, 4.0, 3.0)  # in the order of the planes


def some_values(planes):
    """Stand in for a network: numbers that depend on all planes, many of them equal."""
    weights = np.random.default_rng(5).integers(-9, 10, planes[0].size)
    return ((planes.reshape(len(planes), -1) * 80.0) @ weights % 64 - 32).round().astype(np.float32)


def simple_utility(planes):
    """Return the thesis's simple utility, from the planes."""
    own = [(planes[:, kind] > 0).sum((1, 2)) for kind in (1, 2, 3, 4)]
    other = [(planes[:, kind] < 0).sum((1, 2)) for kind in (1, 2, 3, 4)]
    pairs = zip(UNIT_VALUES, own, other, strict=True)
    return sum(value * (mine - theirs) for value, mine, theirs in pairs) / (1.0 + sum(other))


class OutOfBudget(Exception):
    pass


class PlainSearch:
    """The same search, written down as the method says it: recursively, one leaf at a time."""

    def __init__(self, budget):
        self.budget = budget
        self.depth = 0

    def choose(self, state):
        self.seat = state.turn
        moves = self.ordered(state)
        if len(moves) == 1:
            return moves[0]
        choice = moves[0]
        try:
            while self.budget > 0:
                self.leaves = 0
                best, value = self.iterate(state, moves)
                self.depth += 1
                choice = choice if best is None else best
                if abs(value) == np.inf or not self.leaves:
                    break
        except OutOfBudget:
            pass
        return choice

    def iterate(self, state, moves):
        best, low = None, -np.inf
        for move in moves:
            value = self.value_of(state, move, 1, low, np.inf)
            if self.interesting(state, move):
                value = value * INCENTIVE if value > 0 else value / INCENTIVE
            if value > low:
                best, low = move, value
        return best, low

    def value_of(self, state, move, ply, low, high):
        while True:
            if self.budget <= 0:
                raise OutOfBudget
            state = state.play(move)
            if state.outcome is not None:
                self.budget -= 1
                score = state.outcome.scores[self.seat]
                return score * np.inf if score else 0.0
            if ply == self.depth + 1:
                self.budget -= 1
                self.leaves += 1
                return float(some_values(state.planes(self.seat)[None])[0])
            moves = self.ordered(state)
            if moves != [PASS]:
                return self.best_value(state, moves, ply, low, high)
            self.budget -= 1
            move = PASS

    def best_value(self, state, moves, ply, low, high):
        maximising = state.turn == self.seat
        best = -np.inf if maximising else np.inf
        for move in moves:
            self.budget -= 1
            value = self.value_of(state, move, ply + 1, low, high)
            best = max(best, value) if maximising else min(best, value)
            low, high = (max(low, best), high) if maximising else (low, min(high, best))
            if low > high:
                break
        return best

    def ordered(self, state):
        moves = [move for move in state.legal if move != PASS] or [PASS]
        interesting = [move for move in moves if self.interesting(state, move)]
        return interesting[::-1] + [move for move in moves if move not in interesting]

    def interesting(self, state, move):
        return move != PASS and (move % STEPS == BUILD or is_capture(state.position, move))


def positions(game, games, every=7):
    """Yield positions from games of random moves."""
    for number in range(games):
        dice = Dice(3, "test", number)
        state = game.start(dice)
        for time in range(100):
            if state.turn == OVER:
                break
            if time % every == number % every:
                yield state
            state = state.play(state.legal[dice.below(len(state.legal))])


@pytest.mark.parametrize("batch", [1, 7, 64, 1000])
@pytest.mark.parametrize("budget", [1, 37, 400])
def test_batches_change_nothing(budget, batch):
    game = make_game("skirmish:start=random,level=3,max_turns=20")
    search = DeepSearch(budget, batch)
    for state in positions(game, 3 if budget > 100 else 6):
        search.begin(np.array(state.position))
        run_searches([search], some_values)
        plain = PlainSearch(budget)
        choice = plain.choose(state)
        found = (search.choice, search.states, search.depth)
        assert found == (choice, budget - max(0, plain.budget), plain.depth), state.line


def test_searches_side_by_side_are_those_alone():
    game = make_game("skirmish:start=random")
    states = list(positions(game, 2))[:8]
    together = [DeepSearch(300, 16) for _ in states]
    for state, search in zip(states, together, strict=True):
        search.begin(np.array(state.position))
    run_searches(together, some_values)
    alone = DeepSearch(300, 16)
    for state, search in zip(states, together, strict=True):
        alone.begin(np.array(state.position))
        run_searches([alone], some_values)
        assert (alone.choice, alone.states, alone.valued) == (
            search.choice,
            search.states,
            search.valued,
        )


def test_published_ordering_is_that_of_alphabeta():
    game = make_game("skirmish:start=random,level=2,both_empty=second,passes=both")
    search = DeepSearch(400, 32, published=True)
    reference = AlphaBeta(budget=400, evaluation="simple", ordering="published")
    for state in positions(game, 8):
        search.begin(np.array(state.position))
        run_searches([search], simple_utility)
        assert search.choice == reference.choose(state, Dice(0)), state.line


def test_a_full_table_is_emptied_and_the_result_stays(monkeypatch):
    state = next(positions(make_game("skirmish:start=random"), 1))
    roomy = DeepSearch(2000, 4)
    monkeypatch.setattr(dsl, "TABLE_ENTRIES", 32)
    tight = DeepSearch(2000, 4)
    for search in (roomy, tight):
        search.begin(np.array(state.position))
        run_searches([search], some_values)
    assert tight.choice == roomy.choice
    assert tight.states == roomy.states
    assert tight.valued > roomy.valued


def test_a_network_gone_wrong_is_noticed():
    search = DeepSearch(100)
    search.begin(np.array(make_game("skirmish").start().position))
    with pytest.raises(SandtableError, match="not a number"):
        run_searches([search], lambda planes: np.full(len(planes), np.nan, dtype=np.float32))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("skirmish/dsl:weights=dsl-50", "there are no weights 'dsl-50'"),
        ("skirmish/dsl:weights=/nowhere/x.onnx", "no file of weights /nowhere/x.onnx"),
        ("skirmish/dsl:weights=./README.md", "README.md is damaged or holds no network"),
        ("skirmish/dsl:budget=0", "at least one state, got 0"),
        ("skirmish/dsl:batch=0", "at least one leaf, got 0"),
        ("skirmish/dsl:ordering=odd", "ordering is natural or published"),
    ],
)
def test_what_the_agent_cannot_use(spec, message, tmp_path, monkeypatch):
    (tmp_path / "README.md").write_text("not a network")
    monkeypatch.chdir(tmp_path)
    with pytest.raises((SandtableError, UnreadableSpec), match=message):
        make_agent(spec)


def test_weights_by_path(tmp_path):
    assert bundled_file("./some.onnx", WEIGHTS_FOLDER).name == "some.onnx"


@pytest.mark.parametrize("name", ["dsl-1000", "dsl-2500", "dsl-5000", "dsl-self-play-5000"])
def test_one_wrong_bit_in_bundled_weights_is_noticed(name, tmp_path):
    data = bytearray(bundled_file(name, WEIGHTS_FOLDER).read_bytes())
    data[len(data) // 2] ^= 1
    path = tmp_path / "copy.onnx"
    path.write_bytes(data)
    with pytest.raises(SandtableError, match=r"copy.onnx is damaged: its numbers are not those"):
        make_agent(f"skirmish/dsl:weights={path}")


def test_another_game_is_refused():
    agent = dsl.DeepStateLearning.__new__(dsl.DeepStateLearning)
    with pytest.raises(WrongSeats, match="plays skirmish, not lucid"):
        agent.begin(make_game("lucid"), 0, Dice(0))
