"""The rules on positions made by hand, and what holds in every game."""

import numpy as np
import pytest

from sandtable.conformance import check_game
from sandtable.dice import Dice
from sandtable.errors import IllegalAction, UnreadableSpec
from sandtable.games.gravwell.cards import CARDS, KIND, NAMES, NORMAL, VALUE, card_numbered
from sandtable.games.gravwell.layout import (
    FIRST_HULK,
    LAST,
    NOTHING,
    ORDER,
    OVER,
    POSITION_SIZE,
    SHIPS,
    STOPS,
)
from sandtable.games.gravwell.rules.movement import (
    destination,
    direction_of,
    pull_others,
    target_of,
)
from sandtable.registry import make_game

GRAVWELL = make_game("gravwell")
TWO = make_game("gravwell:players=2")
HULK, OTHER_HULK = FIRST_HULK, FIRST_HULK + 1


def board(*tiles):
    """Return a position with the ships of four seats and the hulks; None is not in the game."""
    position = GRAVWELL.empty_position()
    position[SHIPS : SHIPS + 6] = [NOTHING if tile is None else tile for tile in tiles]
    return position


def tiles_after(position, ship, card, seed=0):
    """Return where all ships are after a tractor."""
    moved = position.copy()
    pull_others(moved, ship, VALUE[card_numbered(card)], Dice(seed).array)
    return [int(tile) for tile in moved[SHIPS : SHIPS + 6]]


@pytest.mark.parametrize(
    ("tiles", "target", "direction"),
    [
        ((0, 0, 0, 0, 36, 26), OTHER_HULK, 1),  # from the start to the nearer hulk
        ((20, 0, 0, 0, 36, 26), OTHER_HULK, 1),
        ((30, 0, 0, 0, 36, 26), OTHER_HULK, -1),
        ((31, 0, 0, 0, 36, 26), NOTHING, 0),  # five either way, one ship each
        ((31, 50, 0, 0, 36, 26), HULK, 1),  # five either way, two ahead
        ((31, 50, 1, 2, 36, 26), OTHER_HULK, -1),  # five either way, three behind
        ((31, 50, 1, 0, 36, 26), NOTHING, 0),  # five either way, two each: 0 does not count
        ((5, 6, 0, 0, 36, 26), 1, 1),
        ((5, 4, 0, 0, 6, 26), HULK, 1),  # one either way, two ahead
        ((9, 0, 0, 0, 0, 0), NOTHING, 0),  # all others are in the Singularity
        ((0, 0, 0, 0, 0, 0), NOTHING, 0),
        ((54, 53, 0, 0, 36, 26), 1, -1),
        ((10, 3, None, None, 36, None), 1, -1),  # two players, one hulk
    ],
)
def test_the_nearest_ship_outside_the_singularity_draws(tiles, target, direction):
    position = board(*tiles)
    assert target_of(position, 0) == target
    assert direction_of(position, 0) == direction


@pytest.mark.parametrize(
    ("tiles", "card", "tile"),
    [
        ((0, 0, 0, 0, 36, 26), "Mg", 10),  # ten towards the hulk
        ((0, 0, 0, 0, 36, 26), "Ne", 0),  # a repulsor cannot leave the board behind
        ((22, 0, 0, 0, 36, 26), "H", 27),  # four to the hulk, and past it
        ((22, 27, 0, 0, 36, 26), "H", 28),  # past both
        ((30, 25, 0, 0, 36, 26), "H", 24),  # backwards past both
        ((3, 2, 1, 0, 36, 26), "B", 0),  # backwards into the Singularity, which is never full
        ((3, 2, 0, 0, 36, 26), "Kr", 5),  # away from the ship behind
        ((3, 2, 0, 5, 36, 26), "Kr", 6),
        ((31, 0, 0, 0, 36, 26), "Mg", 31),  # stuck
        ((30, 31, 0, 0, 36, 26), "Qt", 30),  # tractors do not move their owner
        ((50, 51, 0, 0, 36, 26), "Mg", 54),  # not beyond the gate
        ((50, 51, 54, 0, 36, 26), "Mg", 53),  # the gate is taken: the last free tile before it
        ((50, 51, 54, 53, 36, 52), "Mg", 50),  # all are: it stays
        ((49, 51, 54, 53, 36, 52), "B", 50),  # comes to 51, and nothing is free from there on
    ],
)
def test_cards_move_their_owner(tiles, card, tile):
    position = board(*tiles)
    assert destination(position, 0, card_numbered(card)) == tile


