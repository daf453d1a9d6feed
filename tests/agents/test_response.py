"""The search against a fixed agent beside a plain twin, with agents in kernels and in Python."""

from __future__ import annotations

from typing import Any

import pytest

from agents.plain_trees import PlainTree, dealt, expect_same, view_in
from agents.test_montecarlo import plain_value
from agents.tictactoe import tictactoe
from learning.habit_bots import spec_of
from sandtable.agent import Agent
from sandtable.agents.response.agent import Response
from sandtable.arena.play.game_loop import play_game
from sandtable.arena.play.match import play_match
from sandtable.arena.play.plan import make_plan
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.registry import make_agent, make_game
from sandtable.types import OVER, Game, State


def play(agent: Agent, game: Game, position: Any, seat: int, dice: Dice) -> None:
    """Let an agent take its turn."""
    known = position.copy()
    game.rules.hide(known, seat)
    chosen = agent.choose(State(game, known, seat), dice)
    for action in [chosen] if isinstance(chosen, int) else chosen:
        game.rules.apply(position, action, dice.array)


def plain_search(
    view: State, dice: Dice, simulations: int, exploration: float, other: str, base: str
) -> PlainTree:
    """Search with only the own decisions in a dictionary; the agents play everything else."""
    game, own = view.game, view.turn
    tree = PlainTree(exploration, dice)
    for _ in range(simulations):
        position = dealt(view, dice)
        others = {seat: make_agent(other) for seat in range(len(game.seats))}
        for seat, agent in others.items():
            agent.begin(game, seat, Dice(0))
        following = make_agent(base)
        following.begin(game, own, Dice(0))
        path, inside = [], True
        while (seat := int(game.rules.turn(position))) != OVER:
            if seat != own:
                play(others[seat], game, position, seat, dice)
                continue
            if not inside:
                play(following, game, position, seat, dice)
                continue
            key, new = tree.met(game, position, seat)
            inside = not new
            action = tree.chosen(key)
            path.append((key, action))
            game.rules.apply(position, action, dice.array)
        value = plain_value(game, position, own, 0.5, lambda position, seat: 0.0)
        for key, action in path:
            tree.add(key, action, value)
    return tree


@pytest.mark.parametrize(
    ("game", "other", "base"),
    [
        ("tictactoe", "random", "random"),
        ("gravwell:players=3", "gravwell/random-no-stop", "random"),
        ("gravwell:players=2", "random", "gravwell/random-no-stop"),
    ],
)
def test_the_kernel_does_what_the_words_say(game: str, other: str, base: str) -> None:
    view = view_in(game, 1)
    agent = Response(other, base, simulations=100, exploration=0.6, evaluation="outcome")
    agent.choose(view, Dice(1, "search"))
    expect_same(agent, view, plain_search(view, Dice(1, "search"), 100, 0.6, other, base))


def test_an_agent_in_python_is_asked_from_kernels() -> None:
    """It plays the first free cell, so a row of three that it does not stop is found."""
    game = tictactoe()
    agent = Response(spec_of("Start"), simulations=300)
    assert agent.policy(game) is None
    state = game.start(Dice(0))
    agent.begin(game, 0, Dice(0))
    while state.turn != OVER:
        chosen = agent.choose(state, Dice(1)) if state.turn == 0 else state.legal[0]
        state = state.play(chosen)
    assert state.outcome is not None and state.outcome.scores[0] == 1.0


def test_kernel_and_agent_play_the_same_games() -> None:
    spec = "response:against=random,simulations=6"
    plan = make_plan("gravwell:players=2", [spec, "random"], games=3, seed=3)
    compiled = play_match(plan).scores
    game = make_game("gravwell:players=2")
    agents = [make_agent(spec), make_agent("random")]
    for number in range(3):
        played = play_game(game, agents, specs=plan.agents, seed=3, number=number)
        assert played.record.outcome is not None
        assert tuple(compiled[number]) == played.record.outcome.scores


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("", "needs an opponent"),
        ("against=randon", "no agent 'randon'"),
        ("against=random,simulations=0", "simulations is 1"),
        ("against=random,bonus=2", "bonus lies"),
    ],
)
def test_mistakes_get_one_line(options: str, words: str) -> None:
    with pytest.raises(SandtableError, match=words):
        make_agent(f"response:{options}" if options else "response")
