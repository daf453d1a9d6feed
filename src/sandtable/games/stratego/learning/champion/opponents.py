"""Who plays against Stratego's champion in training, in which games and from when on."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sandtable.games.stratego.learning.champion.config import ChampionConfig
from sandtable.games.stratego.learning.champion.rivals import Rival
from sandtable.games.stratego.learning.champion.searchers import Searchers

__all__ = ["Opponent", "make_opponents"]


class Opponent(NamedTuple):
    """Somebody who plays one side of some games in some rounds, instead of the learner."""

    name: str
    rounds: range
    seats: NDArray[np.int64]  # by row: the seat it has, or -1 where it does not play
    where: Tensor  # the same on the device
    rival: Rival | Searchers | None  # none: an older self


def make_opponents(config: ChampionConfig, device: torch.device, threads: int) -> list[Opponent]:
    """Return all of them, each kind in rows of its own."""
    rows = np.arange(config.rows)
    past, rival, searcher, built_searcher = (
        round(config.rows * share)
        for share in (
            config.past_share,
            config.rival_share,
            config.searcher_share,
            config.built_searcher_share,
        )
    )
    opponents: list[Opponent] = []

    def add(
        name: str, rounds: range, first: int, count: int, who: Rival | Searchers | None
    ) -> None:
        seats = np.where((rows >= first) & (rows < first + count), rows % 2, -1)
        where = torch.from_numpy(seats).to(device)
        opponents.append(Opponent(name, rounds, seats, where, who))

    if past:
        add("past", range(sys.maxsize), 0, past, None)
    if rival:
        player = Rival(config.rival, device, threads)
        add("rival", range(config.rival_from, sys.maxsize), past, rival, player)
    if searcher:
        searchers = Searchers(config.searcher, device, searcher, threads)
        add(
            "searcher",
            range(config.late_from, config.built_from),
            past + rival,
            searcher,
            searchers,
        )
        later = range(max(config.late_from, config.built_from), sys.maxsize)
        add("searcher", later, past + rival, built_searcher, searchers)
    return opponents
