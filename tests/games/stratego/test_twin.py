"""The kernels against a plain twin: they must agree on every board, mark, move and result."""

from functools import cache

import numpy as np
import pytest

from games.stratego.plain import ARMIES, COLUMNS, OTHER, Piece, PlainStratego
from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.games.stratego.rules import kernels as rules
from sandtable.registry import make_game
from sandtable.types import OVER, State

SEATS = ("red", "blue")
LETTERS = "?S23456789TBF"
OPTIONS = ("long_scouts", "two_squares", "more_squares", "no_attack", "max_plies")
SETS_EVERY = 7  # moves after which counts and sets are compared
ENDS = {
    "flag": layout.FLAG_TAKEN,
    "stuck": layout.STUCK,
    "both stuck": layout.BOTH_STUCK,
    "quiet": layout.QUIET_END,
    "long": layout.LONG_END,
}

# What is played, and how often.
GAMES = [
    ("stratego", 2),
    ("stratego:long_scouts=false", 2),
    ("stratego:variant=mini", 40),
    ("stratego:variant=mini,two_squares=2,no_attack=40", 30),
    ("stratego:variant=mini,two_squares=0,long_scouts=false", 30),
    ("stratego:variant=mini,more_squares=false,max_plies=60", 15),
    ("stratego:variant=barrage", 5),
    ("stratego:variant=barrage,two_squares=0", 5),
    ("stratego:variant=duel", 5),
    ("stratego:variant=duel,long_scouts=false", 3),
    ("stratego:variant=mini,ends=paper", 20),
    ("stratego:variant=mini,repetition=version-1", 20),
    ("stratego:variant=barrage,repetition=version-1", 4),
]

# How often each situation must have come up, at least, for the agreement to mean something.
WANTED = {
    "a long scout move": 800,
    "a chase goes on": 1_000,
    "a fight begins a chase": 20,
    "two squares": 500,
    "more squares": 50,
    "stuck": 20,
    "over: flag": 30,
    "over: quiet": 10,
    "over: long": 3,
    "S attacks T": 5,
    "3 attacks B": 10,
    "T attacks B": 10,
}


def name_of(square, side):
    return f"{COLUMNS[square % 10]}{side - square // 10}"


def plain_of(game, position):
    """Read the pieces of a starting position into the twin."""
    side = game.board_shape[0]
    board = {}
    for square in range(100):
        cell = int(position[layout.BOARD + square])
        if cell and cell != layout.LAKE:
            owner = "red" if cell & layout.OWNED else "blue"
            marks = bool(cell & layout.MOVED), bool(cell & layout.KNOWN)
            board[name_of(square, side)] = Piece(owner, LETTERS[cell % 16], *marks)
    words = {name: game.options[name] for name in OPTIONS if name in game.options}
    options = {name: word == "true" if word in ("true", "false") else int(word)
               for name, word in words.items()}  # fmt: skip
    options["as_in_version_1"] = game.options.get("repetition") == "version-1"
    if game.options.get("ends") == "paper":
        off = {"two_squares": 0, "more_squares": False, "no_attack": 0}
        return PlainStratego(side, board, **options | off, paper_ends=True)
    return PlainStratego(side, board, **options)


def assert_same(plain, position, side):
    expected = {}
    for square, piece in plain.board.items():
        cell = LETTERS.index(piece.rank) + (16 if piece.owner == "red" else 32)
        expected[square] = cell + 64 * piece.moved + 128 * piece.known
    found = {
        name_of(square, side): cell
        for square, cell in enumerate(position[layout.BOARD : layout.BOARD + 100].tolist())
        if cell not in (0, layout.LAKE)
    }
    assert found == expected
    assert rules.turn(position) == (OVER if plain.over else SEATS.index(plain.mover))
    assert (position[layout.PLIES], position[layout.QUIET]) == (plain.plies, plain.quiet)
    assert position[layout.ENDED] == ENDS.get(plain.over, layout.NOT_OVER)
    assert position[layout.WINNER] == (1 + SEATS.index(plain.winner) if plain.winner else 0)
    for seat, name in enumerate(SEATS) if plain.over or plain.plies % SETS_EVERY == 0 else ():
        assert_same_counts(plain, position, seat, name)


