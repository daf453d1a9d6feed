"""How large Gravwell is: the formulas of section 2.2 of the paper, and a count of our own.

``players`` is 2 to 4 throughout, and ``turns`` those played in one round, 0 to 6. The tables in
which the paper evaluates the formulas are pictures that its text does not hold, so the figures that
tests compare with were worked out from the formulas by hand.
"""

from __future__ import annotations

from math import comb, factorial, perm, prod

from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.layout import GATE, TURNS

__all__ = [
    "board_permutations",
    "boards",
    "distinct_play_sequences",
    "play_sequences",
    "size_rows",
    "stop_sequences",
]

PLAYERS = (2, 3, 4)


def hulks(players: int) -> int:
    """Return how many hulks there are in a game of so many players."""
    return 1 if players == 2 else 2


def board_permutations(players: int, tiles: int = GATE) -> int:
    """Formula (1): arrangements of the ships on the tiles outside the Singularity, plus n!.

    Hulks cannot be told apart, ships can. The last term is the paper's; it stands for boards with
    ships in the Singularity, of which there are many more (see ``boards``).
    """
    return perm(tiles, players + hulks(players)) // factorial(hulks(players)) + factorial(players)


def boards(players: int, tiles: int = GATE) -> int:
    """Count the boards exactly: any of the ships and of the hulks may be in the Singularity.

    Not in the paper. A tractor can bring a hulk there, so they are counted like ships.
    """
    return sum(
        comb(players, ships) * perm(tiles, ships) * comb(tiles - ships, others)
        for ships in range(players + 1)
        for others in range(hulks(players) + 1)
    )


def stop_sequences(turns: int, players: int) -> int:
    """Formula (2): ways in which the number of unused Emergency Stops can go down."""
    return comb(turns + players, players)


def play_sequences(turns: int, players: int) -> int:
    """Formula (3): cards played in each turn, whoever played them, times (2)."""
    check_turns(turns)
    return stop_sequences(turns, players) * prod(
        comb(CARDS - turn * players, players) for turn in range(turns)
    )


def distinct_play_sequences(turns: int, players: int) -> int:
    """Formula (4): the same with regard to who plays a card and who stops."""
    check_turns(turns)
    stops: int = (turns + 1) ** players
    return stops * prod(perm(CARDS - turn * players, players) for turn in range(turns))


def check_turns(turns: int) -> None:
    """Refuse turns that a round does not have."""
    if not 0 <= turns <= TURNS:
        raise ValueError(f"a round has 0 to {TURNS} turns, got {turns}")


def size_rows() -> dict[str, tuple[int, ...]]:
    """Return all of it for 2, 3 and 4 players and the six turns of a round.

    >>> size_rows()["(2) stop sequences in a round"]
    (28, 84, 210)
    """
    return {
        "(1) board permutations": tuple(map(board_permutations, PLAYERS)),
        "boards, counted exactly": tuple(map(boards, PLAYERS)),
        "(2) stop sequences in a round": tuple(stop_sequences(TURNS, n) for n in PLAYERS),
        "(3) play sequences in a round": tuple(play_sequences(TURNS, n) for n in PLAYERS),
        "(4) the same, player by player": tuple(distinct_play_sequences(TURNS, n) for n in PLAYERS),
    }
