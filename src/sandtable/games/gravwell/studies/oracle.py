"""What the hidden cards of Gravwell are worth: the champion's search, told where every card lies.

Nobody can play against it. It is no agent but a yardstick in games of its own: it looks at the
position itself, which no seat may know. It knows what others hold and what lies under the stacks,
but not which card they lay, and judges by the same networks, which know nothing of hidden cards.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import estimate_mean, paired_share_difference
from sandtable.compiled import copy_cells, kernel
from sandtable.dice import stream_key
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.champion.agent import Champion
from sandtable.games.gravwell.agents.champion.search import think
from sandtable.games.gravwell.agents.champion.turns import Search, new_search
from sandtable.games.gravwell.learning.champion.games import random_action
from sandtable.games.gravwell.rules.kernels import apply, hide, score, start
from sandtable.games.gravwell.studies.shares import SHARE, more_than_their_part, told
from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import (
    Finding,
    Measured,
    Measurement,
    Study,
    Variant,
)

__all__ = ["STUDY", "wins_of"]

GAMES, QUICK = 1000, 20
AT_ONCE = 20  # games between two looks at the clock
CHAMPIONS, RANDOM = "champions", "random players"


@kernel
def play_one(
    position: NDArray[np.int16],
    own: int,
    sees_all: bool,
    random_others: bool,
    parameters: NDArray[np.float32],
    samples: int,
    randomness: float,
    search: Search,
    dice: NDArray[np.uint64],
) -> None:
    """Play a game to its end; the own seat sees all, or only its view like any champion.

    Rows of dice: the game's, then one for each seat.
    """
    start(position, dice[0])
    view = np.empty(layout.POSITION_SIZE, dtype=np.int16)
    while position[layout.MOVER] != layout.OVER:
        seat = layout.as_int64(position[layout.MOVER])
        copy_cells(position, view)
        hide(view, seat)
        if seat != own and random_others:
            action = random_action(view, dice[1 + seat])
        else:
            known = position if seat == own and sees_all else view
            action = think(
                search, parameters, view, known, seat, samples, randomness, dice[1 + seat]
            )
        apply(position, action, dice[0])


@kernel
def play_some(
    players: int,
    first: int,
    keys: NDArray[np.uint64],
    sees_all: bool,
    random_others: bool,
    parameters: NDArray[np.float32],
    samples: int,
    randomness: float,
    wins: NDArray[np.float64],
) -> None:
    """Play games number first, first + 1, ...; the own seat moves on by one from game to game."""
    search = new_search()
    position = np.zeros(layout.POSITION_SIZE, dtype=np.int16)
    dice = np.zeros((1 + layout.MOST_PLAYERS, 4), dtype=np.uint64)
    scores = np.zeros(layout.MOST_PLAYERS)
    for game in range(len(wins)):
        number = first + game
        for row in range(len(keys)):
            dice[row, 0], dice[row, 1], dice[row, 2] = keys[row], number, 0
        position[:] = 0
        position[layout.PLAYERS], position[layout.TRACTORS] = players, layout.WORKING
        own = number % players
        play_one(
            position, own, sees_all, random_others, parameters, samples, randomness, search, dice
        )
        score(position, scores)
        wins[game] = scores[own]


def wins_of(
    players: int, sees_all: bool, random_others: bool, games: int, seed: int, report: Report
) -> NDArray[np.float64]:
    """Return the share [game] of every game that the own seat won: nearly always all or nothing."""
    champion = Champion()
    names = ("oracle game", *(f"oracle seat {seat}" for seat in range(layout.MOST_PLAYERS)))
    keys = np.array([stream_key(seed, name) for name in names], dtype=np.uint64)
    wins = np.zeros(games)
    seeing = "all cards seen" if sees_all else "own cards seen"
    label = f"{players} players, {seeing}, against {RANDOM if random_others else CHAMPIONS}"
    with report(label, games) as progress:
        for first in range(0, games, AT_ONCE):
            some = wins[first : first + AT_ONCE]
            play_some(
                players,
                first,
                keys,
                sees_all,
                random_others,
                champion.parameters,
                champion.samples,
                champion.randomness,
                some,
            )
            progress(len(some))
    return wins


def seen_by(players: int) -> Variant:
    """Return the oracle with so many players; the champion plays the same deals in its seat."""

    def measure(settings: Settings, report: Report) -> Sequence[Measurement]:
        games = settings.games or (QUICK if settings.quick else GAMES)
        seed, bounds = settings.seed, (0.0, 1.0)
        oracle = wins_of(players, True, False, games, seed, report)
        figures = [
            Measurement.of(f"{SHARE} against {CHAMPIONS}", estimate_mean(oracle, bounds=bounds))
        ]
        oracle = wins_of(players, True, True, games, seed, report)
        champion = wins_of(players, False, True, games, seed, report)
        more = paired_share_difference(oracle, champion)
        return [
            *figures,
            Measurement.of(f"{SHARE} against {RANDOM}", estimate_mean(oracle, bounds=bounds)),
            Measurement.of(
                f"the champion's, against {RANDOM}", estimate_mean(champion, bounds=bounds)
            ),
            Measurement.of(f"more than the champion, against {RANDOM}", more),
        ]

    return Variant(f"players-{players}", f"{players} players", measure)


def worth_knowing(measured: Measured) -> Finding:
    """Say whether knowing all cards wins more than an equal part against champions."""
    shares = [(figures[0], int(name[-1])) for name, figures in measured.items()]
    words = "; ".join(f"{name}: {told(figures[0])}" for name, figures in measured.items())
    return Finding(more_than_their_part(shares), f"Against champions, {words}.")


STUDY = Study(
    "champion-oracle",
    "What is left to win by knowing all cards",
    "ours",
    "the champion's search wins more than its part against champions when it is told all cards",
    tuple(seen_by(players) for players in (2, 3, 4)),
    worth_knowing,
    minutes=12,
)
