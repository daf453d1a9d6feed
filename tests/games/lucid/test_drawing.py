"""What is drawn is what stands there, whatever the position."""

import random
import re
from fractions import Fraction
from xml.etree import ElementTree

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.games.lucid import rules
from sandtable.games.lucid.game import lucid
from sandtable.games.lucid.notation import node_name

GAME = lucid()
DRAWING = GAME.drawing
SVG = "{http://www.w3.org/2000/svg}"
START = "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -"
SIDES = ("blue", "red")


def random_position(seed):
    """Return a crowded position: combats, cut-off units, some that have moved, some games over."""
    chance = random.Random(seed)
    position = np.zeros(rules.POSITION_SIZE, dtype=np.int16)
    places = chance.sample(range(rules.NODES), 12)
    for board, units in ((rules.BLUE, rules.BLUE_UNITS), (rules.RED, rules.RED_UNITS)):
        for _ in range(chance.randint(1, units)):
            node = chance.choice(places)
            position[board + node] += position[board + node] < rules.CAPACITY
    mover = chance.choice((rules.BLUE_SEAT, rules.RED_SEAT, rules.OVER))
    over = mover == rules.OVER
    position[rules.MOVER] = mover
    position[rules.PLAYED] = rules.TURNS if over else chance.randrange(rules.TURNS)
    room = rules.BLUE_UNITS - int(position[rules.BLUE : rules.RED].sum())
    position[rules.GOAL] = chance.randint(0, room)
    for node in range(rules.NODES):
        both = position[rules.BLUE + node] and position[rules.RED + node]
        own = int(position[rules.own_board(mover) + node])
        if own and not over and chance.random() < 0.4:
            position[rules.ARRIVED + node] = chance.randint(1, own)
        if both and (over or not position[rules.ARRIVED + node] or chance.random() < 0.5):
            position[rules.ATTACKER + node] = chance.choice((1, 2))
    return position


POSITIONS = [random_position(seed) for seed in range(60)]


def neighbours(node):
    row, column = divmod(node, rules.SIDE)
    steps = ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1))
    return [r * 5 + c for r, c in steps if 0 <= r < 5 and 0 <= c < 5]


def supply_sources(position):
    """Find the nodes supply comes from, step by step from row 1."""
    blue, red = position[rules.BLUE :], position[rules.RED :]
    alone = {node for node in range(rules.NODES) if blue[node] and not red[node]}
    reached = set()
    border = [node for node in alone if node < rules.SIDE]
    while border:
        node = border.pop()
        reached.add(node)
        border += [n for n in neighbours(node) if n in alone - reached]
    return reached


def combats(position):
    """Say of each combat who attacks if the turn is closed now, whether in supply, and the odds."""
    sources = supply_sources(position)
    found = {}
    for node in range(rules.NODES):
        blue, red = int(position[rules.BLUE + node]), int(position[rules.RED + node])
        if not blue or not red:
            continue
        entered = position[rules.ARRIVED + node] > 0
        attacker = position[rules.MOVER] if entered else position[rules.ATTACKER + node] - 1
        supplied = node < rules.SIDE or any(n in sources for n in neighbours(node))
        blue_strength = blue + (attacker == 1) - (not supplied)
        odds = Fraction(blue_strength, blue_strength + red + (attacker == 0))
        found[node] = (SIDES[attacker], supplied, f"{float(odds):.0%}")
    return found


def parsed(position):
    return ElementTree.fromstring(DRAWING.svg(position))


def with_class(element, name):
    return [each for each in element.iter() if name in each.get("class", "").split()]


def drawn_nodes(root):
    return {each.get("data-node"): each for each in root.iter() if each.get("data-node")}


def test_random_positions_are_worth_drawing():
    counts = [combats(position) for position in POSITIONS]
    fought = [combat for found in counts for combat in found.values()]
    assert {side for side, _, _ in fought} == set(SIDES)
    assert {supplied for _, supplied, _ in fought} == {True, False}
    assert {int(position[rules.MOVER]) for position in POSITIONS} == {-1, 0, 1}


@pytest.mark.parametrize("position", POSITIONS)
def test_map_shows_every_unit_where_it_stands(position):
    nodes = drawn_nodes(parsed(position))
    assert len(nodes) == rules.NODES + 1
    assert len(with_class(nodes["goal"], "unit")) == position[rules.GOAL]
    for node in range(rules.NODES):
        element = nodes[node_name(node)]
        assert len(with_class(element, "blue")) == position[rules.BLUE + node]
        assert len(with_class(element, "red")) == position[rules.RED + node]
        moved = with_class(element, "moved")
        assert len(moved) == position[rules.ARRIVED + node]
        mover = SIDES[position[rules.MOVER]]  # of a finished game nothing is marked as moved
        assert all(mover in each.get("class").split() for each in moved)