def assert_same_counts(plain, position, seat, name):
    """Compare the counts of pieces, and the sets of squares, which the twin does not keep."""
    own = [piece for piece in plain.board.values() if piece.owner == name]
    for counts, pieces in (
        (layout.ALIVE, own),
        (layout.HIDDEN, [piece for piece in own if not piece.known]),
    ):
        first = counts + seat * layout.RANKS
        found = position[first : first + layout.RANKS].tolist()
        assert found == [sum(p.rank == letter for p in pieces) for letter in LETTERS]
    for first, ranks in (
        (layout.PIECES, LETTERS),
        (layout.MOVERS, "S23456789T"),
        (layout.SCOUTS, "2"),
    ):
        rows = position[first + seat * 10 : first + seat * 10 + 10]
        squares = {
            name_of(row * 10 + column, plain.side)
            for row in range(10)
            for column in range(10)
            if rows[row] >> column & 1
        }
        assert squares == {
            square for square, p in plain.board.items() if p.owner == name and p.rank in ranks
        }


def choose(plain, moves, choices):
    """Play at random, but often hunt and flee: that is what the rules on repetition are about."""
    made = plain.moves_made[plain.mover]
    theirs = plain.moves_made[OTHER[plain.mover]]
    kind = choices.below(10)
    wanted = []
    if kind < 7 and theirs and choices.below(3):
        threat = plain.beside(theirs[-1][2])
        wanted = [move for move in moves if move[0] in threat and move[1] not in plain.board]
    if kind < 7 and made and not wanted:
        wanted = [
            (start, target)
            for start, target in moves
            if start == made[-1][2]
            and target not in plain.board
            and any(square in plain.board and plain.board[square].owner != plain.mover
                    for square in plain.beside(target))
        ]  # fmt: skip
    if kind == 7 and made:
        wanted = [move for move in moves if move == (made[-1][2], made[-1][1])]
    wanted = wanted or moves
    return wanted[choices.below(len(wanted))]


@cache
def actions_of(spec):
    """Return the numbers of all actions by their names."""
    game = make_game(spec)
    return {game.notation.action_name(action): action for action in range(game.action_count)}


def play_both(spec, number, seen, begin=None, choose=choose):
    """Play a game with kernels and twin, from a state of one's own too; return how many moves."""
    game = make_game(spec)
    side, actions = game.board_shape[0], actions_of(spec)
    dice, choices = Dice(5, "game", number), Dice(5, "choices", number)
    position = np.array((begin or game.start(dice)).position)
    plain = plain_of(game, position)
    plain.seen = seen
    plain.plies = first = int(position[layout.PLIES])
    mask = np.zeros(game.action_count, dtype=bool)
    listed = np.zeros(game.action_count, dtype=np.int16)
    while not plain.over:
        assert_same(plain, position, side)
        steps = plain.steps(plain.mover)
        moves = [move for move in steps if not plain.repetition(*move)]
        for move in steps:
            if move not in moves:
                plain.note(plain.repetition(*move))
        expected = sorted(actions["-".join(move)] for move in moves)
        assert rules.legal(position, mask) == len(expected)
        assert np.flatnonzero(mask).tolist() == expected
        assert rules.legal_moves(position, listed) == len(expected)
        assert sorted(listed[: len(expected)].tolist()) == expected
        assert rules.random_action(position, choices.array) in expected
        move = choose(plain, moves, choices)
        rules.apply(position, actions["-".join(move)], dice.array)
        plain.play(*move)
    assert_same(plain, position, side)
    assert game.parse(State(game, position).line) == State(game, position)
    scores = np.zeros(2)
    rules.score(position, scores)
    won = {"red": 1.0, "blue": -1.0, "": 0.0}[plain.winner]
    assert scores.tolist() == [won, -won]
    return plain.plies - first


def test_kernels_and_twin_agree():
    seen, plies = {}, 0
    for spec, games in GAMES:
        for number in range(games):
            plies += play_both(spec, number, seen)
    assert plies > 15_000
    assert {what: count for what, count in WANTED.items() if seen.get(what, 0) < count} == {}


@pytest.mark.parametrize("variant", ARMIES)
def test_random_starts_have_whole_armies(variant):
    game = make_game(f"stratego:variant={variant}")
    for number in range(20):
        plain = plain_of(game, game.start(Dice(1, "start", number)).position)
        for owner in SEATS:
            ranks = [piece.rank for piece in plain.board.values() if piece.owner == owner]
            assert {rank: ranks.count(rank) for rank in set(ranks)} == ARMIES[variant]
