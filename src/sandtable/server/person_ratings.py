"""How strong a person is at a game, from kept games against levels whose strength is measured.

Games count in which one person met nothing but levels and took nothing back, in a game that has
winners, and that were played to their end: a level takes a draw too readily to be measured by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from sandtable.agents.level.ladder import EASY, LEVEL_AGENT, ladder_of
from sandtable.arena.ladder import ratings_of
from sandtable.arena.statistics.known_opponents import Result, rating_against_known
from sandtable.errors import SandtableError
from sandtable.records.archive import Archive
from sandtable.records.record import Record
from sandtable.registry import make_game
from sandtable.server.connections import NotFound, encoded
from sandtable.specs import parse_spec
from sandtable.types import Outcome

__all__ = ["rating_page", "ratings_from"]

PERSON = "human"


def results_in(record: Record) -> tuple[str, list[Result]]:
    """Return the game of a record and what its one person did against each level; () if none."""
    notes = record.annotations.get("web") or {}
    persons = [seat for seat, who in enumerate(record.seats) if who == PERSON]
    if record.outcome is None or record.start or len(persons) != 1 or "takebacks" in notes:
        return "", []
    game = make_game(record.game)
    ratings, ladder = ratings_of(game), ladder_of(game)
    if not game.has_winner or not ratings or record.outcome == Outcome.agreed_draw(game):
        return "", []
    mine = record.outcome.scores[persons[0]]
    found: list[Result] = []
    for seat, who in enumerate(record.seats):
        if seat == persons[0]:
            continue
        spec = parse_spec(who)
        if spec.name != LEVEL_AGENT:
            return "", []
        rating = ratings.get(ladder.level(spec.argument or EASY).name)
        if rating is None:
            return "", []
        other = record.outcome.scores[seat]
        found.append((rating, 1.0 if mine > other else 0.5 if mine == other else 0.0))
    return game.name, found


def ratings_from(records: Iterable[Record]) -> list[dict[str, Any]]:
    """Return a person's rating in every game of these records that count."""
    results: dict[str, list[list[Result]]] = {}
    for record in records:
        with suppress(SandtableError):  # its game or its level is no longer there
            game, shares = results_in(record)
            if shares:
                results.setdefault(game, []).append(shares)
    ratings = []
    for game, played in sorted(results.items()):
        found = rating_against_known(played)
        ratings.append(
            {
                "game": game,
                "title": make_game(game).title,
                "rating": round(found.mean),
                "low": round(found.low) if found.shown else None,
                "high": round(found.high) if found.shown else None,
                "reason": found.reason,
                "games": len(played),
            }
        )
    return ratings


def rating_page(archive: Archive, asked: dict[str, Any]) -> str:
    """Write down the ratings of whoever played these games; those not known are left out."""
    from sandtable.server.archive_pages import known_game

    records = []
    for identity in dict.fromkeys(asked["games"]):
        with suppress(NotFound):
            records.append(known_game(archive, identity, False))
    return encoded(ratings_from(records))