@pytest.mark.parametrize("position", POSITIONS)
def test_map_shows_combats_and_supply(position):
    root = parsed(position)
    expected = combats(position)
    over = position[rules.MOVER] == rules.OVER
    for node in range(rules.NODES):
        element = drawn_nodes(root)[node_name(node)]
        marks = with_class(element, "combat")
        assert len(marks) == (node in expected)
        if not marks:
            continue
        attacker, supplied, odds = expected[node]
        assert marks[0].get("class") == f"combat {attacker}-attacks"
        assert len(with_class(element, "no-supply")) == (not supplied)
        written = [text.text for text in marks[0].iter(f"{SVG}text") if text.text != "!"]
        assert written == ([] if over else [odds])
    sources = supply_sources(position)
    lines = sum(1 for node in (*sources, *expected) if node < rules.SIDE)
    for node in sources:
        others = [n for n in neighbours(node) if n in sources or n in expected]
        lines += sum(1 for other in others if other not in sources or other > node)
    assert len(with_class(root, "supply")) == lines


@pytest.mark.parametrize("position", POSITIONS[:10])
def test_map_stands_alone(position):
    svg = DRAWING.svg(position)
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert root.get("font-family").startswith("Roboto")
    assert [child.tag for child in root[:2]] == [f"{SVG}title", f"{SVG}desc"]
    assert svg == DRAWING.svg(position.copy())
    assert svg.isascii()
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "g", "rect", "path", "line", "text"}
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not attributes & {"id", "style", "href", "onclick"}


def test_map_says_in_words_what_it_shows():
    root = parsed(GAME.parse("1,B2r1,3/1,b1,3/5/5/b1,4 b 17 2 b5:1").position)
    assert root.find(f"{SVG}title").text == "Operation Lucid, turn 17 of 36: Blue to move"
    assert root.find(f"{SVG}desc").text == (
        "2 Blue in the goal; a1: 1 Blue; b4: 1 Blue; b5: 2 Blue and 1 Red (1 moved in this turn), "
        "Blue attacks, Blue out of supply, Red loses a unit with 33%."
    )


def heading(line):
    root = parsed(GAME.parse(line).position)
    return [text.text for text in with_class(root, "heading")[0].iter(f"{SVG}text")]


def test_caption():
    assert heading("r2,r2,3/1,b2,3/5/5/5 r 17 9 -")[1:] == [
        "Red to move",
        "Turn 17 of 36",
        "9 in the goal \u00b7 Blue 2 on the board, 4 lost \u00b7 Red 4 on the board, 6 lost",
    ]
    assert heading("r2,r2,3/5/5/5/5 - 29 6 -")[1:] == [
        "Game over: 6 in the goal",
        "Turn 29 of 36: no Blue unit is left on the board",
        "lost: Blue 9, Red 6",
    ]


def test_text_of_a_position():
    line = "1,B2r1,1,b1R3,r1/b1,b2,1,B1r2,1/1,b1,2,b1/1,b1,3/b1,b1,2,b1R1 b 17 2 a4:1,b4:1,b5:1"
    expected = """\
Operation Lucid, turn 17 of 36: Blue to move

         +---------------[ goal: 2 Blue units ]--------------+
         |           50%           |           25%           |
  5      + ------- B2r1(1) ------- + -------- b1R3! -------- r1
         |            |            |            0%           |
  4    b1(1) ------ b2(1) -------- + -------- B1r2! -------- +
         |            |            |            |            |
  3      + ---------- b1 --------- + ---------- + ---------- b1
         |            |            |            |            |
  2      + ---------- b1 --------- + ---------- + ---------- +
         |            |            |            |           67%
  1      b1 --------- b1 --------- + ---------- + --------- b1R1
         A            B            C            D            E

on the board: Blue 13, Red 8; lost: Blue 0, Red 2
B, R: attacks; %: Red's chance to lose the unit; !: Blue out of
supply; (n): n have moved"""
    assert DRAWING.text(GAME.parse(line).position) == expected


NODE_TEXT = re.compile(r"(?:([bB])(\d))?(?:([rR])(\d))?(!?)(?:\((\d)\))?|\+")


