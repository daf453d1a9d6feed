"""What agents make of positions: their own numbers, read from what they play with."""

from __future__ import annotations

import numpy as np
import pytest

from sandtable.agent import Agent, Analysis, Candidate, adopted
from sandtable.agents.human import hints
from sandtable.agents.human.hints import usual_adviser
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.champion.search import think
from sandtable.registry import make_agent, make_game
from sandtable.server import analysis
from sandtable.server.analysis import analyst, answer, curve, hint, outcome_values, seat_values
from sandtable.types import OVER

CASES = (
    ("lucid", "lucid/champion-blue", 0),
    ("lucid", "lucid/champion-red", 1),
    ("skirmish:start=random", "skirmish/champion:budget=300", 0),
    ("skirmish:start=random", "skirmish/dsl:budget=20", 1),
    ("stratego", "stratego/champion", 1),
    ("stratego", "stratego/value:samples=2", 0),
    ("stratego", "stratego/value:follow=2,samples=2", 0),
    ("gravwell:players=3", "gravwell/champion:samples=20", 2),
)


def middle_of(game, seat, plies):
    """Return a position in which a seat is to move, after so many random actions or a few more."""
    dice = Dice(11, "middle")
    state = game.start(dice)
    while plies > 0 or state.turn != seat:
        state = state.play(state.legal[dice.below(len(state.legal))], dice)
        plies -= 1
    return state


def answer_of(agent, view):
    """Return what an agent plays, as a tuple."""
    agent.begin(view.game, view.turn, Dice(3))
    answer = agent.choose(view, Dice(3))
    return tuple(answer) if isinstance(answer, list) else (int(answer),)


@pytest.mark.parametrize(("spec", "agent", "seat"), CASES)
def test_an_analysis_is_what_the_agent_plays_by(spec, agent, seat):
    game = make_game(spec)
    state = middle_of(game, seat, 20)
    view = state.view(seat)
    asked = analyst(game, agent)
    told = asked.analyse(view, Dice(3))
    assert told.scale == asked.scale
    assert set(view.legal) >= {each.actions[0] for each in told.candidates}
    assert len({each.actions for each in told.candidates}) == len(told.candidates)
    if told.scale == "chance":
        assert all(0.0 <= each.value <= 1.0 for each in (told, *told.candidates))
    name = agent.partition(":")[0]
    if name != "skirmish/dsl":  # which plays by a deeper search
        player = make_agent(agent)
        played = answer_of(player, view)
        if name == "skirmish/champion":  # its moves are searched one by one, with less
            assert told.value == pytest.approx(0.5 + 0.5 * player.value)
        elif agent == "stratego/value:samples=2":
            assert played in [each.actions for each in told.candidates]
        else:
            assert told.candidates[0].actions == played
    values = seat_values(asked, state, Dice(3))
    if game.name == "stratego":  # what the other side thinks is its own affair
        assert values[1 - seat] is None
        assert 0.0 <= values[seat] <= 1.0
    elif told.scale == "chance":
        assert sum(values) == pytest.approx(1.0)
    elif told.scale == "score":
        assert 0.0 <= values[0] <= 15.0
        assert sum(values) == 0.0
    assert asked.analyse(view, Dice(3)) == told


def test_analysing_compiles_nothing_that_playing_has_not():
    """A seat in another width would have the whole search of Gravwell compiled a second time."""
    game = make_game("gravwell:players=3")
    view = middle_of(game, 2, 20).view(2)
    analyst(game, "gravwell/champion:samples=1").analyse(view, Dice(3))
    assert {str(types[4]) for types in think.signatures} == {"int64"}


def test_beliefs_of_the_champion_are_about_pieces_nobody_has_shown():
    game = make_game("stratego")
    state = middle_of(game, 0, 60)
    told = analyst(game, "stratego/champion").analyse(state.view(0), Dice(1))
    whole = game.drawing.text(state.position)
    assert 20 < len(told.beliefs) <= 40
    for place, ranks in told.beliefs.items():
        assert place[0] in "abcdefghij"
        assert sum(ranks.values()) == pytest.approx(1.0, abs=1e-3)
    moved = [place for place, ranks in told.beliefs.items() if ranks["B"] + ranks["F"] < 0.02]
    assert moved, whole  # those that have moved are neither bomb nor flag, and it knows
    assert sum(each.share for each in told.candidates) <= 1.0 + 1e-6


