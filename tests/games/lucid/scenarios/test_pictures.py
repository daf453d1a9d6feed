"""Scenarios drawn, written, shown in the browser, and handled on the command line."""

import re
from xml.etree import ElementTree

import pytest

from sandtable.dice import Dice
from sandtable.errors import UnreadablePosition
from sandtable.games.lucid.scenarios.files import bundled_names, bundled_scenario
from sandtable.registry import make_game
from sandtable.screens import screen_of

SVG = "{http://www.w3.org/2000/svg}"
SPECS = [
    *(f"lucid:scenario={name}" for name in bundled_names()[1:]),
    'lucid:board="r1,1/b1,b1",turns=3',
    'lucid:board="12/12/12/12/12/12/12/12/12/12/9,r9,2/b9,b9,10",capacity=9,turns=200',
]


def later(game, turns=9):
    """Return a position in the middle of a random game."""
    dice = Dice(5)
    state = game.start(dice)
    while state.outcome is None and turns:
        action = game.rules.random_action(state.position.copy(), dice.array)
        turns -= action in game.turn_ending_actions
        state = state.play(int(action), dice)
    return state


@pytest.mark.parametrize("spec", SPECS)
def test_drawings_show_every_node_once_and_inside_the_sheet(spec):
    game = make_game(spec)
    plan = game.notation.plan
    for state in (game.start(Dice(1)), later(game)):
        root = ElementTree.fromstring(game.drawing.svg(state.position))
        width, height = map(float, (root.get("width"), root.get("height")))
        found = {node.get("data-node"): node for node in root.iter(f"{SVG}g")}
        names = {plan.node_name(n) for n in range(plan.nodes) if n not in plan.closed}
        assert names <= found.keys() and "goal" in found
        places = [re.findall(r"-?[0-9.]+", found[name].get("transform")) for name in names]
        assert all(50 < float(x) < width - 50 and 150 < float(y) < height - 100 for x, y in places)
        assert len({tuple(place) for place in places}) == len(names)
        for side, start in (("blue", plan.blue), ("red", plan.red)):
            signs = [sign for name in names for sign in found[name].iter(f"{SVG}g")]
            drawn = sum((sign.get("class") or "").startswith(f"unit {side}") for sign in signs)
            assert drawn == state.position[start : start + plan.nodes].sum()
        closed = [node for node in root.iter(f"{SVG}g") if node.get("class") == "closed"]
        assert len(closed) == len(plan.closed)


@pytest.mark.parametrize("spec", SPECS)
def test_text_and_lines_are_read_back(spec):
    game = make_game(spec)
    plan = game.notation.plan
    for state in (game.start(Dice(1)), later(game)):
        assert game.parse(state.line).position.tolist() == state.position.tolist()
        lines = str(state).splitlines()
        rows = [line for line in lines if re.match(r" ?[ 0-9]{2} ", line) and line[2].isdigit()]
        assert len(rows) == plan.rows
        assert str(state).count("goal:") == 1


def test_the_text_shows_terrain():
    text = str(make_game("lucid:scenario=river").start(Dice(1)))
    row_3 = next(line for line in text.splitlines() if line.startswith("  3"))
    assert row_3.split() == ["3", "x", "+", "x", "x", "x", "+", "x"]
    assert text.count("r2^2") == 2 and "^n: the defender has n more" in text
    assert "supply comes from c1 c4" in str(make_game("lucid:scenario=relief").start(Dice(1)))
    assert "no supply needed" in str(make_game("lucid:scenario=pass").start(Dice(1)))


def test_positions_nobody_can_reach_are_refused():
    game = make_game("lucid:scenario=river")
    line = game.start(Dice(1)).line
    for wrong, problem in (
        (line.replace("x,1,x", "2,x"), "closed nodes are written x"),
        (line.replace("/7/", "/8/"), "'8' in row '8' is no node"),
        (line.replace("/7/", "/x,6/"), "'x' in row 'x,6' is no node"),
        (line[:-1] + "h1:1", "nodes are a1 to g6"),
        (line.replace(" 1 0 ", " 41 0 "), "turn is a number from 1 to 40"),
    ):
        with pytest.raises(UnreadablePosition, match=re.escape(problem)):
            game.parse(wrong)


@pytest.mark.parametrize("spec", SPECS)
def test_screens_tell_the_board_and_the_moves(spec):
    game = make_game(spec)
    screen = screen_of(game)
    state = game.start(Dice(1))
    board = screen.board(state.position, None)
    plan = game.notation.plan
    assert (board["columns"], board["rows"], len(board["nodes"])) == (
        plan.columns,
        plan.rows,
        plan.nodes,
    )
    moves = [screen.action(state.position, action) for action in state.legal]
    places = {node["place"] for node in board["nodes"] if not node["closed"]} | {"goal"}
    assert {move["to"] for move in moves if move["kind"] == "move"} <= places
    roads = {frozenset(road) for road in board["roads"]}
    ends = [frozenset((m["from"], m["to"])) for m in moves if m["kind"] == "move"]
    assert all(road in roads or "goal" in road for road in ends)


def test_the_command_lists_shows_checks_and_writes(sandtable, tmp_path):
    code, out, _ = sandtable("scenarios", "list")
    assert code == 0 and all(name in out for name in bundled_names())
    path = tmp_path / "mine.toml"
    assert sandtable("scenarios", "write", "relief", "--out", path)[0] == 0
    assert sandtable("scenarios", "check", path)[1] == f"{path} can be played.\n"
    assert "lucid:scenario=relief" in sandtable("scenarios", "show", path)[1]
    path.write_text("turns = 0\nboards = 3\n")
    code, _, told = sandtable("scenarios", "check", path)
    assert code != 0 and len(told.strip().splitlines()) == 3 and "2 mistakes" in told
    assert bundled_scenario("relief").penalty == 2
