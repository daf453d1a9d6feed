"""A person's series of games against the same opponent: scores, freed of luck, with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sandtable.arena.statistics.intervals import Estimate, estimate_mean
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.records.record import Record
from sandtable.records.replay import RecordedGame
from sandtable.registry import make_game
from sandtable.screens import Series
from sandtable.session import Session

__all__ = ["luck_free_score", "series_result", "why_not_counted"]

PERSON = "human"
YOU = "you"


def luck_free_score(record: Record, seat: int, weights: Sequence[float]) -> float:
    """Return a score less what the dice gave, which has mean zero whoever plays.

    ``weights`` say what a unit of each term of ``Game.luck`` is worth to the seat; they must come
    from other games.
    """
    if record.outcome is None:
        raise SandtableError(f"game {record.identity} is not finished")
    known = RecordedGame(record)
    game = known.game
    start = None if known.start is None else game.parse(known.start)
    session = Session(game, Dice(record.seed, "game", record.number), start, count_luck=True)
    for action in record.actions:
        session.play(action)
    given = sum(weight * term for weight, term in zip(weights, session.luck, strict=True))
    return float(record.outcome.scores[seat]) - float(given)


def why_not_counted(series: Series, record: Record) -> str:
    """Say why a game is not one of a series; empty: it is one."""
    seats = tuple(PERSON if who == YOU else who for who in series.seats)
    if make_game(record.game).spec != make_game(series.spec).spec or record.seats != seats:
        return "it is another game"
    if record.start is not None:
        return "it began in the middle of another game"
    if record.outcome is None:
        return "it was broken off"
    notes = record.annotations.get("web")
    if isinstance(notes, dict) and notes.get("takebacks"):
        return "turns were taken back in it"
    return ""


def series_result(series: Series, records: Sequence[Record]) -> dict[str, Any]:
    """Return how a series stands: its games, their mean with an interval or why there is none."""
    seat = series.seats.index(YOU)
    counted: list[dict[str, Any]] = []
    left_out: list[dict[str, Any]] = []
    for record in records:
        why = why_not_counted(series, record)
        if why or len(counted) >= series.games:
            left_out.append({"id": record.identity, "why": why or "the series was complete"})
            continue
        assert record.outcome is not None
        freed = luck_free_score(record, seat, series.luck_weights)
        score = float(record.outcome.scores[seat])
        counted.append({"id": record.identity, "score": score, "luck_free": round(freed, 4)})
    return {
        "games": counted,
        "left_out": left_out,
        "raw": estimate_data([each["score"] for each in counted]),
        "luck_free": estimate_data([each["luck_free"] for each in counted]),
    }


def estimate_data(values: Sequence[float]) -> dict[str, Any] | None:
    """Return a mean as data; its ends are None where no interval is shown, with the reason."""
    if not values:
        return None
    found: Estimate = estimate_mean(np.array(values, dtype=np.float64))
    ends = (round(found.low, 4), round(found.high, 4)) if found.shown else (None, None)
    return {
        "mean": round(found.mean, 4),
        "low": ends[0],
        "high": ends[1],
        "reason": found.reason,
    }
