"""The pictures of Gravwell show what the position or view tells, and nothing else."""

import itertools
from collections import Counter
from xml.etree import ElementTree

import pytest

from sandtable.dice import Dice
from sandtable.games.gravwell.cards import NAMES
from sandtable.games.gravwell.drawing.signs import tile_place
from sandtable.games.gravwell.drawing.text import GravwellDrawing, situation
from sandtable.games.gravwell.game import gravwell
from sandtable.games.gravwell.layout import GATE, GO, PHASE, SHIPS, STOP, STOPPING
from sandtable.types import OVER

# First has laid Mg face down, and Second is to choose.
CHOOSING = "12,5+36 1.3 21 2 - CMg+LiY/Dy+NePuZr ArB/OXe Mg,- B,Xe EsFGaHIrJoKrQtRaSiThUVW - -"


def parts(state, name):
    """Return the values of an attribute in a drawing."""
    tree = ElementTree.fromstring(state._repr_svg_())
    return [each.get(name) for each in tree.iter() if each.get(name) is not None]


def states(players, seed):
    """Play a game of random actions; yield every position with the action after it."""
    game = gravwell(players=players)
    dice = Dice(seed)
    state = game.start(dice)
    while state.turn != OVER:
        action = state.legal[dice.below(len(state.legal))]
        following = state.play(action, dice)
        yield state, action, following
        state = following


def test_the_text_of_a_position():
    lines = str(gravwell(players=2).parse(CHOOSING)).splitlines()
    assert lines[0] == "Gravwell, round 1 of 6, turn 3 of 6: Second to choose a card"
    assert "1 First:   tile 12       C3 (Li4 Y8) [Mg10] played Ar1 B2" in lines
    assert "2 Second:  tile 5   stop Dy5 (Ne6r Pu5 Zr7) played O7 Xe3r" in lines


def test_the_text_of_a_view():
    text = str(gravwell(players=2).parse(CHOOSING).view(1))
    assert "1 First:   tile 12       C3 Mg10 (? ?) [?] played Ar1 B2" in text
    assert "2 Second:  tile 5   stop Dy5 (Ne6r Pu5 Zr7) played O7 Xe3r" in text


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_known_card_is_drawn_once(players):
    for number, (state, _, _) in enumerate(states(players, players)):
        if number % 7:
            continue
        seen = situation(state.position)
        cards = [card for each in seen.players for card in (*each.open_cards, *each.secret_cards)]
        cards += [each.table for each in seen.players if each.table >= 0]
        cards += [card for stack in seen.stacks for card in (stack.visible, stack.hidden)]
        assert Counter(parts(state, "data-card")) == Counter(NAMES[card] for card in cards)
        assert max(Counter(cards).values(), default=1) == 1
        assert len(set(parts(state, "data-tile"))) == GATE + 1


def test_a_view_draws_the_backs_of_hidden_cards():
    for number, (state, _, _) in enumerate(states(3, 5)):
        if number % 9 or state.turn == OVER:
            continue
        view = state.view(0)
        hidden = state._repr_svg_().count('class="card"') - view._repr_svg_().count('class="card"')
        assert view._repr_svg_().count('class="card back"') >= hidden


def test_words_tell_how_ships_moved():
    drawing, told = GravwellDrawing(), 0
    for state, action, after in states(4, 1):
        words = drawing.events(state.position, action, after.position)
        moved = (state.position != after.position)[SHIPS : SHIPS + 6].sum()
        assert sum("moves from" in line for line in words) == moved
        assert any("Emergency Stop" in line for line in words) == (action == STOP)
        turned_over = action < GO and after.position[PHASE] == STOPPING
        if turned_over and state.position[PHASE] != STOPPING:
            assert words[0].startswith("the cards are turned over: first ")
            told += 1
    assert told
    assert "the game is over" in words[-1]


def test_tiles_are_evenly_apart():
    places = [tile_place(tile)[:2] for tile in range(1, GATE + 1)]
    steps = [
        ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        for (x0, y0), (x1, y1) in itertools.pairwise(places)
    ]
    assert max(steps) < 1.1 * min(steps)
    others = [
        ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        for index, (x0, y0) in enumerate(places)
        for x1, y1 in places[index + 2 :]
    ]
    assert min(others) > 40  # tiles have a radius of 19
