"""Every agent that values its moves can be explained, with legal moves, in words and pictures."""

from __future__ import annotations

import math
from xml.dom.minidom import parseString

import pytest

from sandtable.agent import Agent, Analysis, Candidate
from sandtable.agents.alphabeta.agent import AlphaBeta
from sandtable.agents.explanations import can_explain, explanation, told_by_values
from sandtable.agents.montecarlo import MonteCarlo
from sandtable.agents.random import Random
from sandtable.dice import Dice
from sandtable.registry import make_game
from sandtable.types import State


def start(game: str) -> State:
    state = make_game(game).start(Dice(1))
    return state.view(state.turn)


@pytest.mark.parametrize(
    ("game", "agent"),
    [
        ("skirmish", MonteCarlo(samples=3)),
        ("gravwell", MonteCarlo(samples=3)),
        ("skirmish", AlphaBeta(budget=300)),
    ],
)
def test_searchers_explain_what_they_would_choose(game: str, agent: Agent) -> None:
    view = start(game)
    told = explanation(agent, view, Dice(5))
    assert told is not None
    assert told.actions == (agent.choose(view, Dice(5)),)
    weighed = told.text.split("What it weighs:")[1]
    assert sum(name in weighed for name in view.legal_names) >= min(len(view.legal), 10)
    assert parseString(told.svg).documentElement.tagName == "svg"  # type: ignore[union-attr]


def test_values_of_alphabeta_are_those_of_a_search_after_each_move() -> None:
    view = start("skirmish")
    analysis = AlphaBeta(depth=2).analyse(view, Dice(0))
    assert analysis is not None
    for candidate in analysis.candidates:
        after = view.play(candidate.actions[0], Dice(0))
        plain = AlphaBeta(depth=1)
        plain.choose(after, Dice(0))
        assert candidate.value == pytest.approx(
            plain.value if after.turn == view.turn else -plain.value
        )


def test_what_has_no_values_does_not_explain() -> None:
    assert not can_explain(Random)
    assert explanation(Random(), start("skirmish"), Dice(0)) is None


def test_endless_values_are_drawn() -> None:
    view = start("skirmish")
    first, second, third = view.legal[:3]
    values = {first: math.inf, second: 0.0, third: -math.inf}
    candidates = tuple(Candidate((action,), value) for action, value in values.items())
    told = told_by_values(view, Analysis("own", math.inf, candidates))
    assert told is not None and told.actions == (first,)
    bars = [line.count("#") for line in told.text.split("What it weighs:")[1].splitlines()[1:4]]
    assert bars[0] >= bars[1] > bars[2] == 0