@pytest.mark.parametrize(
    ("tiles", "card", "after"),
    [
        # two tiles towards the owner, from both sides
        ((30, 20, 40, 10, 36, 26), "Jo", [30, 22, 38, 12, 34, 28]),
        # over the owner, and on past whoever is there: 29 to 33, 31 to 29, 28 to 31, 32 to 28
        ((30, 29, 32, 10, 31, 28), "Jo", [30, 33, 28, 12, 29, 31]),
        # behind before ahead when both are as near: 28 takes 31, then 32 goes past 30 to 29
        ((30, 28, 32, 10, 50, 51), "Qt", [30, 31, 29, 13, 47, 48]),
        # into the Singularity, where there is room for all; those there already stay
        ((0, 2, 1, 0, 3, 26), "Qt", [0, 0, 0, 0, 0, 23]),
        # 52 goes past the owner to the gate, 51 finds both taken and stays before them
        ((53, 52, 0, 7, 51, 1), "Qt", [53, 54, 3, 10, 52, 4]),
    ],
)
def test_tractors_pull_all_others(tiles, card, after):
    assert tiles_after(board(*tiles), 0, card) == after


def test_ships_leave_the_singularity_in_any_order():
    position = board(9, 0, 0, 0, 36, 26)
    ends = {tuple(tiles_after(position, 0, "Jo", seed)[1:4]) for seed in range(100)}
    assert len(ends) == 6
    assert {tuple(sorted(end)) for end in ends} == {(2, 3, 4)}


def test_inert_tractors_move_nothing():
    position = make_game("gravwell:tractor=inert").start(Dice(0)).position.copy()
    position[SHIPS] = 20
    assert tiles_after(position, 0, "Qt") == [20, 0, 0, 0, 36, 26]


def test_the_deck():
    assert CARDS == 26
    assert [name[0] for name in NAMES] == [chr(ord("A") + card) for card in range(26)]
    assert sorted(NAMES) == list(NAMES)
    assert int(VALUE.sum()) == 110 + 16 + 5
    assert [NAMES[card] for card in range(26) if KIND[card] != NORMAL] == [
        *("Jo", "Kr", "Ne", "Qt", "U", "Xe")
    ]


def test_the_start():
    for players, hulks in ((2, [36, NOTHING]), (3, [36, 26]), (4, [36, 26])):
        game = make_game(f"gravwell:players={players}")
        position = game.start(Dice(1)).position
        away = [NOTHING] * (4 - players)
        assert position[SHIPS : SHIPS + 6].tolist() == [0] * players + away + hulks
        assert position[STOPS : STOPS + 4].sum() == players
        assert sorted(position[ORDER : ORDER + players]) == list(range(players))
        assert set(position[LAST : LAST + 4]) == {NOTHING}
        assert len(game.start(Dice(1)).legal) == 3 * players


def test_every_order_of_the_draft_is_as_likely_at_the_start():
    orders = [
        tuple(GRAVWELL.start(Dice(number)).position[ORDER : ORDER + 4]) for number in range(4800)
    ]
    counts = [orders.count(order) for order in set(orders)]
    assert len(counts) == 24
    assert sum((count - 200) ** 2 / 200 for count in counts) < 55  # 1 in 5,000 is above


# Two players, in the last turn of a round: both have one card left.
LAST_TURN = "{ships} {turn} 12 {stops} - +{one}/+{two} {played} -,- O,V {undealt} - -"


def last_turn(ships, one, two, stops="-", turn="1.6"):
    """Return a state in which both have one card left, and the first is to lay down its own."""
    ours = ["O", "Ar", "B", "C", "Dy"]
    theirs = ["V", "Es", "F", "Ga", "H"]
    taken = {one, two, *ours, *theirs}
    return TWO.parse(
        LAST_TURN.format(
            ships=ships,
            turn=turn,
            stops=stops,
            one=one,
            two=two,
            played=f"{''.join(sorted(ours))}/{''.join(sorted(theirs))}",
            undealt="".join(name for name in NAMES if name not in taken),
        )
    )


def test_the_earlier_letter_takes_effect_first():
    state = last_turn("10,12+36", "Mg", "Li").play("Mg Li", Dice(0))
    # Li brought the second from 12 back to 8, so Mg brings the first back to it and past it
    assert state.position[SHIPS : SHIPS + 2].tolist() == [0, 8]
    assert last_turn("10,12+36", "Mg", "Si").play("Mg Si", Dice(0)).position[SHIPS] == 20


def test_reaching_the_gate_wins_at_once():
    state = last_turn("40,50+51", "Li", "Mg").play("Li Mg", Dice(0))
    assert state.outcome.scores == (0.0, 1.0)
    assert state.outcome.reason == "second reached the Warp Gate"
    assert state.turn == OVER
    with pytest.raises(IllegalAction, match="the game is over"):
        state.play("go")


