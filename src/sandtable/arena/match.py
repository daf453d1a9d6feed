"""A match: many games between the same agents in the same seats, and what they show."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.chunks import Chunk, MatchPlan, Player, Results
from sandtable.arena.statistics import (
    Estimate,
    estimate_mean,
    estimate_share,
    free_of_luck,
    win_shares,
)
from sandtable.arena.workers import run_plan
from sandtable.registry import make_game

if TYPE_CHECKING:
    from sandtable.records.store import Store

__all__ = ["MatchResult", "SeatResult", "play_match"]

Progress = Callable[[int], None]  # called with the number of games that have just been finished


@dataclass(frozen=True)
class SeatResult:
    """How one seat did."""

    seat: str
    agent: str
    score: Estimate
    adjusted: Estimate | None  # freed of luck, for games that count it
    wins: Estimate | None  # share of games won, for games that have winners
    forfeits: int


@dataclass(frozen=True)
class MatchResult:
    """How a match went. Everything but the timing is the same for any number of jobs."""

    plan: MatchPlan
    version: int
    games: int
    seats: tuple[SeatResult, ...]
    forfeits: tuple[tuple[int, int, str], ...]  # game number, seat, reason
    kept: int | None  # records that were new in the archive
    seconds: float
    jobs: int
    scores: NDArray[np.float64] = field(repr=False)  # [game, seat]

    @property
    def complete(self) -> bool:
        """Whether all games that were asked for have been played."""
        return self.games == self.plan.games

    def as_data(self) -> dict[str, Any]:
        """Return the result as documented in docs/match-results.md."""
        return {
            "format": "sandtable-match",
            "format_version": 1,
            "game": self.plan.game,
            "rules_version": self.version,
            "games": self.games,
            "games_wanted": self.plan.games,
            "seed": self.plan.seed,
            "seats": [seat_data(seat) for seat in self.seats],
            "forfeits": [
                {"number": number, "seat": self.seats[seat].seat, "reason": reason}
                for number, seat, reason in self.forfeits
            ],
            "timing": {
                "seconds": round(self.seconds, 3),
                "games_per_second": round(self.games / self.seconds, 1) if self.seconds else None,
                "jobs": self.jobs,
            },
        }


def seat_data(seat: SeatResult) -> dict[str, Any]:
    """Return the result of one seat as plain data."""
    data: dict[str, Any] = {
        "seat": seat.seat,
        "agent": seat.agent,
        "mean": number(seat.score.mean),
        "sd": number(seat.score.deviation),
        "low": number(seat.score.low),
        "high": number(seat.score.high),
        "forfeits": seat.forfeits,
    }
    if seat.adjusted:
        data |= {
            "adjusted_mean": number(seat.adjusted.mean),
            "adjusted_sd": number(seat.adjusted.deviation),
            "adjusted_low": number(seat.adjusted.low),
            "adjusted_high": number(seat.adjusted.high),
        }
    if seat.wins:
        data |= {
            "win_share": number(seat.wins.mean),
            "win_share_low": number(seat.wins.low),
            "win_share_high": number(seat.wins.high),
        }
    return data


def number(value: float) -> float | None:
    """Return a number as it goes into JSON, which knows no 'not a number'."""
    return None if math.isnan(value) else round(value, 10)


def summarise(
    plan: MatchPlan, results: Results, kept: int | None, seconds: float, jobs: int
) -> MatchResult:
    """Draw the conclusions from the games played."""
    game = make_game(plan.game)
    scores, luck = results.scores, results.luck
    shares = win_shares(scores) if game.winners and len(scores) else None
    seats = []
    for seat, name in enumerate(game.seats):
        own = scores[:, seat]
        adjusted = estimate_mean(free_of_luck(own, luck)) if game.luck else None
        wins = (
            estimate_share(float(shares[:, seat].mean()), len(own)) if shares is not None else None
        )
        lost = sum(culprit == seat for _, culprit, _ in results.forfeits)
        seats.append(SeatResult(name, plan.agents[seat], estimate_mean(own), adjusted, wins, lost))
    return MatchResult(
        plan=plan,
        version=game.version,
        games=len(scores),
        seats=tuple(seats),
        forfeits=tuple(results.forfeits),
        kept=kept,
        seconds=seconds,
        jobs=jobs,
        scores=scores,
    )


def open_archive(path: str) -> Store:
    """Open an archive, and find out before the first game whether it can be written."""
    from sandtable.records.store import open_store  # a database library, only if it is needed

    store = open_store(path)
    store.check_writable()
    return store


def play_match(
    plan: MatchPlan,
    *,
    jobs: int = 1,
    archive: str | None = None,
    progress: Progress | None = None,
) -> MatchResult:
    """Play a match; Ctrl-C ends it early with what has been finished until then."""
    store = open_archive(archive) if archive else None
    kept = 0 if store else None
    results = Results(make_game(plan.game))
    try:
        player = Player(plan)
        player.warm_up()
        began = time.perf_counter()

        def keep(chunk: Chunk) -> None:
            nonlocal kept
            if store and kept is not None:
                kept += store.add(chunk.records)
            results.add(chunk)
            if progress:
                progress(len(chunk.scores))

        try:
            run_plan(player, jobs, keep_records=store is not None, keep=keep)
        except KeyboardInterrupt:
            if not results.chunks:
                raise
    finally:
        if store:
            store.close()
    results.close()
    return summarise(plan, results, kept, time.perf_counter() - began, jobs)
