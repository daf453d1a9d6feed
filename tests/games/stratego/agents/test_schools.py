"""The scripted schools: what they know, what each of them does, and that they play everything."""

import numpy as np
import pytest

from games.stratego.boards import state_of
from sandtable.arena.play.game_loop import play_game
from sandtable.arena.play.match import play_match
from sandtable.arena.play.plan import make_plan
from sandtable.conformance import check_agent
from sandtable.dice import Dice, below
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.schools.agent import SCHOOLS
from sandtable.games.stratego.agents.schools.judgement import (
    KNOWN_PREY,
    UNKNOWN_PREY,
    WORTH,
    danger_at,
    expected_gain,
    measure_ways,
    write_chances,
)
from sandtable.games.stratego.studies.secrets import uniform_chances
from sandtable.registry import make_agent, make_game


def views(count=25):
    """Return what Red sees in the middle of random games."""
    game, found = make_game("stratego"), []
    for number in range(count):
        dice = Dice(number, "move")
        state = game.start(Dice(number))
        for _ in range(40 + 9 * number):
            if len(state.legal) == 0 or state.turn < 0:
                break
            state = state.play(state.legal[below(dice.array, len(state.legal))])
        if state.turn == layout.RED:
            found.append((state, np.array(state.view(layout.RED).position)))
    assert found
    return found


def plain_danger(position, seat, square, rank, hidden, chances):
    """The same as ``danger_at``, square by square in plain Python."""
    row, column = divmod(square, 10)
    threats = [0.0]
    for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        if not (0 <= row + down < 10 and 0 <= column + right < 10):
            continue
        cell = int(position[(row + down) * 10 + column + right])
        if not cell & (16 << (1 - seat)):
            continue
        beats = [enemy for enemy in range(1, 11) if enemy > rank or (enemy == 1 and rank == 10)]
        if cell & layout.KNOWN:
            threats.append((0.6 if hidden else 1.0) if cell & 15 in beats else 0.0)
        else:
            moved = int(bool(cell & layout.MOVED))
            share = sum(chances[moved, enemy] for enemy in beats)
            threats.append(share * (1.0 if moved else 0.4) * (0.5 if hidden else 1.0))
    return max(threats)


def test_chances_are_those_of_counting():
    for state, view in views():
        chances = np.empty((2, layout.RANKS))
        write_chances(view, layout.BLUE, chances)
        counted = uniform_chances(state.position, layout.BLUE)
        for square, expected in counted.items():
            moved = int(bool(int(view[square]) & layout.MOVED))
            assert np.allclose(chances[moved], expected)


def test_dangers_are_those_of_the_plain_twin():
    for _, view in views():
        chances = np.empty((2, layout.RANKS))
        write_chances(view, layout.BLUE, chances)
        for square in range(100):
            for rank, hidden in ((2, True), (6, False), (10, True)):
                found = danger_at(view, layout.RED, square, rank, hidden, chances)
                assert np.isclose(
                    found, plain_danger(view, layout.RED, square, rank, hidden, chances)
                )


def test_gains_weigh_what_is_taken_and_lost():
    chances = np.zeros((2, layout.RANKS))
    chances[0, layout.BOMB] = 1.0
    known_six = 6 | layout.OWNED << 1 | layout.KNOWN
    unmoved = layout.OWNED << 1
    assert expected_gain(7, known_six, chances) == WORTH[6]
    assert expected_gain(5, known_six, chances) == -WORTH[5]
    assert expected_gain(6, known_six, chances) == 0
    assert expected_gain(layout.MARSHAL, unmoved, chances) == -WORTH[layout.MARSHAL]
    assert expected_gain(layout.MINER, unmoved, chances) == WORTH[layout.BOMB]


def test_ways_lead_to_prey_alone():
    view = np.array(
        state_of({"a1": "F", "e4": "7"}, {"a10": "F", "e7": "6!'", "b7": "8"}).view(0).position
    )
    steps = np.empty(101, dtype=np.int64)
    measure_ways(view, layout.RED, 7, KNOWN_PREY, steps)
    assert steps[layout.parse_square("e4", 10)] == 3
    measure_ways(view, layout.RED, 5, KNOWN_PREY, steps)
    assert steps.min() == 99
    measure_ways(view, layout.RED, 5, UNKNOWN_PREY, steps)
    assert steps[layout.parse_square("b4", 10)] == 3


def test_the_waiter_stays_at_home_and_strikes_what_comes():
    waiter = make_agent("stratego/waiter")
    state = state_of({"a1": "F", "e4": "7", "f3": "5"}, {"a10": "F", "e5": "6!'", "j9": "3"})
    played = waiter.choose(state.view(0), Dice(1))
    assert state.game.notation.action_name(played[0]) == "e4-e5"
    game = make_game("stratego:setup=choose")
    agents = [waiter, make_agent("random")]
    record = play_game(game, agents, specs=["waiter", "random"], seed=1, number=0).record
    assert record.outcome.forfeited_by is None


def test_the_hunter_goes_for_known_pieces():
    hunter = make_agent("stratego/hunter")
    state = state_of({"a1": "F", "e4": "7"}, {"a10": "F", "e8": "6!'", "j9": "3"})
    for number in range(5):
        played = hunter.choose(state.view(0), Dice(number))
        assert state.game.notation.action_name(played[0]) == "e4-e5"


@pytest.mark.parametrize("name", SCHOOLS)
@pytest.mark.parametrize("variant", ["classic", "mini", "barrage"])
def test_every_school_plays_every_variant(name, variant):
    plan = make_plan(
        f"stratego:setup=choose,variant={variant}", [name, "random"], 6, 1, rotate=True
    )
    result = play_match(plan)
    assert not result.forfeits
    if name != "stratego/waiter":
        assert result.agents[0].score.mean > 0.5


def test_a_school_keeps_the_contract():
    report = check_agent("stratego/besieger", "stratego:variant=mini", games=2)
    assert report.problems == []
