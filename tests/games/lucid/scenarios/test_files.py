"""Scenario files and the options of specs: read, refused in one line a mistake, written back."""

import random
from types import SimpleNamespace

import pytest

from sandtable.arena.play.match import play_match
from sandtable.arena.play.plan import make_plan
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.games.lucid.agents.expert.games import check_expert_record
from sandtable.games.lucid.game import lucid
from sandtable.games.lucid.scenarios import rules
from sandtable.games.lucid.scenarios.files import (
    bundled_names,
    bundled_scenario,
    file_values,
    format_scenario,
    option_texts,
)
from sandtable.games.lucid.scenarios.parse import (
    UnreadableScenario,
    read_scenario,
    scenario_problems,
)
from sandtable.registry import agent_names, check_seats, make_agent, make_game
from sandtable.specs import Spec

GENERIC = ("random", "mcts:simulations=4")


def random_values(seed):
    """Draw the values of a scenario; most can be played, some cannot."""
    chance = random.Random(seed)
    columns, rows = chance.randint(2, 12), chance.randint(2, 12)
    capacity = chance.randint(1, 9)
    words = [".", ".", ".", "x", f"b{chance.randint(1, capacity)}", f"r{chance.randint(1, 3)}"]
    letters = "abcdefghijkl"[:columns]
    some_nodes = [f"{chance.choice(letters)}{chance.randint(1, rows)}" for _ in range(3)]
    return {
        "title": chance.choice(["", 'Quotes " and \\', "Ümläute", "two\nlines"]),
        "board": [" ".join(chance.choice(words) for _ in range(columns)) for _ in range(rows)],
        "turns": chance.randint(1, 200),
        "capacity": capacity,
        "closed_roads": [f"{letter}{rows}-goal" for letter in letters if chance.random() < 0.3],
        "defender": chance.choice([0, 2, {"default": 1, some_nodes[0]: 3}]),
        "right_to_move": chance.choice(["drawn", "alternate", 35]),
        "first": chance.choice(["drawn", "blue", "red"]),
        "supply": chance.choice(["row1", "off", some_nodes]),
        "penalty": chance.randint(1, 3),
    }


def test_what_is_written_is_read_back_from_files_and_specs():
    playable = 0
    for seed in range(400):
        scenario, problems = scenario_problems(random_values(seed))
        assert (scenario is None) == bool(problems)
        assert all("\n" not in problem and len(problem) < 300 for problem in problems)
        if scenario is None:
            continue
        playable += 1
        again = read_scenario(file_values(format_scenario(scenario), "written"))
        assert again == scenario and (again.title, again.about) == (scenario.title, scenario.about)
        options = {key: str(value) for key, value in option_texts(scenario).items()}
        game = make_game(str(Spec("lucid", None, options)))
        assert game.initial_cells == scenario.initial_cells()
        assert make_game(game.spec).spec == game.spec
    assert playable > 60


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"turns": "many"}, "turns is a number from 1 to 200, got 'many'"),
        ({"turns": True}, "turns is a number"),
        ({"capacity": 10}, "capacity is a number from 1 to 9"),
        ({"bored": 1}, "Did you mean 'board'"),
        ({"board": 5}, "board is a list of rows"),
        ({"board": ["b1 r1"]}, "board has 2 to 12 rows, got 1"),
        ({"board": ["r1", "b1"]}, "board has 2 to 12 columns, got 1"),
        ({"board": ["r1 .", "b1 . ."]}, "row 2 has 2, row 1 has 3"),
        ({"board": ["r1 y", "b1 ."]}, "'y' in row 2 of the board means nothing"),
        ({"board": ["r1 .", "b4 ."]}, "a1 has 4 units; 1 to 3 fit on a node"),
        ({"board": ["r1 .", "b0 b1"]}, "a1 has 0 units"),
        ({"board": [". .", "b1 ."]}, "Red needs 1 to 200 units"),
        ({"board": ["x x .", "r1 b1 x"]}, "no open road leads from any Blue unit to the goal"),
        ({"closed_roads": ["a1-c1"]}, "no road joins a1 and c1"),
        ({"closed_roads": ["e1-a2"]}, "no road joins e1 and a2"),
        ({"closed_roads": ["a1-goal"]}, "no road joins a1 and goal"),
        ({"closed_roads": ["a1"]}, "'a1' is no road"),
        ({"closed_roads": 7}, "closed_roads is a list of words"),
        ({"defender": 4}, "defender is a number from 0 to 3"),
        ({"defender": {"f9": 1}}, "defender: 'f9' is no node; nodes are a1 to e5"),
        ({"supply": []}, "supply is row1, off, or nodes"),
        ({"supply": ["a6"]}, "supply: 'a6' is no node"),
        ({"board": ["r1 .", "b1 x"], "supply": ["b1"]}, "supply: b1 is closed"),
        ({"right_to_move": 100}, "Blue's chance in per cent (1 to 99), got 100"),
        ({"first": ["blue"]}, "first is one of drawn, blue, red"),
        ({"title": "x" * 61}, "title is a text of at most 60"),
    ],
)
def test_mistakes_are_told_in_one_line(values, problem):
    scenario, problems = scenario_problems(values)
    assert scenario is None
    assert len(problems) == 1 and problem in problems[0] and "\n" not in problems[0]


