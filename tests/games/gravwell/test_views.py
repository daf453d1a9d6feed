"""What a seat may know: nothing that differs for it between positions it cannot tell apart.

Hidden cards are exchanged between stacks, hands and the undealt cards, and so are the cards that
others have laid face down; then everything a seat, or a spectator, can get to see is compared byte
by byte. Guesses have to be all the positions that are left, each as likely.
"""

import itertools
from collections import Counter

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.errors import IllegalAction
from sandtable.games.gravwell.cards import CARDS, NAMES
from sandtable.games.gravwell.layout import (
    ACTIONS,
    GO,
    MOVER,
    NOTHING,
    OVER,
    PHASE,
    PLAYING,
    SECRET,
    SECRET_HAND,
    TABLE,
    TAKE,
    UNKNOWN,
    WHERE,
)
from sandtable.games.gravwell.rules.drafting import hand_size, holds, secret_cards
from sandtable.games.gravwell.rules.hiding import SPECTATOR, hide
from sandtable.registry import make_game
from sandtable.types import State

GAMES = {players: make_game(f"gravwell:players={players}") for players in (2, 3, 4)}
LOOKS_EVERY = 17  # actions
EXCHANGES = 2  # at each look, for every seat


def hidden_from(position, seat):
    """Return the cards whose place a seat may not know, worked out from the rules anew."""
    places = [int(place) for place in position[WHERE : WHERE + CARDS]]
    own = SECRET_HAND + seat if seat != SPECTATOR else None
    return [card for card, place in enumerate(places) if place >= SECRET and place != own]


def exchanged(position, seat, choices):
    """Return another position that must look the same to a seat."""
    other = position.copy()
    cards = hidden_from(position, seat)
    for _ in range(6):
        if len(cards) < 2:
            break
        one, two = cards[choices.below(len(cards))], cards[choices.below(len(cards))]
        other[[WHERE + one, WHERE + two]] = other[[WHERE + two, WHERE + one]]
        for cell in range(TABLE, TABLE + 4) if other[PHASE] == PLAYING else ():
            if other[cell] in (one, two):
                other[cell] = two if other[cell] == one else one
    if other[PHASE] == PLAYING:
        for owner in range(other[MOVER]):
            hand = [card for card in range(CARDS) if holds(other, owner, card)]
            if owner != seat:
                other[TABLE + owner] = hand[choices.below(len(hand))]
    return other


def all_there_is_to_see(game, position, seat):
    """Return whatever can reach a seat or a spectator, as bytes and text."""
    array = position.copy()
    hide(array, seat)
    if seat == SPECTATOR:
        return [array.tobytes(), *pictures(game, State(game, array))]
    view = State(game, position).view(seat)
    assert view.position.tobytes() == array.tobytes()
    planes = np.zeros(game.plane_shape, dtype=np.float32)
    game.rules.encode(position.copy(), seat, planes)
    return [
        array.tobytes(),
        view.mask.tobytes(),
        view.planes(seat).tobytes(),
        planes.tobytes(),
        *pictures(game, view),
        repr(view),
        str(view.legal_names),
        refusal(view),
        told(game, position, seat),
        [int(hand_size(array, other)) for other in range(len(game.seats))],
        [int(secret_cards(array, other)) for other in range(len(game.seats))],
    ]


def pictures(game, view):
    return [str(view), view._repr_svg_(), view.line, view.turn]


def refusal(view):
    """Return what is said about an action that is not legal."""
    action = next(action for action in range(ACTIONS) if not view.mask[action])
    with pytest.raises(IllegalAction) as caught:
        view.play(action)
    return str(caught.value)


def told(game, position, seat):
    """Return which actions of somebody else a watching agent would be told of."""
    foreign = [action for action in range(ACTIONS) if position[MOVER] != seat]
    return [game.action_visible_to(position, action, seat) for action in foreign]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_seat_cannot_tell_apart_what_it_may_not_know(players):
    game = GAMES[players]
    dice, choices = Dice(players), Dice(players, "choices")
    position, played, compared = game.start(dice).position.copy(), 0, Counter()
    while position[MOVER] != OVER:
        state = State(game, position)
        if played % LOOKS_EVERY == 0:
            for seat in (SPECTATOR, *range(players)):
                seen = all_there_is_to_see(game, position, seat)
                for _ in range(EXCHANGES):
                    other = exchanged(position, seat, choices)
                    assert all_there_is_to_see(game, other, seat) == seen
                    compared[seat] += not np.array_equal(other, position)
        legal = state.legal
        game.rules.apply(position, legal[choices.below(len(legal))], dice.array)
        played += 1
    assert set(compared) == {SPECTATOR, *range(players)}
    assert min(compared.values()) >= 8


def view_after(game, position, action, seat):
    view = position.copy()
    game.rules.apply(view, action, Dice(8).array)
    hide(view, seat)
    return view.tobytes()


