"""The kernels against a plain twin: both must agree on every ship, card, question and view."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from games.gravwell.plain import PlainGravwell
from plain_dice import PlainDice
from sandtable.dice import Dice
from sandtable.games.gravwell.rules.hiding import SPECTATOR, hide
from sandtable.registry import make_game
from sandtable.types import OVER

GAMES = 14  # of each kind
LINES_EVERY = 11  # actions after which positions and views are compared as text
KINDS = [(players, tractor) for players in (2, 3, 4) for tractor in ("true", "inert")]

# How often each situation must have come up, at least, for the agreement to mean something.
WANTED = {
    "a stuck ship": 50,
    "as near ahead as behind": 100,
    "an occupied tile": 1000,
    "an end of the board": 100,
    "pulled out of the Singularity together": 2,
    "the gate is reached": 3,
    "furthest wins": 50,
}


def play_both(players, tractor, seed):
    """Play a game twice at the same time; return what came up in it."""
    game = make_game(f"gravwell:players={players},tractor={tractor}")
    plain = PlainGravwell(players, PlainDice(seed), tractor == "inert")
    dice, choices = Dice(seed), Dice(seed, "choices")
    position = game.empty_position()
    game.rules.start(position, dice.array)
    course = plain.course()
    asked, played = next(course), 0
    mask = np.zeros(game.action_count, dtype=bool)
    while asked is not None:
        seat, words = asked
        assert game.seats[game.rules.turn(position)] == seat
        count = game.rules.legal(position, mask)
        legal = [game.notation.action_name(action) for action in np.flatnonzero(mask)]
        assert count == len(legal)
        assert set(legal) == words
        if played % LINES_EVERY == 0:
            compare_lines(game, plain, position)
        word = legal[choices.below(count)]
        game.rules.apply(position, game.notation.parse_action(word), dice.array)
        try:
            asked = course.send(word)
        except StopIteration:
            asked = None
        played += 1
    compare_lines(game, plain, position)
    compare_ends(game, plain, position)
    assert played <= game.max_actions
    return plain.noted


def compare_lines(game, plain, position):
    line = game.notation.position_line
    assert line(position) == plain.line()
    for seat, name in [(SPECTATOR, "nobody"), *enumerate(game.seats)]:
        view = position.copy()
        hide(view, seat)
        assert line(view) == plain.line(name)


def compare_ends(game, plain, position):
    assert game.rules.turn(position) == OVER
    scores, tiles = np.zeros(len(game.seats)), np.zeros((len(game.seats), 1))
    game.rules.score(position, scores)
    game.rules.measure(position, tiles)
    share = 1 / len(game.seats) if plain.winner is None else 0
    assert scores.tolist() == [1 if seat == plain.winner else share for seat in game.seats]
    assert tiles[:, 0].tolist() == [plain.ships[seat] for seat in game.seats]


def test_kernels_and_twin_agree():
    noted = Counter()
    for index, (players, tractor) in enumerate(KINDS):
        for number in range(GAMES):
            noted += play_both(players, tractor, 1000 * index + number)
    assert {what: count for what, count in WANTED.items() if noted[what] < count} == {}


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.sampled_from(KINDS), st.integers(0, 2**40))
def test_kernels_and_twin_agree_on_any_seed(kind, seed):
    play_both(*kind, seed)
