"""What belongs to each of many games in guided searches, and what was decided in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.treesearch.search import DEEPEST
from sandtable.types import OVER, Game

__all__ = ["NOBODY", "GamesPlayed", "GuidedRows", "new_games", "new_rows"]

# Kernels take these; files that name sandtable.compiled are watched for edits.
NOBODY = -1  # the mover where a simulation ended the game, or found no room: nothing to ask
ENDLESS = 1 << 62  # simulations, where somebody else counts them


class GuidedRows(NamedTuple):
    """What belongs to each of many games in a search."""

    trees: NDArray[np.int64]  # [row, words]
    views: NDArray[np.int16]  # [row, cells] of the seats that are to move
    dice: NDArray[np.uint64]  # [row, 4]
    noise: NDArray[np.float32]  # [row, action] mixed into the priors at the root
    positions: NDArray[np.int16]  # [row, cells] where the simulation has come to
    paths: NDArray[np.int64]  # [row, step, decision edge seat]
    depths: NDArray[np.int64]  # [row]
    keys: NDArray[np.int64]  # [row] of the decision to be added
    movers: NDArray[np.int64]  # [row] who is to move there, or NOBODY
    planes: NDArray[np.float32]  # [row, plane, height, width] what the mover sees
    masks: NDArray[np.bool_]  # [row, action] what the mover may do
    values: NDArray[np.float64]  # [row, seat] from 0 to 1
    priors: NDArray[np.float32]  # [row, action] of legal actions
    left: NDArray[np.int64]  # [row] simulations that are still to be done
    waiting: NDArray[np.bool_]  # [row] whether a simulation goes on from its position
    truths: NDArray[np.int16]  # [row, cells] what is dealt, where it is known
    known: NDArray[np.bool_]  # [row] whether it is


class GamesPlayed(NamedTuple):
    """What was seen and decided in each of many games, at the last decision."""

    movers: NDArray[np.int64]  # [row]
    policies: NDArray[np.float32]  # [row, action]
    searched: NDArray[np.float64]  # [row] what the search expects for the mover
    planes: NDArray[np.float32]  # [row, plane, height, width]
    actions: NDArray[np.int64]  # [row]
    plies: NDArray[np.int64]  # [row] since the beginning
    scores: NDArray[np.float64]  # [row, seat] of games that are over
    dice: NDArray[np.uint64]  # [row, 4] of the games, not of the searches
    strayed: NDArray[np.bool_]  # [row] whether the action is one that only explores


def new_games(game: Game, rows: int) -> GamesPlayed:
    """Make room for so many games."""
    return GamesPlayed(
        np.full(rows, OVER, dtype=np.int64),
        np.zeros((rows, game.action_count), dtype=np.float32),
        np.zeros(rows),
        np.zeros((rows, *game.plane_shape), dtype=np.float32),
        np.zeros(rows, dtype=np.int64),
        np.zeros(rows, dtype=np.int64),
        np.zeros((rows, len(game.seats))),
        np.zeros((rows, 4), dtype=np.uint64),
        np.zeros(rows, dtype=np.bool_),
    )


def new_rows(game: Game, rows: int, words: int) -> GuidedRows:
    """Make room for so many games, with trees of so many words."""
    cells, actions = game.position_size, game.action_count
    return GuidedRows(
        np.zeros((rows, words), dtype=np.int64),
        np.zeros((rows, cells), dtype=np.int16),
        np.zeros((rows, 4), dtype=np.uint64),
        np.zeros((rows, actions), dtype=np.float32),
        np.zeros((rows, cells), dtype=np.int16),
        np.zeros((rows, DEEPEST, 3), dtype=np.int64),
        np.zeros(rows, dtype=np.int64),
        np.zeros(rows, dtype=np.int64),
        np.full(rows, NOBODY, dtype=np.int64),
        np.zeros((rows, *game.plane_shape), dtype=np.float32),
        np.zeros((rows, actions), dtype=np.bool_),
        np.zeros((rows, len(game.seats)), dtype=np.float64),
        np.zeros((rows, actions), dtype=np.float32),
        np.full(rows, ENDLESS, dtype=np.int64),
        np.zeros(rows, dtype=np.bool_),
        np.zeros((rows, cells), dtype=np.int16),
        np.zeros(rows, dtype=np.bool_),
    )