@pytest.mark.parametrize("players", [2, 4])
def test_a_commitment_shows_nothing_until_all_are_turned_over(players):
    game, dice, choices = GAMES[players], Dice(7), Dice(7, "choices")
    position, looked = game.start(dice).position.copy(), 0
    while position[MOVER] != OVER:
        mover, legal = int(position[MOVER]), State(game, position).legal
        if position[PHASE] == PLAYING and mover < players - 1:
            for seat in (SPECTATOR, *range(players)):
                views = {view_after(game, position, action, seat) for action in legal}
                assert len(views) == (len(legal) if seat == mover else 1)
            looked += 1
        game.rules.apply(position, legal[choices.below(len(legal))], dice.array)
    assert looked >= 20


def test_what_is_open_is_told_to_all_and_what_is_laid_face_down_to_its_owner():
    state = GAMES[3].start(Dice(0))
    visible = GAMES[3].action_visible_to
    assert all(visible(state.position, TAKE + 3, seat) for seat in range(3))
    assert all(visible(state.position, GO, seat) for seat in range(3))
    assert [visible(state.position, 3, seat) for seat in range(3)] == [
        seat == state.turn for seat in range(3)
    ]


# Four players in the fifth turn; the first and the second have laid a card face down. The third
# does not know five cards: three in hands and two that were not dealt.
LATE = (
    "5,9,0,12+36,26 3.5 3124 14 - Ar+B/C+Dy/Es+F/+GaH "
    "IrJoKrLi/MgNeOPu/QtRaSiTh/UVWXe Ar,C,-,- Kr,Pu,Th,Xe YZr - -"
)


def consistent_positions(view, seat, players):
    """List every position a seat can think of, by trying all orders of the unknown cards."""
    unknown = [card for card in range(CARDS) if view[WHERE + card] == UNKNOWN]
    places = [
        SECRET_HAND + other
        for other in range(players)
        if other != seat
        for _ in range(int(secret_cards(view, other)))
    ]
    found = set()
    for order in itertools.permutations(unknown, len(places)):
        filled = view.copy()
        filled[WHERE : WHERE + CARDS][filled[WHERE : WHERE + CARDS] == UNKNOWN] = 36
        for card, place in zip(order, places, strict=True):
            filled[WHERE + card] = place
        hands = [
            [card for card in range(CARDS) if holds(filled, other, card)]
            if view[TABLE + other] == UNKNOWN
            else [int(view[TABLE + other])]
            for other in range(players)
        ]
        for chosen in itertools.product(*hands):
            filled[TABLE : TABLE + players] = chosen
            found.add(filled.tobytes())
    return found


def test_guesses_are_all_that_is_consistent_each_as_likely():
    game = GAMES[4]
    state = game.parse(LATE)
    view = state.view(2)
    allowed = consistent_positions(np.array(view.position), 2, 4)
    # 6 unknown cards: B, Dy, Ga, H in hands, Y, Zr not dealt; two cards lie face down
    assert len(allowed) == (6 * 5 * 4 * 3 // 2) * 2 * 2
    assert state.position.tobytes() in allowed
    dice, wanted = Dice(11, "guesses"), 40
    found = Counter(view.guess(dice).position.tobytes() for _ in range(wanted * len(allowed)))
    assert set(found) == allowed
    chi_square = sum((count - wanted) ** 2 / wanted for count in found.values())
    degrees = len(allowed) - 1
    assert abs(chi_square - degrees) < 4 * (2 * degrees) ** 0.5


def test_in_a_draft_every_unknown_card_is_as_likely_everywhere():
    game, dice = GAMES[2], Dice(12)
    state = game.start(dice)
    for _ in range(3):
        state = state.play(state.legal[0], dice)
    view = state.view(0)
    unknown = np.flatnonzero(view.position[WHERE : WHERE + CARDS] == UNKNOWN)
    rounds = 6000
    found = Counter()
    for _ in range(rounds):
        guessed = view.guess(dice).position
        found.update((card, int(guessed[WHERE + card])) for card in unknown)
    places = Counter(int(state.position[WHERE + card]) for card in unknown)
    for place, count in places.items():
        expected = rounds * count / len(unknown)
        for card in unknown:
            assert abs(found[card, place] - expected) < 5 * expected**0.5
    assert sum(found.values()) == rounds * len(unknown)
    assert {place for _, place in found} == set(places)


def test_a_view_without_secrets_of_others_is_its_own_guess():
    over = GAMES[2].parse(
        "10,0+36 6.6 21 - - +/+ ArBCDyEsF/GaHIrJoKrLi F,Li Es,Kr MgNeOPuQtRaSiThUVWXeYZr over -"
    )
    assert over.view(1).guess(Dice(0)) == State(GAMES[2], over.position)
    assert over.outcome.reason == "first was furthest after six rounds"
    assert NAMES[int(over.position[TABLE])] == "F"
    assert over.position[TABLE + 2] == NOTHING