def test_a_card_after_the_gate_has_no_effect():
    state = last_turn("50,40+51", "Li", "Mg").play("Li Mg", Dice(0))
    assert state.outcome.reason == "first reached the Warp Gate"
    assert state.position[SHIPS : SHIPS + 2].tolist() == [54, 40]


def test_being_pulled_to_the_gate_wins_only_with_an_own_card():
    pulled = last_turn("53,52+10", "Jo", "Kr", stops="2").play("Jo Kr", Dice(0))
    assert pulled.position[SHIPS : SHIPS + 3].tolist()[:2] == [53, 54]
    assert pulled.legal_names == ("go", "stop")  # the second is asked; it stands on the gate
    assert pulled.play("stop").outcome.reason == "second reached the Warp Gate"
    # away from the first, it would leave the board and stays on the gate
    assert pulled.play("go", Dice(0)).outcome.reason == "second reached the Warp Gate"
    drawn_back = last_turn("53,52+10", "Jo", "Li", stops="2").play("Jo Li go", Dice(0))
    assert drawn_back.turn != OVER
    assert drawn_back.position[SHIPS + 1] == 50


def test_a_ship_pulled_to_the_gate_after_its_own_card_has_to_wait():
    state = last_turn("53,48+51", "Qt", "Li", turn="6.6").play("Qt Li", Dice(0))
    # Li took the second from 48 to 52; Qt then pulled it past 53 and 54 was free
    assert state.position[SHIPS : SHIPS + 2].tolist() == [53, 54]
    assert state.outcome.reason == "second was furthest after six rounds"


def test_the_stop_is_asked_of_stuck_ships_only_for_tractors():
    stuck = last_turn("0,30+0", "Pu", "Ra", stops="12").play("Pu Ra", Dice(0))
    assert stuck.legal_names == ("go", "stop")  # of the first: the second ship is its target
    assert stuck.turn == 0
    after = stuck.play("stop", Dice(0))  # now the second is alone, and not asked
    assert after.position[SHIPS + 1] == 30
    assert after.position[STOPS : STOPS + 2].tolist() == [1, 1]  # already the next round
    tractor = last_turn("0,30+0", "Pu", "Qt", stops="2").play("Pu Qt", Dice(0))
    assert (tractor.turn, tractor.legal_names) == (1, ("go", "stop"))


def test_nobody_leaves_the_singularity():
    state = last_turn("0,0+36", "Kr", "Ne", turn="6.6").play("Kr Ne", Dice(0))
    assert state.outcome.scores == (0.5, 0.5)
    assert state.outcome.reason == "nobody left the Singularity"


def test_the_longest_game():
    dice, choices = Dice(4), Dice(4, "choices")
    state, played = TWO.start(dice), 0
    while state.turn != OVER:
        words = state.legal_names
        word = "go" if "go" in words else words[choices.below(len(words))]
        state, played = state.play(word, dice), played + 1
    assert TWO.max_actions == 180
    assert 100 < played <= TWO.max_actions


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("gravwell:players=1", "gravwell:players is 2 to 4, got 1"),
        ("gravwell:players=5", "gravwell:players is 2 to 4, got 5"),
        (
            "gravwell:tractor=innert",
            "gravwell:tractor is one of true, inert, got 'innert'. Did you mean 'inert'",
        ),
    ],
)
def test_bad_options_are_told_in_one_line(spec, words):
    with pytest.raises(UnreadableSpec) as caught:
        make_game(spec)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_options_come_back_from_the_spec():
    game = make_game("gravwell:tractor=inert,players=3")
    assert game.options == {"players": 3, "tractor": "inert"}
    assert make_game(game.spec).seats == ("first", "second", "third")
    assert GRAVWELL.spec == "gravwell"
    assert GRAVWELL.position_size == POSITION_SIZE


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("tractor", ["true", "inert"])
def test_the_contract_is_kept(players, tractor):
    report = check_game(make_game(f"gravwell:players={players},tractor={tractor}"), games=6)
    assert report.lines() == []


def test_planes_are_in_their_bounds():
    dice, choices = Dice(6), Dice(6, "choices")
    state = GRAVWELL.start(dice)
    assert len(GRAVWELL.plane_names) == len(set(GRAVWELL.plane_names))
    while state.turn != OVER:
        planes = state.planes()
        assert planes.min() >= 0
        assert planes.max() <= 1
        state = state.play(state.legal[choices.below(len(state.legal))], dice)
    assert np.count_nonzero(planes[0]) == 1
