"""Drawings, words and planes."""

from xml.etree import ElementTree

import numpy as np
import pytest

from games.stratego.boards import line_of, state_of
from sandtable.dice import Dice
from sandtable.games.stratego import layout, planes
from sandtable.games.stratego.rules import kernels as rules
from sandtable.registry import make_game
from sandtable.types import OVER

MINI = make_game("stratego:variant=mini")
LINE = (
    "b?b?b?b?b?b?/1b?b?b9!'1b?/1b?'4/2r5!'3/r2rT1r3r7r9/rFrBrBr3rSr2 r 4/1 -/2 "
    "c2-c3*1/b5-b4*1 - variant=mini"
)
DRAWN = """\
Stratego mini, move 5: Red to move (1 of 200 moves without an attack)

   6   b?    b?    b?    b?    b?    b?
   5   .     b?    b?    b9!'  .     b?
   4   .     b?'   .     .     .     .
   3   .     .     r5!'  .     .     .
   2   r2    r10   .     r3    r7    r9
   1   rF    rB    rB    r3    rS    r2
       a     b     c     d     e     f

Red:  lost nothing; last move c2-c3
Blue: lost 2; last move b5-b4
r Red, b Blue, ? unknown, ! known to the other side, ' has moved, ~ lake"""
SVG = "{http://www.w3.org/2000/svg}"


def test_text():
    assert str(MINI.parse(LINE)) == DRAWN


def test_ranks_can_be_shown_the_other_way_round():
    low = str(make_game("stratego:variant=mini,ranks=one-high").parse(LINE))
    assert "   2   r9    r1    .     r8    r4    r2\n" in low
    assert "Blue: lost 9" in low
    assert make_game("stratego:variant=mini,ranks=one-high").parse(LINE).line == LINE


def test_set_ups_and_finished_games_are_told():
    choose = make_game("stratego:variant=mini,setup=choose").start().play("B 2")
    assert str(choose).startswith("Stratego mini, set-up: Red sets up\n")
    assert "   2   rB    r2    _     ." in str(choose)
    assert "Red:  to place F*1 B*1 10*1 9*1 7*1 5*1 3*2 2*1 S*1\n" in str(choose)
    over = state_of({"a1": "F", "e4": "5"}, {"e5": "F", "a9": "4"}).play("e4-e5")
    assert str(over).startswith("Stratego, move 101: game over, Red has taken the flag\n")
    assert "Red wins" in over._repr_svg_()


def test_svg_shows_every_piece_and_square():
    state = MINI.parse(LINE)
    root = ElementTree.fromstring(state._repr_svg_())
    classes = [element.get("class", "") for element in root.iter()]
    assert classes.count("piece red") == 12
    assert classes.count("piece blue") == 11
    assert classes.count("land") == 36
    assert classes.count("last-move") == classes.count("arrow") == 1
    titles = [element.text for element in root.iter(f"{SVG}title")]
    assert "Blue unknown piece on b4, has moved" in titles
    assert "Red 5 on c3, known to the other side, has moved" in titles
    squares = {element.get("data-square") for element in root.iter()} - {None}
    assert len(squares) == 36
    classic = make_game("stratego").start(Dice(1))._repr_svg_()
    assert classic.count('class="lake"') == 8
    assert classic.isascii()


def test_the_square_to_decide_is_marked():
    choose = make_game("stratego:setup=choose").start()._repr_svg_()
    assert choose.count('class="next"') == 1
    assert 'class="piece' not in choose


@pytest.mark.parametrize(
    ("red", "blue", "move", "told"),
    [
        ("5", "3", "e4-e5", "Red's 5 attacks Blue's 3 on e5, and wins"),
        ("5", "7", "e4-e5", "Red's 5 attacks Blue's 7 on e5, and is lost"),
        ("5", "5", "e4-e5", "Red's 5 attacks Blue's 5 on e5, both are lost"),
        ("S", "T", "e4-e5", "Red's spy attacks Blue's 10 on e5, and wins"),
        ("T", "B", "e4-e5", "Red's 10 attacks Blue's bomb on e5, and is lost"),
        ("5", "7", "e4-e3", None),
    ],
)
def test_fights_are_told_as_both_see_them(red, blue, move, told):
    state = state_of({"a1": "F", "b1": "4", "e4": red}, {"a10": "F", "b10": "4", "e5": blue})
    after = state.play(move)
    action = state.game.notation.parse_action(move)
    events = state.game.drawing.events
    expected = [told] if told else []
    assert events(state.position, action, after.position) == expected
    for seat in (0, 1):  # every fighter is known, so both are told the same
        views = state.view(seat).position, after.view(seat).position
        assert events(views[0], action, views[1]) == expected