def test_the_published_game_stays_the_default():
    plain = lucid()
    assert plain.spec == "lucid" and plain.action_count == 101 and not plain.options
    for spec in ("lucid:scenario=published", "lucid:turns=36", "lucid:supply=row1,capacity=3"):
        assert make_game(spec).spec == "lucid"
        assert make_game(spec).rules == plain.rules


def test_a_file_becomes_a_spec_that_needs_no_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('board = ["r1 r1 .", "b3 . x"]\nclosed_roads = ["a1-a2"]\nturns = 12\n')
    game = make_game(f"lucid:scenario={path}")
    assert game.spec == 'lucid:board="r1,r1,1/b3,1,x",closed_roads=a1-a2,turns=12'
    path.unlink()
    assert make_game(game.spec).initial_cells == game.initial_cells
    assert game.max_actions == 12 * 4 and game.score_bounds == ((0.0, 3.0), (-3.0, 0.0))


@pytest.mark.parametrize(
    ("text", "problem"),
    [("board = [", "is not TOML"), ("x = " + "[" * 5000, "nested too deeply"), ("é", "not TOML")],
)
def test_files_that_are_no_scenarios(tmp_path, text, problem):
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableScenario, match=problem):
        make_game(f"lucid:scenario={path}")


def test_names_and_folders_that_are_no_scenarios(tmp_path):
    for name in (tmp_path, "rivr", tmp_path / "none.toml"):
        with pytest.raises(UnreadableScenario, match="there is no scenario"):
            make_game(f"lucid:scenario={name}")


def test_agents_of_the_published_board_refuse_others_and_generic_ones_play():
    game = make_game("lucid:scenario=relief")
    for name in agent_names("lucid"):
        if not name.startswith("lucid/"):
            continue
        seats = make_agent(name).seats
        specs = [name, "random"] if "blue" in seats else ["random", name]
        with pytest.raises(WrongSeats, match="published board of lucid only"):
            check_seats(game, specs)
    for agent in GENERIC:
        result = play_match(make_plan(game.spec, [agent, "random"], 2, 3))
        assert not result.forfeits


def test_the_right_to_move_falls_as_often_as_the_scenario_says():
    counts = {}
    for spec in ("lucid:right_to_move=20", "lucid:right_to_move=alternate,first=red"):
        game = make_game(spec)
        movers = []
        for seed in range(60):
            dice, position = Dice(seed), game.empty_position()
            game.rules.start(position, dice.array)
            while game.rules.turn(position) >= 0:
                movers.append(int(position[rules.MOVER]))
                game.rules.apply(position, 100, dice.array)
        counts[spec] = movers
    share = counts["lucid:right_to_move=20"].count(0) / len(counts["lucid:right_to_move=20"])
    assert share == pytest.approx(0.2, abs=0.04)  # of 2160 turns; four deviations
    assert counts["lucid:right_to_move=alternate,first=red"] == [1, 0] * (18 * 60)


def test_expert_games_of_scenarios_are_refused():
    record = SimpleNamespace(game="lucid:scenario=river", identity="1")
    with pytest.raises(SandtableError, match="not of lucid as published"):
        check_expert_record(record)


def test_bundled_scenarios_say_what_they_are():
    for name in bundled_names()[1:]:
        scenario = bundled_scenario(name)
        assert scenario.title and len(scenario.about) > 80
