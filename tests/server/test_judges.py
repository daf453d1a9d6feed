"""What agents make of positions: their own numbers, read from what they play with."""

from __future__ import annotations

import pytest

from sandtable.agents.explanations import Candidate, Thoughts
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.champion.search import think
from sandtable.registry import make_agent, make_game
from sandtable.server import judges
from sandtable.server.judges import judge_named
from sandtable.server.judges.judge import TellingJudge, outcome_values
from sandtable.server.thinking import curve, hint
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
    getattr(agent, "begin", lambda *_: None)(view.game, view.turn, Dice(3))
    answer = agent.choose(view, Dice(3))
    return tuple(answer) if isinstance(answer, list) else (int(answer),)


@pytest.mark.parametrize(("spec", "agent", "seat"), CASES)
def test_thoughts_are_those_the_agent_plays_by(spec, agent, seat):
    game = make_game(spec)
    state = middle_of(game, seat, 20)
    view = state.view(seat)
    judge = judge_named(game, agent)
    told = judge.thoughts(view, Dice(3))
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
    values = judge.values(state, Dice(3))
    if game.name == "stratego":  # what the other side thinks is its own affair
        assert values[1 - seat] is None
        assert 0.0 <= values[seat] <= 1.0
    elif told.scale == "chance":
        assert sum(values) == pytest.approx(1.0)
    elif told.scale == "score":
        assert 0.0 <= values[0] <= 15.0
        assert sum(values) == 0.0
    assert judge.thoughts(view, Dice(3)) == told


def test_judging_compiles_nothing_that_playing_has_not():
    """A seat in another width would have the whole search of Gravwell compiled a second time."""
    game = make_game("gravwell:players=3")
    view = middle_of(game, 2, 20).view(2)
    judge_named(game, "gravwell/champion:samples=1").thoughts(view, Dice(3))
    assert {str(types[3]) for types in think.signatures} == {"int64"}


def test_beliefs_of_the_champion_are_about_pieces_nobody_has_shown():
    game = make_game("stratego")
    state = middle_of(game, 0, 60)
    told = judge_named(game, "stratego/champion").thoughts(state.view(0), Dice(1))
    whole = game.drawing.text(state.position)
    assert 20 < len(told.beliefs) <= 40
    for place, ranks in told.beliefs.items():
        assert place[0] in "abcdefghij"
        assert sum(ranks.values()) == pytest.approx(1.0, abs=1e-3)
    moved = [place for place, ranks in told.beliefs.items() if ranks["B"] + ranks["F"] < 0.02]
    assert moved, whole  # those that have moved are neither bomb nor flag, and it knows
    assert sum(each.share for each in told.candidates) <= 1.0 + 1e-6


def test_an_agent_can_tell_its_thoughts_itself(monkeypatch):
    class Telling:
        def thoughts(self, view, dice):
            return Thoughts("chance", 0.75, (Candidate((view.legal[0],), 0.75),))

    game = make_game("skirmish")
    state = game.start(Dice(1))
    judge = TellingJudge(Telling())
    assert judge.values(state, Dice(2)) == [0.75, 0.25]
    monkeypatch.setattr(judges, "agent_factory", lambda name: Telling)
    monkeypatch.setattr(judges, "make_agent", lambda text: Telling())
    assert isinstance(judge_named(game, "random"), TellingJudge)


def test_agents_without_values_and_wrong_games_are_refused_in_one_line():
    with pytest.raises(SandtableError, match="'random' has no values of its own"):
        judge_named(make_game("skirmish"), "random")
    with pytest.raises(SandtableError, match="board"):
        judge_named(make_game("stratego:variant=mini"), "stratego/champion")


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
    assert [point["ply"] for point in told["points"]] == plies[-13:]  # nobody judges set-ups
    assert told["points"][-1]["means"] == outcome_values(state) == [0.5, 0.5]
    for number, point in enumerate(told["points"][:-1]):  # each side speaks when it is to move
        assert [mean is None for mean in point["means"]] == [number % 2 == 1, number % 2 == 0]


def test_hints_come_with_the_thoughts_of_the_agent_that_is_asked():
    game = make_game("gravwell:players=3")
    view = middle_of(game, 1, 9).view(1)
    told = hint(view, None, Dice(4))
    assert told["agent"] == "gravwell/champion"
    assert told["thoughts"]["candidates"][0]["action"] in view.legal
    assert 0 <= told["thoughts"]["value"] <= 1
    assert hint(view, "random", Dice(4))["thoughts"] is None
