"""Hidden information: what a seat cannot tell apart looks the same, and guesses are fair."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from games.stratego.boards import line_of, state_of
from sandtable.batch import Batch
from sandtable.conformance import check_game
from sandtable.dice import Dice
from sandtable.errors import IllegalAction
from sandtable.games.stratego import layout, planes
from sandtable.games.stratego.rules import kernels as rules
from sandtable.games.stratego.setups import Setup, named_setups
from sandtable.registry import make_game
from sandtable.types import OVER, State

VARIANTS = ("classic", "mini", "barrage", "duel")
SPECS = [
    "stratego:variant=mini",
    "stratego:variant=mini,setup=choose",
    "stratego:variant=mini,two_squares=1,no_attack=30,ranks=one-high",
    "stratego:variant=barrage,red=choose,blue=named",
    "stratego:variant=duel,setup=choose,long_scouts=false",
    "stratego:red=choose,blue=corner,max_plies=200",
]


@pytest.mark.parametrize("spec", SPECS)
def test_the_contract_is_kept_with_every_kind_of_option(spec):
    assert check_game(make_game(spec), games=5).lines() == []


def played(game, seed, plies):
    """Play at random, and say what was the last action."""
    dice, choices = Dice(seed), Dice(seed, "choices")
    state, action = game.start(dice), 0
    for _ in range(plies):
        if state.turn == OVER:
            break
        action = int(rules.random_action(np.array(state.position), choices.array))
        state = state.play(action, dice)
    return state


def exchanged(state, seat, choices):
    """Return another whole position that the seat cannot tell from this one, or None.

    The ranks of two hidden enemy pieces change places; a bomb or the flag must not have moved.
    """
    position = np.array(state.position)
    enemy = layout.OWNED << (1 - seat)
    board = position[: layout.SQUARES]
    hidden = np.flatnonzero((board & (enemy | layout.KNOWN)) == enemy)
    pairs = [
        (one, other)
        for one in hidden.tolist()
        for other in hidden.tolist()
        if one < other and may_exchange(int(board[one]), int(board[other]))
    ]
    if not pairs:
        return None
    one, other = pairs[choices.below(len(pairs))]
    ranks = board[[one, other]] & layout.RANK_BITS
    board[[one, other]] += ranks[::-1] - ranks
    return state.game.parse(State(state.game, position).line)  # with sets that fit the ranks


def may_exchange(one, other):
    ranks = one % 16, other % 16
    fixed = [rank in (layout.BOMB, layout.FLAG) for rank in ranks]
    moved = [bool(cell & layout.MOVED) for cell in (one, other)]
    return ranks[0] != ranks[1] and not (fixed[0] and moved[1]) and not (fixed[1] and moved[0])


def everything_shown(state, seat, action):
    """Return all that leaves the engine for a seat, as bytes and texts."""
    view, game = state.view(seat), state.game
    paper = np.zeros((6, *game.board_shape), dtype=np.float32)
    planes.encode_paper(np.array(state.position), seat, paper)
    shown = [
        view.position.tobytes(),
        view.line,
        repr(view),
        str(view),
        view._repr_svg_(),
        view.planes(seat).tobytes(),
        state.planes(seat).tobytes(),
        paper.tobytes(),
        view.turn,
        view.outcome,
        hash(view),
        view.guess(Dice(3)).position.tobytes(),
    ]
    if state.turn == seat:
        shown += [view.mask.tobytes(), state.mask.tobytes(), view.legal_names]
        shown.append(rules.random_action(np.array(view.position), Dice(4).array))
        shown.append(complaint(state, action))
    return shown


def complaint(state, action):
    """Return what is said about an action that may be illegal."""
    if state.mask[action]:
        return ""
    with pytest.raises(IllegalAction) as caught:
        state.play(action)
    return str(caught.value)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_a_seat_cannot_tell_apart_looks_the_same(variant):
    game = make_game(f"stratego:variant={variant}")
    compared = 0
    for seed in range(12):
        choices = Dice(seed, "exchange")
        state = played(game, seed, choices.below(200 if variant == "classic" else 60))
        for seat in (0, 1):
            other = exchanged(state, seat, choices)
            if other is None:
                continue
            assert not np.array_equal(other.position, state.position)
            action = choices.below(game.action_count)
            assert everything_shown(other, seat, action) == everything_shown(state, seat, action)
            compared += 1
    assert compared >= 12


@pytest.mark.parametrize("variant", VARIANTS)
def test_batches_show_the_same_of_what_cannot_be_told_apart(variant):
    """Play the same moves against two set-ups of Blue in which two pieces have changed places."""
    number = VARIANTS.index(variant)
    setup = named_setups(number)["corner"]
    ranks = list(setup.ranks)
    places = [ranks.index(rank) for rank in (layout.MINER, layout.SPY)]
    ranks[places[0]], ranks[places[1]] = ranks[places[1]], ranks[places[0]]
    specs = [f"stratego:variant={variant},red=corner,blue={blue}"
             for blue in (setup, Setup(number, tuple(ranks)))]  # fmt: skip
    batches = [Batch(make_game(spec), 1, frame="board") for spec in specs]
    side, board = batches[0].game.board_shape[0], np.array(batches[0].positions[0])
    changed = {int(layout.setup_square(board, 1, place)) for place in places}
    choices, compared = Dice(4, "choices"), 0
    for _ in range(40):
        if batches[0].turns[0] == 0:
            assert batches[0].masks.tobytes() == batches[1].masks.tobytes()
            assert batches[0].observations.tobytes() == batches[1].observations.tobytes()
            compared += 1
        quiet = [
            action
            for action in np.flatnonzero(batches[0].masks[0] & batches[1].masks[0]).tolist()
            if batches[0].positions[0][layout.to_square_of(side, action)] == 0
            and layout.from_square_of(side, action) not in changed
        ]
        action = quiet[choices.below(len(quiet))]
        for batch in batches:
            batch.step([action])
    assert compared == 20


def test_set_ups_are_screened_until_both_are_ready():
    game = make_game("stratego:variant=barrage,setup=choose")
    state = game.start()
    corner, bait = (list("2...T.9..2....S.....3.........FB........"),
                    list("..2....2...T......9.....S......B..3..F.."))  # fmt: skip
    state = state.play(" ".join(corner))
    assert state.turn == 0
    assert state.legal_names == ("done",)
    hidden = game.start().play(" ".join(bait))
    assert state.view(1).position.tobytes() == hidden.view(1).position.tobytes()
    assert state.view(0).position.tobytes() != hidden.view(0).position.tobytes()
    state, hidden = state.play("done"), hidden.play("done")
    assert state.view(1).position.tobytes() == hidden.view(1).position.tobytes()
    assert state.view(1).line.startswith("10/10/10/10/")
    last = state.play(" ".join([*bait, "done"]))
    assert last.view(1).line.split()[0].count("r?") == 8  # now Blue sees where they stand
    assert "r2" not in last.view(1).line


def test_who_sees_the_actions_of_a_set_up():
    game = make_game("stratego:variant=mini,setup=choose")
    position, (bomb, done) = game.start().position, game.parse_actions("B done")
    assert game.action_visible_to(position, bomb, 0)
    assert not game.action_visible_to(position, bomb, 1)
    assert game.action_visible_to(position, done, 1)
    ready = make_game("stratego:variant=mini").start(Dice(1))
    assert all(game.action_visible_to(ready.position, ready.legal[0], seat) for seat in (0, 1))


def consistent(state, seat):
    """List all assignments of hidden ranks that a view allows, one by one."""
    enemy, view = 1 - seat, state.view(seat).position
    cells = [(s, int(view[s])) for s in range(100) if view[s] & (layout.OWNED << enemy)]
    hidden = [(square, cell) for square, cell in cells if not cell & layout.KNOWN]
    counts = view[layout.HIDDEN + enemy * layout.RANKS :][: layout.RANKS]
    ranks = [rank for rank in range(layout.RANKS) for _ in range(int(counts[rank]))]
    found = set()
    for order in set(permutations(ranks)):
        fixed = (layout.BOMB, layout.FLAG)
        if not any(
            rank in fixed and cell & layout.MOVED
            for rank, (_, cell) in zip(order, hidden, strict=True)
        ):
            found.add(order)
    return [square for square, _ in hidden], sorted(found)


RED = {"a1": "F", "e1": "9"}
# Positions with few hidden pieces of Blue; the last two are Blue's turn, so Blue can move.
GUESSED = [
    (RED, {"a10": "F", "b10": "B", "c10": "5", "d10": "3'", "e7": "2"}, "r"),
    (RED, {"a10": "F", "b10": "B", "c10": "B", "d10": "2", "e7": "2"}, "r"),
    (RED, {"a10": "F", "b10": "S'", "c10": "T'", "d10": "2!'", "j9": "B"}, "r"),
    (RED, {"a10": "F", "a9": "B", "b10": "B", "a8": "7", "c10": "B!"}, "b"),
    (RED, {"a10": "5", "a9": "B", "b10": "F", "c10": "B", "b9": "B", "a8": "4!'"}, "b"),
]


@pytest.mark.parametrize(("red", "blue", "mover"), GUESSED)
def test_guesses_are_uniform_and_know_nothing(red, blue, mover):
    state = state_of(red, blue, mover)
    squares, possible = consistent(state, 0)
    if mover == "b":  # only those in which Blue has a move
        possible = [order for order in possible if can_move(state, squares, order)]
    view, dice, draws = np.array(state.view(0).position), Dice(11).array, 12_000
    counts = Counter()
    guessed = view.copy()
    for _ in range(draws):
        guessed[:] = view
        rules.guess(guessed, 0, dice)
        counts[tuple(int(guessed[square]) % 16 for square in squares)] += 1
    assert set(counts) == set(possible)
    expected = draws / len(possible)
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    freedom = len(possible) - 1
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5  # four standard deviations
    truth = tuple(int(state.position[square]) % 16 for square in squares)
    assert abs(counts[truth] - expected) < 4 * expected**0.5


def can_move(state, squares, order):
    """Say whether Blue could move if these ranks were on these squares."""
    position = np.array(state.position)
    for square, rank in zip(squares, order, strict=True):
        position[square] = (position[square] & ~layout.RANK_BITS) | rank
    line = State(state.game, position).line
    try:
        return bool(state.game.parse(line).legal)
    except Exception:
        return False


def test_guesses_of_whole_armies_have_equal_chances_for_every_square():
    game = make_game("stratego:variant=mini")
    view, dice, draws = np.array(game.start(Dice(2)).view(1).position), Dice(5).array, 6_000
    counts = np.zeros((12, layout.RANKS))
    squares = [row * 10 + column for row in (4, 5) for column in range(6)]
    guessed = view.copy()
    for _ in range(draws):
        guessed[:] = view
        rules.guess(guessed, 1, dice)
        counts[np.arange(12), guessed[squares] % 16] += 1
    expected = draws * layout.PIECE_COUNTS[layout.MINI] / 12
    ranks = expected > 0
    chi_square = ((counts - expected)[:, ranks] ** 2 / expected[ranks]).sum()
    assert chi_square < 8 * 11 + 4 * (2 * 8 * 11) ** 0.5


def test_guessing_a_whole_position_forgets_what_was_hidden():
    state = played(make_game("stratego"), 3, 150)
    whole, view = np.array(state.position), np.array(state.view(0).position)
    rules.guess(whole, 0, Dice(9).array)
    rules.guess(view, 0, Dice(9).array)
    assert np.array_equal(whole, view)


def test_views_show_what_is_known():
    red = {"a1": "F", "e1": "9!'", "b1": "2"}
    line = line_of(red, {"a10": "F", "e7": "7!'", "d8": "8'", "c10": "B!"})
    view = make_game("stratego").parse(line).view(0).line
    assert view.split()[0] == "b?1bB!7/10/3b?'6/4b7!'5/2~~2~~2/2~~2~~2/10/10/10/rFr22r9!'5"
    theirs = make_game("stratego").parse(line).view(1).line
    assert theirs.split()[0].endswith("r?r?2r9!'5")
    assert view.split()[1:] == theirs.split()[1:] == line.split()[1:]


@pytest.mark.parametrize(("limit", "share"), [(3, 1 / 3), (1, 1), (0, 0)])
def test_last_moves_are_a_share_of_the_two_squares_limit(limit, share):
    pieces = {"a1": "F", "e4": "5"}, {"a10": "F", "j10": "6"}
    state = state_of(*pieces, options=f"two_squares={limit}" if limit != 3 else "").play("e4-e3")
    seen = state.planes(layout.RED)[planes.OWN_LAST]
    assert seen[7, 4] == pytest.approx(share)
    assert seen[6, 4] == pytest.approx(-share)
