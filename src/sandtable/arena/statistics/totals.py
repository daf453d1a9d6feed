"""The games of a long match in bounded memory: how often each deal came, and sums for luck.

All that is told of scores, wins and measures follows from the different deals and how often each
came, and of those there are few. Scores without luck need more: sums of products (``luck_sums``).
Deals are taken in one by one in their order, so neither the cut into chunks nor the number of
workers has an influence on a single bit.

A match that is short enough is kept as it is: see ``MOST_KEPT``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.plan import Chunk, Results
from sandtable.arena.statistics.luck_sums import LuckParts, LuckSums
from sandtable.compiled import kernel
from sandtable.types import Game

__all__ = ["MOST_KEPT", "DealCounts", "MatchTotals", "calm_enough", "joined"]

MOST_KEPT = 100_000  # games; up to so many all are kept
FIRST_PLACES = 1024  # of a table, a power of two
MIXING = np.int64(-7046029254386353131)  # an odd number without a pattern in its bits
CALM_SHARE = 0.2  # of deals without any luck: from then on the games themselves are needed

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@kernel
def count_rows(rows: Any, times: Any, table: Any, counts: Any, used: Any) -> Any:
    """Add rows [row, column] of bits to a table; return the first one there is no room for."""
    places, width = table.shape
    for row in range(rows.shape[0]):
        code = np.int64(0)
        for column in range(width):
            code = (code ^ rows[row, column]) * MIXING
            code ^= (code >> 29) & np.int64(0x7FFFFFFFF)
        place = code & (places - 1)
        while counts[place] > 0:
            same = True
            for column in range(width):
                if table[place, column] != rows[row, column]:
                    same = False
                    break
            if same:
                break
            place = (place + 1) & (places - 1)
        if counts[place] == 0:
            if 2 * used[0] >= places:
                return row
            used[0] += 1
            for column in range(width):
                table[place, column] = rows[row, column]
        counts[place] += times[row]
    return rows.shape[0]


class DealCounts:
    """How often each deal [game, seat] came.

    >>> counts = DealCounts(games=1, seats=2)
    >>> counts.add(np.array([[[1.0, 0.0]], [[0.0, 1.0]], [[1.0, 0.0]]]))
    >>> rows, times = counts.rows()
    >>> rows[:, 0].tolist(), times.tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [1, 2])
    """

    def __init__(self, games: int, seats: int, places: int = FIRST_PLACES) -> None:
        self.shape = games, seats
        self.clear(places)

    def clear(self, places: int) -> None:
        """Begin with an empty table."""
        self.table = np.zeros((places, self.shape[0] * self.shape[1]), dtype=np.int64)
        self.counts = np.zeros(places, dtype=np.int64)
        self.used = np.zeros(1, dtype=np.int64)

    def add(self, deals: Floats) -> None:
        """Count deals [deal, game, seat]."""
        flat = deals.reshape(len(deals), -1) + 0.0  # the zero with a minus sign is the same number
        self.count(flat.view(np.int64), np.ones(len(deals), dtype=np.int64))

    def count(self, rows: Integers, times: Integers) -> None:
        """Count rows of bits so many times each; a table that is half full grows."""
        done = 0
        while (done := done + count_rows(rows[done:], times[done:], *self.state)) < len(rows):
            there = self.counts > 0
            known, known_times = self.table[there], self.counts[there]
            self.clear(2 * len(self.counts))
            count_rows(known, known_times, *self.state)

    @property
    def state(self) -> tuple[Integers, Integers, Integers]:
        """What the kernel changes."""
        return self.table, self.counts, self.used

    def rows(self) -> tuple[Floats, Integers]:
        """Return the different deals [deal, game, seat], sorted, and how often each came."""
        there = self.counts > 0
        rows = np.ascontiguousarray(self.table[there]).view(np.float64)
        order = np.lexsort(rows.T[::-1])
        return rows[order].reshape(-1, *self.shape), self.counts[there][order]


class MatchTotals(Results):
    """Collects the chunks of a match of any length, in whatever order they come.

    From ``MOST_KEPT`` games on, only counts and sums are left of those whose turn has come.
    """

    def __init__(self, game: Game, games_per_deal: int = 1, most_kept: int = MOST_KEPT) -> None:
        super().__init__(game, games_per_deal)
        self.most_kept = most_kept
        self.reduced = False
        self.ready = 0  # there is no gap before this game
        self.next_game = 0  # all before it are in the counts
        self.rest: Chunk | None = None  # of a deal that is not whole yet
        seats = len(game.seats)
        self.score_counts = DealCounts(games_per_deal, seats)
        self.measure_counts = [DealCounts(games_per_deal, seats) for _ in game.measures]
        self.luck_sums = LuckSums(games_per_deal, seats, len(game.luck)) if game.luck else None

    @property
    def games(self) -> int:
        """How many games of whole deals there are, up to the first gap."""
        whole = self.next_game - self.next_game % self.games_per_deal
        return whole if self.reduced else len(self.scores)

    def add(self, chunk: Chunk) -> None:
        """Take in one chunk."""
        super().add(chunk)
        if self.reduced:
            self.reduce()
            return
        while self.ready in self.chunks:
            self.ready += len(self.chunks[self.ready].scores)
        if self.ready <= self.most_kept:
            return
        super().close()
        if self.may_be_reduced():
            self.reduced, self.forfeits = True, []
            self.reduce()
        else:
            self.most_kept *= 2

    def may_be_reduced(self) -> bool:
        """Say whether counts and sums will tell everything."""
        return self.luck_sums is None or calm_enough(self)

    @property
    def without_luck(self) -> LuckParts | None:
        """What is left for scores without luck, once the games are only counted."""
        keys = [(0, game) for game in range(self.games_per_deal)]
        if not self.reduced or self.luck_sums is None:
            return None
        return LuckParts([(self.luck_sums, keys)])

    def close(self) -> None:
        """Make ready what is known so far."""
        if not self.reduced:
            super().close()

    def reduce(self) -> None:
        """Take the games whose turn has come into the counts, and let go of them."""
        self.scores, self.luck, self.measures = self.scores[:0], self.luck[:0], self.measures[:0]
        while (chunk := self.chunks.pop(self.next_game, None)) is not None:
            self.next_game += len(chunk.scores)
            self.forfeits += chunk.forfeits
            self.take(chunk if self.rest is None else joined(self.rest, chunk))

    def take(self, chunk: Chunk) -> None:
        """Count the whole deals of a chunk and keep the rest."""
        several = self.games_per_deal
        deals = len(chunk.scores) // several
        whole = deals * several
        scores = chunk.scores[:whole].reshape(deals, several, -1)
        self.score_counts.add(scores)
        for number, counts in enumerate(self.measure_counts):
            counts.add(chunk.measures[:whole, :, number].reshape(deals, several, -1))
        if self.luck_sums is not None:
            self.luck_sums.add(scores, chunk.luck[:whole].reshape(deals, several, -1))
        self.rest = None
        if whole < len(chunk.scores):
            self.rest = Chunk(
                chunk.first + whole,
                chunk.scores[whole:],
                chunk.luck[whole:],
                chunk.measures[whole:],
            )


def calm_enough(results: Results) -> bool:
    """Say whether sums are enough for scores without luck.

    They need the games themselves where many of them can be the same: if deals without any luck are
    common, or a score never changes.
    """
    deals = len(results.scores) // results.games_per_deal
    luck, scores = results.luck.reshape(deals, -1), results.scores.reshape(deals, -1)
    calm = float((luck == 0).all(axis=1).mean())
    return calm < CALM_SHARE and not bool((scores == scores[0]).all(axis=0).any())


def joined(*chunks: Chunk) -> Chunk:
    """Return the games of chunks that follow each other as one."""
    return Chunk(
        chunks[0].first,
        np.concatenate([each.scores for each in chunks]),
        np.concatenate([each.luck for each in chunks]),
        np.concatenate([each.measures for each in chunks]),
    )