@pytest.mark.parametrize("position", POSITIONS)
def test_text_can_be_read_back(position):
    """Take the drawing apart again: every unit, attacker, lack of supply and moved unit."""
    text = DRAWING.text(position)
    lines = text.splitlines()
    assert text.isascii() and max(map(len, lines)) <= 78
    assert f"[ goal: {position[rules.GOAL]} Blue unit" in text
    expected = combats(position)
    rows = [line for line in lines if re.match(r"  [1-5] ", line)]
    assert [row[2] for row in rows] == ["5", "4", "3", "2", "1"]
    words = [word for row in reversed(rows) for word in row[3:].replace("-", " ").split()]
    for node, word in enumerate(words):
        blue_letter, blue, red_letter, red, unsupplied, moved = NODE_TEXT.fullmatch(word).groups()
        assert int(blue or 0) == position[rules.BLUE + node]
        assert int(red or 0) == position[rules.RED + node]
        assert int(moved or 0) == position[rules.ARRIVED + node]
        attacker, supplied, _ = expected.get(node, (None, True, ""))
        assert (blue_letter == "B", red_letter == "R") == (attacker == "blue", attacker == "red")
        assert (unsupplied == "!") == (not supplied)
    over = position[rules.MOVER] == rules.OVER
    odds = sorted(re.findall(r"\d+%", text))
    assert odds == ([] if over else sorted(odds for _, _, odds in expected.values()))


COMBAT_EVENT = re.compile(
    r"([a-e][1-5]): (Blue|Red) attacks (\d) to (\d) (?:with Blue )?(in|out of) supply, "
    r"(Blue|Red) loses (?:a unit|its last unit there) \((\d+%)\)"
)


@pytest.mark.parametrize("before", [p for p in POSITIONS if p[rules.MOVER] != rules.OVER])
def test_events_add_up_to_the_losses(before):
    after = before.copy()
    rules.apply(after, rules.END, Dice(7).array)
    *told, last = DRAWING.events(before, rules.END, after)
    expected = combats(before)
    matches = [COMBAT_EVENT.fullmatch(line) for line in told]
    assert [match[1] for match in matches] == [node_name(node) for node in sorted(expected)]
    losses = {"Blue": np.zeros(rules.NODES, int), "Red": np.zeros(rules.NODES, int)}
    for node, match in zip(sorted(expected), matches, strict=True):
        attacker, supplied, odds = expected[node]
        units = [int(before[rules.BLUE + node]), int(before[rules.RED + node])]
        assert match[2].lower() == attacker
        assert [int(match[3]), int(match[4])] == (units if attacker == "blue" else units[::-1])
        assert (match[5] == "in") == supplied
        losses[match[6]][node] += 1
        if match[6] == "Red":
            assert match[7] == odds
    for name, board in (("Blue", rules.BLUE), ("Red", rules.RED)):
        lost = before[board : board + rules.NODES] - after[board : board + rules.NODES]
        assert (lost == losses[name]).all()
    if after[rules.MOVER] == rules.OVER:
        assert last.startswith("the game is over")
    else:
        mover = SIDES[after[rules.MOVER]].capitalize()
        assert last == f"turn {after[rules.PLAYED] + 1}: {mover} has the right to move"


def events_of(line, seed):
    before = GAME.parse(line)
    after = before.play("end", Dice(seed))
    return DRAWING.events(before.position, rules.END, after.position)


def test_events_in_words():
    supplied = "2,B3r2,2/2,b1,2/2,b1,2/2,b1,2/2,b1,2 b 9 0 -"
    assert {events_of(supplied, seed)[0] for seed in range(20)} == {
        "c5: Blue attacks 3 to 2 in supply, Red loses a unit (50%)",
        "c5: Blue attacks 3 to 2 in supply, Blue loses a unit (50%)",
    }
    cut_off = "2,b1R2,2/5/5/5/b1,4 r 9 0 -"
    assert {events_of(cut_off, seed)[0] for seed in range(20)} == {
        "c5: Red attacks 2 to 1 with Blue out of supply, Red loses a unit (33%)",
        "c5: Red attacks 2 to 1 with Blue out of supply, Blue loses its last unit there (67%)",
    }
    assert events_of("r2,4/5/5/5/b1,4 r 36 4 -", 0) == [
        "the game is over, 36 turns played: 4 in the goal"
    ]


def test_movelets_are_no_events():
    before = GAME.parse(START)
    for action in before.legal:
        if action != rules.END:
            after = before.play(action)
            assert DRAWING.events(before.position, action, after.position) == []


def test_drawing_changes_nothing():
    for position in POSITIONS[:5]:
        kept = position.copy()
        DRAWING.svg(position)
        DRAWING.text(position)
        assert (position == kept).all()
