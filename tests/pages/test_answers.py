"""An exported page and Python say the same of the same positions: rules, words and programs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pages.exporting import answers, exported, needs_scripts
from sandtable.agents.level.ladder import ladder_of
from sandtable.dice import Dice
from sandtable.registry import make_agent, make_game
from sandtable.screens import screen_of

POSITIONS = 1000
PLAYERS = ("random", "skirmish/greedy", "skirmish/champion:budget=30")  # weak, middling, good
GAMES = (
    *(f"skirmish:level={level}" for level in range(1, 8)),
    "skirmish:level=2,start=random",
    "skirmish:both_empty=second,max_turns=30",
    "skirmish:level=5,passes=both",
)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    needs_scripts()
    return exported(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def states():
    """Positions from games of players of different strength on all maps, up to the last one."""
    found = []
    players = [make_agent(spec) for spec in PLAYERS]
    pairs = itertools.cycle(itertools.product(players, players))
    for number, spec in enumerate(itertools.cycle(GAMES)):
        state, dice, pair = make_game(spec).start(Dice(number)), Dice(number, "agents"), next(pairs)
        for ply in itertools.count():
            if ply % 5 == number % 5 or state.outcome is not None:
                found.append(state)
            if state.outcome is not None:
                break
            state = state.play(pair[state.turn].choose(state.view(state.turn), dice), dice)
        if len(found) >= POSITIONS:
            break
    return found[:POSITIONS]


def shown(state):
    """What a page should show of a state."""
    game = state.game
    screen = screen_of(game)
    over = state.outcome
    legal = [
        {"action": action, "text": game.notation.action_name(action)}
        | screen.action(state.position, action)
        for action in ([] if over else state.legal)
    ]
    words = screen.with_titles
    return {
        "position": state.position.tolist(),
        "turn": None if over else state.turn,
        "board": screen.board(state.position, None),
        "legal": [each | {"label": words(each["label"])} for each in legal],
        "progress": screen.progress(state.position),
        "outcome": over
        and {"scores": list(over.scores), "reason": words(over.reason), "forfeited_by": None},
    }


def dice_of(number):
    return [str(cell) for cell in Dice(5, "agent 0", number).array]


def test_programs_choose_the_same_in_1000_positions(page, states):
    names = [level.name for level in ladder_of(make_game("skirmish")).levels]
    levels = (
        names[:5] * 4 + names[5:]
    )  # the strong ones search longest: some forty positions for each
    open_ones = [state for state in states if state.outcome is None]
    asked = list(zip(open_ones, itertools.cycle(levels)))
    expected = []
    players = {level: make_agent(f"level:{level}") for level in names}
    for number, (state, level) in enumerate(asked):
        dice = Dice(5, "agent 0", number)
        action = players[level].choose(state.view(state.turn), dice)
        expected.append(([action], [str(cell) for cell in dice.array]))
    requests = [
        ["choose", state.position.tolist(), level, None, dice_of(number)]
        for number, (state, level) in enumerate(asked)
    ]
    told = [(each["value"]["actions"], each["value"]["dice"]) for each in answers(page, requests)]
    assert len(open_ones) > 0.9 * POSITIONS
    assert told == expected


def test_rules_and_words_are_the_same_in_1000_positions(page, states):
    requests, expected = [], []
    for number, state in enumerate(states):
        position, screen = state.position.tolist(), screen_of(state.game)
        requests.append(["show", position])
        expected.append(shown(state))
        if state.outcome is not None:
            continue
        action = state.legal[number % len(state.legal)]
        after = state.play(action, Dice(number))
        events = screen.events(state.position, state.turn, action, after.position, None)
        requests.append(["play", position, action])
        expected.append(
            {
                "seat": state.turn,
                "text": state.game.notation.action_name(action),
                "label": screen.turn_label(state.position),
                "events": [each | {"text": screen.with_titles(each["text"])} for each in events],
                "shown": shown(after),
            }
        )
    told = answers(page, requests)
    assert [each.get("value") for each in told] == expected
    assert {state.outcome.reason for state in states if state.outcome} >= {
        "First has no units left",
        "Second has no units left",
        "30 turns played",
    }


def test_why_not_is_said_in_the_same_words(page, states):
    squares = [f"{column}{row}" for column in "abcdefgh" for row in range(1, 9)]
    dice, requests, expected = np.random.default_rng(1), [], []
    for state in states[::20]:
        if state.outcome is not None:
            continue
        screen = screen_of(state.game)
        cells = state.position
        standing = [each["place"] for each in screen.board(cells, None)["units"]]
        for place in standing:
            column, row = place
            near = [
                f"{chr(ord(column) + right)}{int(row) + up}"
                for right, up in itertools.product((-1, 0, 1), repeat=2)
                if (right or up)
                and "a" <= chr(ord(column) + right) <= "h"
                and 1 <= int(row) + up <= 8
            ]
            for goal in (None, str(dice.choice(squares)), *near):
                if goal != place:
                    requests.append(["whyNot", cells.tolist(), place, goal])
                    expected.append(screen.with_titles(screen.why_not(cells, place, goal)))
    told = [each["value"] for each in answers(page, requests)]
    assert told == expected
    assert len(set(expected)) > 8


def test_starts_are_those_of_the_game(page):
    told = answers(page, [["start", 0], ["start", 6], ["start", 7]])
    for each, spec in zip(told[:2], ("skirmish", "skirmish:level=7"), strict=True):
        assert each["value"]["position"] == make_game(spec).start(Dice(1)).position.tolist()
    assert told[2]["problem"] == "there is no start 7"


def test_what_is_not_legal_is_refused(page):
    position = make_game("skirmish").start(Dice(1)).position.tolist()
    told = answers(
        page,
        [["play", position, 0], ["choose", position, "nobody", None, None], ["show", position]],
    )
    assert told[0]["problem"] == "this action is not legal"
    assert told[1]["problem"] == "nobody plays at the level 'nobody'"
    assert told[2]["value"]["turn"] == 0  # and it goes on
