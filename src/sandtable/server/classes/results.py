"""Results of a tournament to take away: standings and every game as data, or as a table."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

from sandtable.arena.tournaments.points import TableRow, table_of
from sandtable.registry import make_game
from sandtable.server.classes.tournament import ClassTournament

__all__ = ["csv_text", "result_data", "row_data"]

FORMULA = ("=", "+", "-", "@", "\t")  # what a spreadsheet would compute
HEADINGS = (
    "place", "name", "kind", "points", "won", "drawn", "lost", "byes", "tie-break", "rating",
)  # fmt: skip


def row_data(row: TableRow) -> dict[str, Any]:
    """Return one line of the standings; figures without an interval have none."""
    rated = row.rated
    return {
        "player": row.player,
        "place": row.place,
        "points": row.points,
        "meetings": row.meetings,
        "won": row.won,
        "drawn": row.drawn,
        "lost": row.lost,
        "byes": row.byes,
        "tie_break": row.tie_break,
        "rating": None if rated is None else figure(rated.rating.rating, rated.rating),
        "share": None if rated is None else figure(rated.wins.mean, rated.wins),
        "score": None if row.margin is None else figure(row.margin.mean, row.margin),
    }


def figure(value: float, found: Any) -> dict[str, Any]:
    """Return a figure with the ends of its interval; an end that is open or unknown is null."""
    ends = (end if math.isfinite(end) else None for end in (found.low, found.high))
    low, high = ends
    return {"value": value, "low": low, "high": high}


def result_data(tournament: ClassTournament) -> dict[str, Any]:
    """Return the whole tournament to be kept elsewhere: standings and every game, no tokens."""
    game = make_game(tournament.game)
    sides = 2 if tournament.both_sides else 1
    names = tournament.names
    table = table_of(game, tournament.kind, names, tournament.results, tournament.byes, sides)
    return {
        "format": "sandtable-class",
        "format_version": 1,
        "title": tournament.title,
        "game": tournament.game,
        "kind": tournament.kind,
        "over": tournament.over,
        "tie_break": table.tie_break,
        "notes": list(table.reasons),
        "standings": [
            row_data(row)
            | {
                "player": names[row.player],
                "kind": "program" if tournament.players[row.player].agent else "person",
            }
            for row in table.rows
        ],
        "games": [
            {
                "round": number,
                "seats": dict(zip(game.seats, (names[each] for each in one.seats), strict=True)),
                "scores": None if one.scores is None else list(one.scores),
                "reason": one.reason,
                "archive": one.archive,
            }
            for number, each in enumerate(tournament.rounds, start=1)
            for meeting in each.meetings
            for one in meeting.games
        ],
        "byes": [
            {"round": number, "player": names[player]}
            for number, each in enumerate(tournament.rounds, start=1)
            for player in each.byes
        ],
    }


def csv_text(tournament: ClassTournament) -> str:
    """Return the standings as a table for a spreadsheet."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(HEADINGS)
    for row in result_data(tournament)["standings"]:
        rating = "" if row["rating"] is None else f"{row['rating']['value']:.0f}"
        writer.writerow(
            safe_cells(
                [
                    row["place"], row["player"], row["kind"], row["points"], row["won"],
                    row["drawn"], row["lost"], row["byes"], row["tie_break"], rating,
                ]
            )
        )  # fmt: skip
    return written.getvalue()


def safe_cells(cells: Sequence[Any]) -> list[str]:
    """Return cells in which no name is a formula.

    >>> safe_cells(["=1+1", -2, "Ann"])
    ["'=1+1", '-2', 'Ann']
    """
    return [
        f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else str(cell)
        for cell in cells
    ]
