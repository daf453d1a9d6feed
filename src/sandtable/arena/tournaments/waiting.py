"""Games that wait: for games before them, or for other matches on the same deals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.plan import Chunk
from sandtable.arena.statistics.intervals import all_alike
from sandtable.arena.statistics.totals import joined

__all__ = ["WaitingGames"]

Floats = NDArray[np.float64]


class WaitingGames:
    """Games of one match, in whatever order they come, until somebody has taken them in.

    >>> waiting = WaitingGames(games_per_deal=2)
    >>> scores, nothing = np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros((2, 2, 0))
    >>> waiting.add(Chunk(2, scores, nothing[0], nothing))
    >>> waiting.deals
    0
    >>> waiting.add(Chunk(0, scores, nothing[0], nothing))
    >>> waiting.deals, waiting.waiting(0, 2)[0].shape
    (2, (2, 2, 2))
    """

    def __init__(self, games_per_deal: int) -> None:
        self.games_per_deal = games_per_deal
        self.chunks: dict[int, Chunk] = {}
        self.ready: list[Chunk] = []  # without gaps
        self.end = 0  # the first game that is not ready
        self.taken = 0  # deals that were let go
        self.first_deal: tuple[Floats, Floats] | None = None  # scores and measures
        self.forfeits: list[tuple[int, int, str]] = []

    @property
    def deals(self) -> int:
        """How many whole deals there are, taken or waiting, up to the first gap."""
        return self.end // self.games_per_deal

    def add(self, chunk: Chunk) -> None:
        """Take in one chunk."""
        self.chunks[chunk.first] = replace(chunk, records=[])  # large, and kept elsewhere
        while (following := self.chunks.pop(self.end, None)) is not None:
            self.ready.append(following)
            self.end += len(following.scores)
            self.forfeits += following.forfeits

    def waiting(self, first: int, end: int) -> tuple[Floats, Floats, Floats]:
        """Return scores, luck and measures [deal, game, ...] of deals from first up to the end."""
        if len(self.ready) > 1:
            self.ready = [joined(*self.ready)]
        several = self.games_per_deal
        rows = slice((first - self.taken) * several, (end - self.taken) * several)
        chunk = self.ready[0]
        scores, luck, measures = (
            each[rows].reshape(end - first, several, *each.shape[1:])
            for each in (chunk.scores, chunk.luck, chunk.measures)
        )
        return scores, luck, measures

    def let_go(self, end: int) -> None:
        """Forget the deals before this one."""
        gone = (end - self.taken) * self.games_per_deal
        chunk = self.ready[0]
        scores, luck, measures = (
            each[gone:].copy() for each in (chunk.scores, chunk.luck, chunk.measures)
        )
        self.ready = [Chunk(chunk.first + gone, scores, luck, measures)]
        self.taken = end

    def alike(self, first: int, end: int) -> bool:
        """Say whether these deals went like the very first one."""
        scores, _, measures = self.waiting(first, end)
        if self.first_deal is None:
            self.first_deal = scores[0].copy(), measures[0].copy()
        return all(
            all_alike(np.nan_to_num(np.concatenate([known[None], each])).reshape(1 + len(each), -1))
            for known, each in zip(self.first_deal, (scores, measures), strict=True)
            if each.size
        )
