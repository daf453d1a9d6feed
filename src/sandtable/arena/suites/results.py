"""The file of results: what was measured, with what, every figure, and the deals behind them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sandtable.arena.statistics.intervals import Estimate
from sandtable.arena.suites.figures import AskedFigures, Figures, PlayerFigures, Prices
from sandtable.arena.suites.measuring import FORMAT, FORMAT_VERSION
from sandtable.arena.suites.suite import Suite

__all__ = ["results_data"]

DIGITS = 10
Data = dict[str, Any]


def results_data(
    suite: Suite, players: Sequence[PlayerFigures], prices: Mapping[str, Prices]
) -> Data:
    """Return the results as documented in docs/models.md; no time and no place stands in them.

    >>> from sandtable.arena.suites.suite import suite_named
    >>> results_data(suite_named(), [], {})["suite"]["name"]
    'sandtable-models-1'
    """
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "suite": suite_data(suite),
        "prices": {
            player: {"prompt": price.prompt, "answer": price.answer}
            for player, price in sorted(prices.items())
        },
        "standings": [player_data(each) for each in players],
        "players": [each.row.as_data() for each in players],
    }


def suite_data(suite: Suite) -> Data:
    """Return what was played."""
    return {
        "name": suite.name,
        "digest": suite.digest,
        "quick": suite.quick,
        "games_of_a_player": suite.games,
        "entries": {
            entry.name: entry.as_data() | {"opponent_ratings": entry.measured_ratings()}
            for entry in suite.entries
        },
    }


def player_data(player: PlayerFigures) -> Data:
    """Return the figures of one player."""
    data: Data = {"player": player.row.player, **figures_data(player.overall)}
    if player.behind:
        data["behind"] = estimate_data(player.behind) | {"sure": player.sure}
    data["entries"] = {name: figures_data(found) for name, found in player.games.items()}
    return data


def figures_data(found: Figures) -> Data:
    """Return the figures of one game, or of all together."""
    data: Data = {"deals": found.deals, "games": found.games}
    single = {
        "rating": found.rating,
        "points": found.points,
        "score": found.score,
        "score_without_luck": found.adjusted,
        "forfeits": found.forfeits,
        "decisions": found.decisions,
    }
    data |= {name: estimate_data(each) for name, each in single.items() if each is not None}
    if found.against:
        data["against"] = {name: estimate_data(each) for name, each in found.against.items()}
    if found.reasons:
        data["forfeit_reasons"] = dict(found.reasons)
    if found.asked:
        data["asked"] = asked_data(found.asked)
    return data


def asked_data(asked: AskedFigures) -> Data:
    """Return what a model was asked."""
    names = ("requests", "unreadable", "illegal", "failed", "rethinks", "prompt_tokens",
             "answer_tokens", "cost")  # fmt: skip
    data = {name: estimate_data(getattr(asked, name)) for name in names if getattr(asked, name)}
    totals = {
        "total_requests": asked.total_requests,
        "total_tokens": asked.total_tokens,
        "requests_with_guessed_tokens": asked.guessed,
    }
    return data | totals


def estimate_data(found: Estimate) -> Data:
    """Return a mean with its interval, or why there is none.

    >>> from sandtable.arena.statistics.intervals import without_interval
    >>> estimate_data(without_interval(0.5, math.nan, 3, "too few"))["no_interval"]
    'too few'
    """
    data: Data = {
        "mean": number(found.mean),
        "low": number(found.low),
        "high": number(found.high),
        "observations": found.count,
    }
    return data | ({"no_interval": found.reason} if found.reason else {})


def number(value: float) -> float | None:
    """Return a number as it goes into JSON."""
    return round(value, DIGITS) if math.isfinite(value) else None
