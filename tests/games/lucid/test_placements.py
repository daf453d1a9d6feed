"""Placements of Operation Lucid: known counts, a plain twin, demands, relaxation, movelets."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.lucid.plain import GOAL, NEIGHBOURS, NODES, PlainLucid
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid import rules
from sandtable.games.lucid.notation import parse_node
from sandtable.games.lucid.placements import demands
from sandtable.games.lucid.placements.search import defended_nodes
from sandtable.registry import make_game

GAME = make_game("lucid")
START = "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -"
DEFENDING = "1,b2R1,b1,b1R2,1/1,b1,B2r1,2/5/5/5 b 9 0 -"
NODE = {name: index for index, name in enumerate(NODES)}


def position(line):
    return np.array(GAME.parse(line).position)


def demand(text, units):
    """Read an area such as ``b1 b2 goal``."""
    places = [rules.TO_GOAL if name == "goal" else parse_node(name) for name in text.split()]
    return demands.Demand(frozenset(places), units)


# --- the plain twin: every unit chooses one after the other ------------------------------------


def plain_moves(line):
    """Return {placement: set of (frozenset of entered defended nodes)} and the number of moves."""
    state = GAME.parse(line)
    mover = "blue" if state.turn == 0 else "red"
    board = state.position[rules.own_board(state.turn) :][: rules.NODES]
    enemy = state.position[rules.own_board(1 - state.turn) :][: rules.NODES]
    marks = state.position[rules.ATTACKER :][: rules.NODES]
    groups = []
    for node, name in enumerate(NODES):
        ends = [name]
        if marks[node] != state.turn + 1:
            ends += NEIGHBOURS[name] + ([GOAL] if mover == "blue" and name[1] == "5" else [])
        units = int(board[node])
        groups.append(
            [(name, ways) for ways in itertools.combinations_with_replacement(ends, units)]
        )
    defended = {
        name
        for node, name in enumerate(NODES)
        if board[node] and enemy[node] and marks[node] == 2 - state.turn
    }
    found, moves = {}, 0
    for choice in itertools.product(*groups):
        placed = Counter(end for _, ways in choice for end in ways)
        if any(count > 3 for name, count in placed.items() if name != GOAL):
            continue
        moves += 1
        entered = {end for name, ways in choice for end in ways if end != name and end in defended}
        found.setdefault(frozenset(placed.items()), set()).add(frozenset(entered))
    return found, moves


def as_items(code):
    """Write a placement as the twin does."""
    units = demands.units_of(code)
    names = [*NODES, GOAL]
    return frozenset((name, int(count)) for name, count in zip(names, units, strict=True) if count)


@st.composite
def few_units(draw):
    """Positions with up to five units of the mover, some of them in combat."""
    places = draw(st.lists(st.integers(0, 24), min_size=1, max_size=5))
    own = Counter(places)
    enemies = draw(st.lists(st.integers(0, 24), max_size=6))
    enemy = Counter(enemies)
    seat = draw(st.integers(0, 1))
    cells = np.zeros(rules.POSITION_SIZE, dtype=np.int16)
    boards = (own, enemy) if seat == 0 else (enemy, own)
    for node in range(rules.NODES):
        cells[rules.BLUE + node] = min(boards[0][node], 3)
        cells[rules.RED + node] = min(boards[1][node], 3)
        if cells[rules.BLUE + node] and cells[rules.RED + node]:
            cells[rules.ATTACKER + node] = draw(st.integers(1, 2))
    cells[rules.MOVER], cells[rules.PLAYED] = seat, 5
    if not cells[rules.BLUE : rules.BLUE + rules.NODES].any():
        cells[rules.BLUE] = 1
        cells[rules.RED] = 0
        cells[rules.ATTACKER] = 0
    return GAME.notation.position_line(cells)


@settings(max_examples=50, deadline=None)
@given(few_units())
def test_placements_are_those_of_the_twin(line):
    found, moves = plain_moves(line)
    here = position(line)
    codes = demands.all_placements(here)
    assert demands.count_moves(here) == moves
    assert len(codes) == len(found)
    assert {as_items(code) for code in codes} == set(found)
    for code in codes[:: max(1, len(codes) // 20)]:
        check_route(line, int(code), found)


def check_route(line, code, found):
    """The movelets are legal one by one and lead to the placement, with the fewest entries."""
    state = GAME.parse(line)
    actions = demands.movelets_to(state.position, code)
    assert actions[-1] == rules.END
    for action in actions[:-1]:
        assert action in state.legal
        state = state.play(action)
    seat = state.turn
    board = state.position[rules.own_board(seat) :][: rules.NODES]
    assert board.tolist() == demands.units_of(code)[: rules.NODES].tolist()
    before = GAME.parse(line).position
    goal = state.position[rules.GOAL] - before[rules.GOAL]
    assert goal == demands.units_of(code)[rules.TO_GOAL]
    entered = {
        NODES[node]
        for node in range(rules.NODES)
        if state.position[rules.ARRIVED + node] and before[rules.ATTACKER + node] == 2 - seat
    }
    assert len(entered) == min(len(each) for each in found[as_items(code)])
    marks, closed = np.zeros(rules.NODES, dtype=np.int64), np.empty_like(before)
    defended_nodes(before, marks)
    demands.put_after(before, code, marks, closed)
    rules.mark_attackers(closed)
    played = np.array(state.position)
    rules.mark_attackers(played)
    assert closed.tolist() == played.tolist()


@settings(max_examples=40, deadline=None)
@given(few_units(), st.data())
def test_demands_leave_what_meets_them(line, data):
    here = position(line)
    places = st.frozensets(st.integers(0, rules.TO_GOAL), min_size=1, max_size=6)
    areas = data.draw(st.lists(st.tuples(places, st.integers(1, 3)), min_size=1, max_size=4))
    wishes = [demands.Demand(nodes, units) for nodes, units in areas]
    wanted = {
        as_items(code)
        for code in demands.all_placements(here)
        if all(demands.units_of(code)[sorted(wish.nodes)].sum() >= wish.units for wish in wishes)
    }
    assert {as_items(code) for code in demands.all_placements(here, wishes)} == wanted
    assert (demands.count_moves(here, wishes) > 0) == bool(wanted)
    drawn = {as_items(code) for code in demands.drawn_placements(here, wishes, 50, Dice(1))}
    assert drawn <= wanted and bool(drawn) == bool(wanted)
    chosen = demands.generate(here, wishes, Dice(1))
    assert chosen.complete and (chosen.relaxed == 0) == bool(wanted)
    assert len(chosen.codes) > 0


# --- known numbers -------------------------------------------------------------------------------


def test_start_has_the_published_number_of_placements():
    codes = demands.all_placements(position(START))
    assert len(codes) == len(set(codes.tolist())) == 60_112
    assert demands.count_moves(position(START)) == 223_104


@pytest.mark.parametrize("seed", range(4))
def test_counts_agree_with_the_other_counting_in_games(seed):
    """Positions from random games, against placements and moves merged by NumPy."""
    dice = Dice(seed, "placements")
    state = GAME.start(dice)
    while state.turn != rules.OVER:
        if state.position[rules.PLAYED] % 3 == 0:
            here = thinned(state.position)
            counts = GAME.count_turns(here)
            assert len(demands.all_placements(here)) == counts.results
            assert demands.count_moves(here) == counts.actions
        chosen = demands.drawn_placements(state.position, (), 1, dice)[0]
        state = state.play(demands.movelets_to(state.position, int(chosen)), dice)


def thinned(cells):
    """Take units off until the other counting is quick."""
    cells = np.array(cells)
    own = cells[rules.own_board(int(cells[rules.MOVER])) :][: rules.NODES]
    for node in range(rules.NODES):
        if own.sum() > 8 and not cells[rules.ATTACKER + node]:
            own[node] = 0
    return cells


def test_draws_are_uniform_over_moves():
    line = "5/5/5/b1,4/b2,b1,3 b 3 0 -"
    here = position(line)
    moves = demands.count_moves(here)
    assert moves == plain_moves(line)[1]
    drawn = Counter()
    for seed in range(20_000):
        drawn[as_items(demands.drawn_placements(here, (), 1, Dice(seed))[0])] += 1
    found, _ = plain_moves(line)
    assert set(drawn) == set(found)
    ways = multiplicities(line)
    statistic = sum(
        (drawn[each] - 20_000 * ways[each] / moves) ** 2 / (20_000 * ways[each] / moves)
        for each in found
    )
    assert statistic < len(found) + 4 * (2 * len(found)) ** 0.5  # chi-squared, four deviations


def multiplicities(line):
    """Return how many multisets of movelets lead to each placement."""
    board = GAME.parse(line).position
    groups = []
    for node, name in enumerate(NODES):
        ends = [name, *NEIGHBOURS[name]]
        groups.append(list(itertools.combinations_with_replacement(ends, int(board[node]))))
    ways = Counter()
    for choice in itertools.product(*groups):
        placed = Counter(end for each in choice for end in each)
        if max(placed.values()) <= 3:
            ways[frozenset(placed.items())] += 1
    return ways


# --- relaxation ----------------------------------------------------------------------------------


def test_relaxation_is_that_of_table_3_2():
    units = np.zeros(rules.NODES, dtype=np.int16)
    for name, count in {"B1": 1, "B2": 1, "B3": 2, "B4": 3, "D3": 2, "E3": 3}.items():
        units[NODE[name]] = count
    wishes = demands.node_demands(units)
    assert [NODES[next(iter(each.nodes))] for each in wishes] == [
        "B1",
        "B2",
        "B3",
        "B4",
        "D3",
        "E3",
    ]
    sets = [tuple(each.units for each in current) for current in demands.relaxations(wishes)]
    assert sets == [
        (1, 1, 2, 3, 2, 3),
        (0, 1, 2, 3, 2, 3),
        (0, 0, 2, 3, 2, 3),
        (0, 0, 1, 3, 2, 3),
        (0, 0, 1, 2, 2, 3),
        (0, 0, 1, 2, 1, 3),
        (0, 0, 1, 2, 1, 2),
        (0, 0, 0, 2, 1, 2),
        (0, 0, 0, 1, 1, 2),
        (0, 0, 0, 1, 0, 2),
        (0, 0, 0, 1, 0, 1),
        (0, 0, 0, 0, 0, 1),
        (0, 0, 0, 0, 0, 0),
    ]


def test_demands_are_relaxed_no_further_than_needed():
    made = demands.generate(position(START), [demand("c3", 1), demand("c2", 3)], Dice(0))
    assert [each.units for each in made.demands] == [0, 3] and made.relaxed == 1
    assert made.complete
    assert all(demands.units_of(code)[parse_node("c2")] == 3 for code in made.codes)
    impossible = demands.generate(position(START), [demand("e5", 15)], Dice(0))
    assert impossible.relaxed == 15 and not impossible.complete


HARD = "r2,r2,r2,r2,r2/5/1,b2,3/2,b3,b1,1/b1,4 b 9 0 -"


def hard_demands():
    """Three that nobody can reach between others that can be met."""
    wishes = [("a1", 1), ("a4", 2), ("b3", 2), ("c3", 2), ("d2", 2), ("e5", 2)]
    return [demand(*wish) for wish in wishes]


def test_at_bottlenecks_nothing_is_taken_off_in_vain():
    here, wanted = position(HARD), hard_demands()
    met = demands.relaxed_demands(here, wanted, Dice(0), demands.BOTTLENECKS)
    assert demands.count_moves(here, met) > 0
    for index, (asked, kept) in enumerate(zip(wanted, met, strict=True)):
        assert kept.nodes == asked.nodes and 0 <= kept.units <= asked.units
        if kept.units < asked.units:  # one unit more could not be met
            more = [*met]
            more[index] = demands.Demand(kept.nodes, kept.units + 1)
            assert demands.count_moves(here, more) == 0
    fixed = demands.relaxed_demands(here, wanted, Dice(0))
    assert sum(each.units for each in met) > sum(each.units for each in fixed)


def test_a_drawn_order_relaxes_the_same_demands_otherwise():
    here, wanted = position(HARD), hard_demands()
    seen = set()
    for seed in range(20):
        met = demands.relaxed_demands(here, wanted, Dice(seed), demands.RANDOM)
        assert {each.nodes for each in met} == {each.nodes for each in wanted}
        assert demands.count_moves(here, met) > 0
        seen.add(tuple(sorted((min(each.nodes), each.units) for each in met)))
    assert len(seen) > 1  # the fixed order gives one
    feasible = [demand("a1", 1)]
    dice = Dice(3)
    assert demands.relaxed_demands(here, feasible, dice, demands.RANDOM) == tuple(feasible)
    assert dice.draws == Dice(3).draws  # nothing is drawn where nothing is relaxed


def test_a_side_without_units_meets_no_demand():
    here = position("5/5/5/5/b1,4 r 6 0 -")
    assert demands.all_placements(here).tolist() == [0] and demands.count_moves(here) == 1
    wanted = [demand("a5", 1)]
    assert not demands.all_placements(here, wanted).size and demands.count_moves(here, wanted) == 0
    assert not demands.drawn_placements(here, wanted, 5, Dice(0)).size
    assert demands.generate(here, wanted, Dice(0)).relaxed == 1


def test_more_than_wanted_is_drawn():
    made = demands.generate(position(START), [], Dice(5), most=500)
    assert not made.complete and 300 < len(made.codes) <= 500
    again = demands.generate(position(START), [], Dice(5), most=500)
    assert made.codes.tolist() == again.codes.tolist()


# --- the defender's point, and what cannot be --------------------------------------------------


def test_a_defended_node_is_entered_only_where_there_is_no_other_way():
    line = "1,b2R1,b1,2/1,b1,3/5/5/5 b 9 0 -"
    codes = {as_items(code): code for code in demands.all_placements(position(line))}
    stay = codes[frozenset({("B5", 2), ("C5", 1), ("B4", 1)})]
    assert demands.movelets_to(position(line), stay) == [rules.END]
    through = codes[
        frozenset({("B5", 2), ("C5", 1), ("D5", 1)})
    ]  # the one from B4 must pass through B5
    names = [GAME.notation.action_name(a) for a in demands.movelets_to(position(line), through)]
    assert names == ["c5-d5", "b5-c5", "b4-b5", "end"]


def test_twin_plays_the_movelets():
    for code in demands.all_placements(position(DEFENDING))[::97]:
        twin = PlainLucid("blue")
        state = GAME.parse(DEFENDING)
        for side, board in (("blue", rules.BLUE), ("red", rules.RED)):
            units = state.position[board : board + rules.NODES]
            twin.units[side] = {NODES[n]: int(c) for n, c in enumerate(units) if c}
        twin.attacker = {"B5": "red", "D5": "red", "C4": "blue"}
        twin.begin_turn()
        for action in demands.movelets_to(state.position, int(code))[:-1]:
            name = GAME.notation.action_name(action)
            source, _, end = name.partition("-")
            twin.step(source.upper(), end if end == GOAL else end.upper())
        wanted = dict(as_items(code))
        wanted.pop(GOAL, None)
        assert twin.units["blue"] == wanted


def test_what_cannot_be_is_refused_in_one_line():
    here = position(START)
    with pytest.raises(SandtableError, match="more than 100 placements"):
        demands.all_placements(here, limit=100)
    with pytest.raises(SandtableError, match="cannot be reached in one turn"):
        demands.movelets_to(here, 3)
    with pytest.raises(SandtableError, match="nobody moves"):
        demands.all_placements(position("5/5/5/5/5 - 9 3 -"))
    with pytest.raises(SandtableError, match="16 demands at once"):
        demands.count_moves(here, [demand("a1", 1)] * 17)