def test_ends_are_told():
    state = state_of({"a1": "F", "e4": "5"}, {"e5": "F", "b10": "4"})
    after = state.play("e4-e5")
    action = state.game.notation.parse_action("e4-e5")
    assert state.game.drawing.events(state.position, action, after.position) == [
        "Red's 5 attacks Blue's flag on e5, and wins",
        "the game is over: Red has taken the flag",
    ]


def plain_planes(state, seat):
    """Write the richer planes from the text of the view."""
    side, view = state.game.board_shape[0], state.view(seat)
    found = np.zeros((len(planes.PLANE_NAMES), side, side))
    mine, theirs = "rb"[seat], "rb"[1 - seat]
    counts = view.position[layout.HIDDEN + (1 - seat) * layout.RANKS :][: layout.RANKS]
    letters = "?S23456789TBF"
    cells = {}
    for square in range(100):
        row, column = divmod(square, 10)
        if row < side and column < side and view.position[square]:
            cells[row, column] = int(view.position[square])
    owner = {place: mine if cell & (16 << seat) else theirs for place, cell in cells.items()}
    hidden = {p for p, c in cells.items() if owner[p] == theirs and c % 16 == 0 and c != 256}
    unmoved = {place for place in hidden if not cells[place] & 64}
    fixed = int(counts[11] + counts[12])
    for (row, column), cell in cells.items():
        at = (row, column) if seat == 0 else (side - 1 - row, side - 1 - column)
        rank, moved = cell % 16, bool(cell & 64)
        if cell == 256:
            found[(14, *at)] = 1
        elif owner[row, column] == mine:
            found[(rank - 1, *at)] = 1
            found[(12, *at)], found[(13, *at)] = moved, not cell & 128
            continue
        else:
            found[(12, *at)] = -moved
        if (row, column) in hidden:
            found[(13, *at)] = -1
            for each in range(1, len(letters)):
                chance = counts[each] / max(len(hidden) - fixed, 1)
                if each > 10:
                    chance = counts[each] / len(unmoved) if (row, column) in unmoved else 0
                elif (row, column) in unmoved:
                    chance *= 1 - fixed / len(unmoved)
                found[(each - 1, *at)] = -chance
        elif cell != 256:
            found[(rank - 1, *at)] = -1
    for who, plane in ((seat, 15), (1 - seat, 16)):
        share = min(view.position[layout.SHUTTLE + who] / 3, 1)
        for cell, sign in ((layout.LAST_FROM, -1), (layout.LAST_TO, 1)):
            row, column = divmod(int(view.position[cell + who]), 10)
            at = (row, column) if seat == 0 else (side - 1 - row, side - 1 - column)
            found[(plane, *at)] += sign * share
    found[17] = view.position[layout.QUIET] / 200
    return found


@pytest.mark.parametrize("variant", layout.VARIANT_NAMES)
def test_planes_say_what_the_view_says(variant):
    game = make_game(f"stratego:variant={variant}")
    for seed in range(4):
        dice, choices = Dice(seed), Dice(seed, "choices")
        state = game.start(dice)
        for _ in range(choices.below(120)):
            if state.turn != OVER:
                position = np.array(state.position)
                state = state.play(int(rules.random_action(position, choices.array)), dice)
        for seat in (0, 1):
            assert np.allclose(state.planes(seat), plain_planes(state, seat), atol=1e-6)
    assert len(planes.PLANE_NAMES) == 18


def test_chances_are_those_of_guesses():
    line = line_of(
        {"a1": "F", "e1": "9"}, {"a10": "F", "b10": "B", "c10": "5", "d10": "3'", "e7": "2"}
    )
    state = make_game("stratego").parse(line)
    guesses = np.array([state.view(0).guess(Dice(seed)).position[:100] for seed in range(3000)])
    shown = -state.planes(0)[:12]
    for square in (0, 1, 2, 3, 34):
        for rank in range(1, 13):
            share = (guesses[:, square] % 16 == rank).mean()
            assert abs(share - shown[rank - 1, square // 10, square % 10]) < 0.04


def test_planes_of_the_paper():
    line = line_of(
        {"a1": "F", "b1": "B", "c1": "S", "d1": "T!'"},
        {"j10": "F", "i10": "B!", "h10": "8!'", "g10": "5'", "f10": "4"},
    )
    state = make_game("stratego").parse(line)
    found = np.zeros((6, 10, 10), dtype=np.float32)
    planes.encode_paper(np.array(state.position), 0, found)
    expected = np.zeros((6, 10, 10))
    expected[0, 9, :2] = 1
    expected[1, 9, 2:4] = 1, 10
    expected[2, 0, 7] = 8
    expected[3, 0, 8] = 1
    expected[4, 0, 6] = 1
    expected[5, 0, [5, 9]] = 1
    assert (found == expected).all()
    planes.encode_paper(np.array(state.position), 1, found)
    assert found[0, 9, 0] == 1  # Blue sees its flag in the lower left corner
    assert found[1, 9, 2] == 8
    assert found[5, 0].sum() == 3
    assert found[2, 0, 6] == 10
