"""Tree search beside a plain twin, on a game that can be solved, with dice, secrets and seats."""

from __future__ import annotations

import numpy as np
import pytest

from agents.plain_trees import PlainTree, dealt, expect_same, view_in
from agents.test_montecarlo import plain_random_action, plain_value
from agents.tictactoe import solved, state_of, tictactoe
from sandtable.agents.treesearch.agent import InformationSetTreeSearch, TreeSearcher
from sandtable.agents.treesearch.search import root_of
from sandtable.agents.treesearch.tree import EDGES, memory_words
from sandtable.arena.play.match import play_match
from sandtable.arena.play.plan import make_plan
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.registry import check_seats, make_agent, make_game
from sandtable.types import OVER, State


def plain_search(view: State, dice: Dice, simulations: int, exploration: float) -> PlainTree:
    """Search with a dictionary of what movers know."""
    game, tree = view.game, PlainTree(exploration, dice)
    for _ in range(simulations):
        position = dealt(view, dice)
        path, new = [], False
        while not new and (seat := int(game.rules.turn(position))) != OVER:
            key, new = tree.met(game, position, seat)
            action = tree.chosen(key)
            path.append((key, action, seat))
            game.rules.apply(position, action, dice.array)
        for _ in range(game.max_actions):
            if game.rules.turn(position) == OVER:
                break
            drawn = plain_random_action(game, position, dice)
            game.rules.apply(position, drawn, dice.array)
        for key, action, seat in path:
            value = plain_value(game, position, seat, 0.5, lambda position, seat: 0.0)
            tree.add(key, action, value)
    return tree


@pytest.mark.parametrize(
    ("game", "seed"), [("tictactoe", 0), ("gravwell:players=3", 1), ("gravwell:players=2", 2)]
)
def test_the_kernel_does_what_the_words_say(game: str, seed: int) -> None:
    view = view_in(game, seed)
    agent = InformationSetTreeSearch(simulations=200, exploration=0.6, evaluation="outcome")
    agent.choose(view, Dice(seed, "search"))
    expect_same(agent, view, plain_search(view, Dice(seed, "search"), 200, 0.6))


@pytest.mark.parametrize("cells", ["xx.oo....", "x.o.x.o..", "xo..x...o"])
def test_a_small_game_is_played_perfectly(cells: str) -> None:
    state = state_of(cells)
    best = max(solved(state.play(action), state.turn) for action in state.legal)
    chosen = TreeSearcher(simulations=3000).choose(state, Dice(4))
    assert solved(state.play(chosen), state.turn) == best


def test_kernel_and_agent_play_the_same_games() -> None:
    plan = make_plan("skirmish", ["mcts:simulations=20", "random"], games=2, seed=3)
    compiled = play_match(plan)
    game = make_game("skirmish")
    agent = make_agent("mcts:simulations=20")
    policy = agent.policy(game)
    assert policy is not None
    state, memory = game.start(Dice(7)), np.array(policy.memory)
    agent.begin(game, 0, Dice(7))
    ours, theirs, actions = Dice(9), Dice(9), np.zeros(1, dtype=np.int16)
    for _ in range(6):  # the tree of the move before is gone on with in both
        policy.act(np.array(state.position), theirs.array, memory, policy.constants, actions)
        assert agent.choose(state, ours) == actions[0]
        state = state.play(int(actions[0]), ours)
        theirs = Dice(9)
        ours = Dice(9)
        if state.turn == OVER:
            break
    assert compiled.games == 2


def test_what_was_seen_stays_for_the_next_move() -> None:
    state = state_of(".........")
    agent = TreeSearcher(simulations=500)
    agent.begin(state.game, 0, Dice(0))
    first = agent.choose(state, Dice(1))
    after = state.play(first)
    replied = after.play(after.legal[0])
    assert agent.tree is not None
    before = sum(visits for _, visits, _ in root_of(agent.tree, replied.position, replied.turn))
    assert before > 0
    agent.choose(replied, Dice(2))
    now = sum(visits for _, visits, _ in root_of(agent.tree, replied.position, replied.turn))
    assert now == before + 500


def test_a_tree_without_room_goes_on_without_growing() -> None:
    _, edges = memory_words(2, 9)
    assert edges < 9 * 30  # not enough for what thirty searches see
    state = state_of(".........")
    agent = TreeSearcher(simulations=2)
    for seed in range(30):
        assert agent.choose(state, Dice(seed)) in state.legal
    assert agent.tree is not None and agent.tree[EDGES] <= edges


def test_secrets_do_not_change_what_is_chosen() -> None:
    game = make_game("gravwell:players=2")
    state = game.start(Dice(5))
    while state.view(state.turn).line == state.line:
        state = state.play(state.legal[0], Dice(5))
    view = state.view(state.turn)
    other = np.array(view.position)
    game.rules.guess(other, state.turn, Dice(11).array)
    same = State(game, other).view(state.turn)
    chosen = [
        InformationSetTreeSearch(simulations=60).choose(each, Dice(2)) for each in (view, same)
    ]
    assert chosen[0] == chosen[1]


def test_mcts_refuses_secrets_and_names_the_other() -> None:
    with pytest.raises(WrongSeats, match="use 'ismcts'"):
        check_seats(make_game("gravwell:players=2"), ["mcts", "random"])
    assert check_seats(tictactoe(), ["mcts", "ismcts"])


def test_it_tells_values_and_visits() -> None:
    state = state_of("xx.oo....")
    analysis = TreeSearcher(simulations=200).analyse(state, Dice(0))
    assert analysis is not None and analysis.candidates[0].actions == (2,)  # it wins at once
    assert analysis.value == 1.0
    assert sum(each.share or 0.0 for each in analysis.candidates) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "options",
    [
        "simulations=0",
        "simulations=1.5",
        "simulations=99999999",
        "seconds=-1",
        "seconds=nan",
        "seconds=inf",
        "exploration=-1",
        "exploration=nan",
        "longest=-1",
        "longest=x",
        "bonus=2",
        "bonus=nan",
        "temperature=-1",
        "temperature=nan",
        "temperature=101",
        "keep=maybe",
    ],
)
def test_bad_options_are_named(options: str) -> None:
    with pytest.raises(SandtableError, match=options.partition("=")[0]) as caught:
        make_agent(f"ismcts:{options}")
    assert "\n" not in str(caught.value)