class Bare:
    """Chooses and analyses, without the base class."""

    adviser_rank = 9

    def choose(self, view, dice):
        return view.legal[0]

    def analyse(self, view, dice):
        return Analysis("chance", 0.75, (Candidate((view.legal[0],), 0.75),))


class Whole(Bare, Agent):
    """The same with the base class, and with values for those who wait."""

    scale = "own"
    values_waiting = True

    def value_of(self, view, dice):
        return float(view.seat)


def test_any_agent_can_be_asked_with_and_without_the_base_class(monkeypatch):
    game = make_game("skirmish")
    state = game.start(Dice(1))
    monkeypatch.setattr(analysis, "agent_factory", lambda name: Bare)
    monkeypatch.setattr(analysis, "make_agent", lambda text: adopted(Bare()))
    bare = analyst(game, "random")
    told = bare.analyse(state.view(state.turn), Dice(2))
    assert told.value == 0.75
    expected = [0.75, 0.25] if state.turn == 0 else [0.25, 0.75]
    assert seat_values(bare, state, Dice(2)) == expected
    assert seat_values(Whole(), state, Dice(2)) == [0.0, 1.0]


def test_the_agent_with_the_highest_rank_gives_hints(monkeypatch):
    lucid = make_game("lucid")
    assert [usual_adviser(lucid, seat) for seat in (0, 1)] == [
        "lucid/champion-blue",
        "lucid/champion-red",
    ]
    assert usual_adviser(make_game("stratego"), 0) == "stratego/champion"
    assert usual_adviser(make_game("stratego:variant=mini"), 0) == "stratego/value"
    sound = hints.agent_factory
    plugged = {"random": Whole}
    monkeypatch.setattr(hints, "agent_factory", lambda name: plugged.get(name) or sound(name))
    assert usual_adviser(lucid, 0) == "random"


def test_questions_of_one_game_are_refused_by_others_in_one_line():
    for spec, what in (("lucid", "beliefs"), ("stratego", "groups"), ("skirmish", "groups")):
        game = make_game(spec)
        with pytest.raises(
            SandtableError, match=f"{game.name} does not answer the question '{what}'"
        ):
            answer(game, [game.start(Dice(1)).position], {"what": what, "seed": 1})


def test_agents_without_values_and_wrong_games_are_refused_in_one_line():
    with pytest.raises(SandtableError, match="'random' has no values of its own"):
        analyst(make_game("skirmish"), "random")
    with pytest.raises(SandtableError, match="board"):
        analyst(make_game("stratego:variant=mini"), "stratego/champion")


def test_a_curve_ends_with_what_is_known_and_leaves_out_where_there_is_no_opinion():
    game = make_game("stratego:setup=choose,max_plies=12")
    dice, positions = Dice(5, "curve"), []
    state = game.start(dice)
    while state.turn != OVER:
        positions.append(state.position)
        state = state.play(state.legal[dice.below(len(state.legal))], dice)
    positions.append(state.position)
    plies = list(range(len(positions)))
    asked = {"agent": "stratego/champion", "plies": plies, "playouts": 10}
    told = curve(game, positions, asked, Dice(1))
    assert (told["by"], told["scale"]) == ("stratego/champion", "chance")
    assert [point["ply"] for point in told["points"]] == plies[-13:]  # nobody values set-ups
    assert told["points"][-1]["means"] == outcome_values(state) == [0.5, 0.5]
    for number, point in enumerate(told["points"][:-1]):  # each side speaks when it is to move
        assert [mean is None for mean in point["means"]] == [number % 2 == 1, number % 2 == 0]


def test_hints_come_with_the_analysis_of_the_agent_that_is_asked():
    game = make_game("gravwell:players=3")
    view = middle_of(game, 1, 9).view(1)
    told = hint(view, None, Dice(4))
    assert told["agent"] == "gravwell/champion"
    assert told["thoughts"]["candidates"][0]["action"] in view.legal
    assert 0 <= told["thoughts"]["value"] <= 1
    assert hint(view, "random", Dice(4))["thoughts"] is None


def test_without_an_interval_nothing_is_drawn():
    game = make_game("lucid")
    scores = np.tile([3.0, -3.0], (60, 1))
    assert analysis.values_of(game, scores) == [(3.0, None, None), (-3.0, None, None)]
    scores[::2] = (5.0, -5.0)
    assert all(low < mean < high for mean, low, high in analysis.values_of(game, scores))
    won = np.tile([1.0, -1.0], (60, 1))
    assert analysis.values_of(make_game("skirmish"), won)[0] == (1.0, None, None)
