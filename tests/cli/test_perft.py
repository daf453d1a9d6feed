"""``sandtable perft``: counts as data, checked against a slow enumeration in plain Python."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from sandtable.cli.perft import count_sequences, first_seat_start
from sandtable.dice import Dice
from sandtable.games.lucid import rules
from sandtable.registry import make_game

GAME = make_game("lucid")
START = "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -"

# position: (different positions after one turn, multisets of movelets that make up a turn)
WHOLE_TURNS = {
    START: (60_112, 223_104),
    # Blue, locked where it attacks, free where it defends beside the goal
    "1,b1R2,B2r1,2/1,b1,b2,2/2,b1,2/5/b2,4 b 20 3 -": (6_924, 9_840),
    # Red, locked in one combat, free in another, with no way into the goal
    "r2,b1R2,B2r2,r1,1/1,b1,1,r1,1/5/5/b2,4 r 20 3 -": (566, 775),
    # Blue in the middle of a turn
    "b2,1,b1R1,2/2,r2,2/5/b2,4/1,b2,3 b 30 6 b1:2,a2:1,a5:1": (76, 80),
    # Red in the middle of a turn
    "r2,b1R1,r1,2/r1,4/5/1,b2,3/b1,4 r 8 1 a4:1,b5:1": (23, 23),
    # Blue crowded beside the goal, which takes any number
    "b3,b2,b1,2/1,b2,3/5/5/4,r3 b 35 2 -": (4_424, 18_949),
    # Red in a crowded row
    "r3,r3,r2,1,r1/5/2,b3,2/5/5 r 5 3 -": (2_196, 3_978),
}
SEQUENCES = {
    START: (6, 44, 392, 3_945, 43_845),
    "1,b1R2,B2r1,2/1,b1,b2,2/2,b1,2/5/b2,4 b 20 3 -": (19, 293, 3_753, 39_603),
    # the last turn: once it is closed nothing follows
    "r2,4/5/5/5/b1,4 r 36 4 -": (3, 6, 4, 0),
}


def ways_to_leave(line, node):
    """List the ways the units of a node can spread, as tuples of places; None is the goal."""
    position = GAME.parse(line).position
    mover = int(position[rules.MOVER])
    own = int(position[(rules.BLUE, rules.RED)[mover] + node])
    locked = position[rules.ATTACKER + node] == (rules.BLUE_ATTACKS, rules.RED_ATTACKS)[mover]
    free = 0 if locked else own - int(position[rules.ARRIVED + node])
    row, column = divmod(node, 5)
    steps = ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1))
    places = [node, *(r * 5 + c for r, c in steps if 0 <= r < 5 and 0 <= c < 5)]
    if row == 4 and mover == rules.BLUE_SEAT:
        places.append(None)
    return [
        (node,) * (own - free) + spread
        for spread in itertools.combinations_with_replacement(places, free)
    ]


def enumerated(line):
    """Count whole turns one by one: units settle node by node, never more than three together."""
    choices = [ways_to_leave(line, node) for node in range(rules.NODES)]
    choices = [ways for ways in choices if ways != [()]]  # nodes without units of the mover
    placements, turns = set(), 0
    placed = [0] * rules.NODES

    def settle(node):
        nonlocal turns
        if node == len(choices):
            turns += 1
            placements.add(bytes(placed))
            return
        for way in choices[node]:
            for place in way:
                if place is not None:
                    placed[place] += 1
            if all(place is None or placed[place] <= 3 for place in way):
                settle(node + 1)
            for place in way:
                if place is not None:
                    placed[place] -= 1

    settle(0)
    return len(placements), turns


def walked(line):
    """Count the placements that can be reached movelet by movelet through the kernels."""
    start = GAME.parse(line).position
    own = (rules.BLUE, rules.RED)[start[rules.MOVER]]
    known, border = {start.tobytes()}, [np.array(start)]
    mask, dice = np.zeros(rules.ACTIONS, dtype=np.bool_), Dice(0).array
    while border:
        position = border.pop()
        rules.legal(position, mask)
        for action in np.flatnonzero(mask[: rules.END]):
            reached = position.copy()
            rules.apply(reached, action, dice)
            if reached.tobytes() not in known:
                known.add(reached.tobytes())
                border.append(reached)
    boards = (np.frombuffer(each, dtype=np.int16)[own : own + rules.NODES] for each in known)
    return len({board.tobytes() for board in boards})


def played(state, dice, depth):
    """Count sequences with immutable states; the dice of every branch are a copy."""
    if depth == 0:
        return 1
    total = 0
    for action in state.legal:
        own_dice = Dice(0)
        own_dice.array[:] = dice.array
        total += played(state.play(action, own_dice), own_dice, depth - 1)
    return total


@pytest.mark.parametrize("line", WHOLE_TURNS)
def test_whole_turns_as_enumerated(line):
    assert enumerated(line) == WHOLE_TURNS[line]


@pytest.mark.parametrize("line", WHOLE_TURNS)
def test_whole_turns_on_the_command_line(sandtable, line, tmp_path):
    results, actions = WHOLE_TURNS[line]
    code, out, _ = sandtable("perft", "lucid", line, "--json", tmp_path / "counts.json")
    assert code == 0
    assert out.splitlines()[0] == f"Operation Lucid: {line}"
    assert [row.split()[0] for row in out.splitlines()[1:3]] == [f"{results:,}", f"{actions:,}"]
    data = json.loads((tmp_path / "counts.json").read_text())
    assert (data["game"], data["position"]) == ("lucid", line)
    assert (data["results"], data["actions"]) == (results, actions)
    assert data["seconds"] >= 0


@pytest.mark.parametrize("line", [line for line in WHOLE_TURNS if WHOLE_TURNS[line][0] < 5_000])
def test_every_placement_can_be_walked_to(line):
    assert walked(line) == WHOLE_TURNS[line][0]


def test_without_a_position_the_first_seat_moves(sandtable):
    assert first_seat_start(GAME).line == START
    assert sandtable("perft", "lucid")[1].splitlines()[1].split()[0] == "60,112"


@pytest.mark.parametrize("line", SEQUENCES)
def test_sequences(line):
    state = GAME.parse(line)
    counts = [
        count_sequences(GAME, np.array(state.position), Dice(0).array, depth)
        for depth in range(1, len(SEQUENCES[line]) + 1)
    ]
    assert counts == list(SEQUENCES[line])
    assert [played(state, Dice(0), depth) for depth in (1, 2, 3)] == counts[:3]


def test_sequences_on_the_command_line(sandtable, tmp_path):
    out_file = tmp_path / "counts.json"
    code, out, _ = sandtable("perft", "lucid", "--depth", "4", "--json", out_file)
    assert code == 0
    assert "seed 0" in out
    rows = [line.split() for line in out.splitlines()[3:7]]
    assert [row[:2] for row in rows] == [["1", "6"], ["2", "44"], ["3", "392"], ["4", "3,945"]]
    data = json.loads(out_file.read_text())
    assert [row["sequences"] for row in data["depths"]] == [6, 44, 392, 3_945]


def test_a_finished_game_has_no_moves(sandtable):
    out = sandtable("perft", "lucid", "5/5/5/5/5 - 9 3 -")[1]
    assert [line.split()[0] for line in out.splitlines()[1:3]] == ["0", "0"]


def test_mistakes_get_one_line(sandtable, monkeypatch):
    for words, expected in (
        (["lucid", "5"], "a lucid position has 5 fields"),
        (["lucid", "--json", "/proc/x/y.json"], "cannot write /proc/x/y.json"),
    ):
        code, _, errors = sandtable("perft", *words)
        assert code == 1
        assert errors.startswith(f"error: {expected}") and errors.count("\n") == 1
    monkeypatch.setattr("sandtable.registry.make_game", lambda _: replace(GAME, count_turns=None))
    code, _, errors = sandtable("perft", "lucid")
    assert (code, errors) == (1, "error: lucid does not count whole turns: add --depth N\n")
