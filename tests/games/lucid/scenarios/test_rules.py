"""The kernels of scenarios: against the published kernels, and against a plain twin."""

import random

import numpy as np
import pytest

from games.lucid.scenarios.plain import PlainScenario
from plain_dice import PlainDice
from sandtable.conformance import check_game
from sandtable.dice import Dice
from sandtable.games.lucid import rules as published_rules
from sandtable.games.lucid.game import lucid
from sandtable.games.lucid.scenarios.files import all_values, bundled_names, bundled_scenario
from sandtable.games.lucid.scenarios.game import scenario_game
from sandtable.games.lucid.scenarios.parse import read_scenario
from sandtable.registry import make_game

WORKED = [name for name in bundled_names() if name != "published"]
STRANGE = read_scenario(
    {
        "board": [". r2 . .", "r1 x . r2", ". . r5 .", "b2 b5 . b1", "b4 . b1 x"],
        "turns": 25,
        "capacity": 5,
        "closed_roads": ["a1-a2", "c2-c3", "a5-goal", "c5-d5"],
        "defender": {"default": 2, "c3": 0, "a4": 3},
        "right_to_move": 35,
        "supply": ["b2", "c4"],
        "penalty": 3,
    }
)


def test_there_are_three_worked_scenarios():
    assert WORKED == ["pass", "relief", "river"]


def boards(game, position):
    """What stands where, whatever the layout."""
    plan = game.notation.plan
    starts = (plan.blue, plan.red, plan.attacker, plan.arrived)
    numbers = [int(position[cell]) for cell in (plan.goal, plan.played, plan.mover)]
    return [position[start : start + plan.nodes].tolist() for start in starts], numbers


@pytest.mark.parametrize("seed", range(12))
def test_the_published_scenario_plays_the_published_games(seed):
    """Same dice and same actions: same positions, masks, luck, planes and scores."""
    ours, theirs = scenario_game(bundled_scenario("published")), lucid()
    assert ours.action_count == theirs.action_count and ours.max_actions == theirs.max_actions
    dice, twin_dice, chooser = Dice(seed), Dice(seed), random.Random(seed)
    position, twin = ours.empty_position(), theirs.empty_position()
    ours.rules.start(position, dice.array)
    theirs.rules.start(twin, twin_dice.array)
    mask, twin_mask = np.zeros(101, dtype=np.bool_), np.zeros(101, dtype=np.bool_)
    luck, twin_luck = np.zeros(3), np.zeros(3)
    count = 0
    while theirs.rules.turn(twin) >= 0:
        assert boards(ours, position) == boards(theirs, twin)
        assert ours.rules.legal(position, mask) == theirs.rules.legal(twin, twin_mask)
        assert (mask == twin_mask).all()
        if count % 29 == 0:
            check_same_planes(ours, theirs, position, twin)
            assert ours.notation.position_line(position) == theirs.notation.position_line(twin)
            assert ours.drawing.svg(position) == theirs.drawing.svg(twin)
            assert ours.drawing.text(position) == theirs.drawing.text(twin)
        legal = np.flatnonzero(mask)
        action = int(chooser.choice(legal)) if chooser.random() < 0.8 else published_rules.END
        ours.rules.apply_with_luck(position, action, dice.array, luck)
        theirs.rules.apply_with_luck(twin, action, twin_dice.array, twin_luck)
        count += 1
    assert boards(ours, position) == boards(theirs, twin)
    assert luck == pytest.approx(twin_luck) and dice.draws == twin_dice.draws
    assert count > 50


def check_same_planes(ours, theirs, position, twin):
    planes = np.full(ours.plane_shape, 7, dtype=np.float32)
    twin_planes = np.zeros(theirs.plane_shape, dtype=np.float32)
    ours.rules.encode(position, 0, planes)
    theirs.rules.encode(twin, 0, twin_planes)
    assert (planes[: len(twin_planes)] == twin_planes).all()


def some_steps(twin, chooser):
    """Draw steps; those towards the enemy are likelier, or the sides would seldom meet."""
    ahead = 1 if twin.mover == "blue" else -1

    def advances(step):
        here, there = step
        return there == "goal" or (int(there[1:]) - int(here[1:])) * ahead > 0

    steps = [
        step for step in sorted(twin.legal_steps()) if advances(step) or chooser.random() < 0.3
    ]
    return chooser.sample(steps, min(6, len(steps)))


@pytest.mark.parametrize(
    "scenario", [*map(bundled_scenario, WORKED), STRANGE], ids=[*WORKED, "strange"]
)
def test_kernels_agree_with_the_plain_twin(scenario):
    game = scenario_game(scenario)
    plan, notation = game.notation.plan, game.notation
    mask = np.zeros(game.action_count, dtype=np.bool_)
    combats = goals = 0
    for number in range(40):
        dice, plain_dice = Dice(22, number=number), PlainDice(22, number=number)
        chooser = random.Random(number)
        position = game.empty_position()
        game.rules.start(position, dice.array)
        twin = PlainScenario(all_values(scenario), plain_dice)
        while twin.mover is not None:
            assert int(game.rules.turn(position)) == ("blue", "red").index(twin.mover)
            game.rules.legal(position, mask)
            names = {notation.action_name(int(action)) for action in np.flatnonzero(mask)}
            assert names == {"end", *(f"{a}-{b}" for a, b in twin.legal_steps())}
            for step in some_steps(twin, chooser):
                if step not in twin.legal_steps():
                    continue
                game.rules.apply(position, notation.parse_action("-".join(step)), dice.array)
                twin.step(*step)
            game.rules.apply(position, plan.end, dice.array)
            twin.end_turn(plain_dice)
            for side, start in (("blue", plan.blue), ("red", plan.red)):
                cells = position[start : start + plan.nodes]
                found = {plan.node_name(i): int(n) for i, n in enumerate(cells) if n}
                assert found == twin.units[side]
            marks = position[plan.attacker : plan.attacker + plan.nodes]
            sides = {1: "blue", 2: "red"}
            found = {plan.node_name(i): sides[int(n)] for i, n in enumerate(marks) if n}
            assert found == twin.attacker
            assert (int(position[plan.goal]), int(position[plan.played])) == (
                twin.goal,
                twin.played,
            )
        assert int(game.rules.turn(position)) < 0
        assert dice.draws == plain_dice.draws
        goals += twin.goal
        combats += twin.combats
    assert combats > 200 and goals > 0


@pytest.mark.parametrize("name", WORKED)
def test_worked_scenarios_keep_the_contract(name):
    report = check_game(make_game(f"lucid:scenario={name}"), games=8)
    report.raise_if_broken()


def test_the_strange_one_keeps_the_contract():
    check_game(scenario_game(STRANGE), games=8).raise_if_broken()
