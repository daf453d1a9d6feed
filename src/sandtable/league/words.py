"""How figures of a league are written, in a terminal and on pages."""

from __future__ import annotations

import math

from sandtable.arena.statistics.intervals import Estimate
from sandtable.arena.statistics.ratings import Rating

__all__ = ["interval_text", "rating_text", "share_interval", "share_text"]

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"


def signed(value: float) -> str:
    """Return a rating: relative to the mean of all, so with its sign.

    >>> signed(12.4), signed(-3.2) == f"{MINUS}3", signed(0.2)
    ('+12', True, '0')
    """
    if math.isinf(value):
        return "\N{INFINITY}" if value > 0 else f"{MINUS}\N{INFINITY}"
    points = round(value)
    return f"+{points}" if points > 0 else f"{MINUS}{-points}" if points < 0 else "0"


def rating_text(rating: Rating | None) -> str:
    """Return a rating; a dash where there is none."""
    return NOTHING if rating is None else signed(rating.rating)


def interval_text(rating: Rating | None) -> str:
    """Return the interval of a rating; a dash where none is shown."""
    if rating is None or math.isnan(rating.low) or math.isnan(rating.high):
        return NOTHING
    return f"{signed(rating.low)} to {signed(rating.high)}"


def share_text(share: Estimate | None) -> str:
    """Return a share of points.

    >>> share_text(None) == NOTHING
    True
    """
    return NOTHING if share is None or math.isnan(share.mean) else f"{share.mean:.1%}"


def share_interval(share: Estimate) -> str:
    """Return the interval of a share, or why none is shown."""
    return f"{share.low:.1%} to {share.high:.1%}" if share.shown else share.reason
