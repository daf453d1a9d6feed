"""What all who have the link of a tournament may know: no token, nothing of games that go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandtable.arena.tournaments.points import PointsTable, meeting_points
from sandtable.errors import SandtableError
from sandtable.registry import make_game
from sandtable.screens import BoardScreen, screen_of
from sandtable.server.broadcast import told_outcome
from sandtable.server.classes.results import row_data
from sandtable.server.classes.tournament import (
    ClassGame,
    ClassTournament,
    Meeting,
    replaced_in,
)
from sandtable.server.summaries import seat_colours

if TYPE_CHECKING:
    from sandtable.server.rooms import Rooms

__all__ = ["class_page", "class_summary"]


def class_summary(tournament: ClassTournament) -> dict[str, Any]:
    """Return what a list of tournaments shows."""
    return {
        "name": tournament.name,
        "title": tournament.title,
        "made_at": tournament.made_at,
        "game": tournament.game,
        "game_title": title_of(tournament.game),
        "kind": tournament.kind,
        "players": len(tournament.players),
        "round": len(tournament.rounds),
        "over": tournament.over,
    }


def title_of(spec: str) -> str:
    """Return the title of a game; one that is not installed any more has its spec.

    >>> title_of("skirmish"), title_of("gone:size=3")
    ('Skirmish', 'gone:size=3')
    """
    try:
        return make_game(spec).title
    except SandtableError:
        return spec


def class_page(tournament: ClassTournament, table: PointsTable, rooms: Rooms) -> dict[str, Any]:
    """Return who plays whom, the results and the standings."""
    game = make_game(tournament.game)
    screen = screen_of(game)
    clock = tournament.clock
    return {
        **class_summary(tournament),
        "rules": game.name,
        "winners": game.has_winner,
        "seats": list(screen.titles()),
        "seat_colours": seat_colours(game),
        "both_sides": tournament.both_sides,
        "clock": None if clock is None else {"minutes": clock[0], "increment": clock[1]},
        "rounds_planned": len(tournament.schedule) or None,
        "joinable": tournament.joinable,
        "listed": tournament.listed,
        "closed": tournament.closed,
        "entrants": [
            {
                "name": each.name,
                "kind": "person" if each.agent is None else "program",
                "gone": each.gone,
            }
            for each in tournament.players
        ],
        "rounds": [
            {
                "meetings": [
                    meeting_data(tournament, each, rooms, screen) for each in one.meetings
                ],
                "byes": list(one.byes),
                "over": one.over,
            }
            for one in tournament.rounds
        ],
        "standings": [row_data(row) for row in table.rows],
        "tie_break": table.tie_break,
        "notes": list(table.reasons),
    }


def meeting_data(
    tournament: ClassTournament, meeting: Meeting, rooms: Rooms, screen: BoardScreen
) -> dict[str, Any]:
    """Return a meeting with its games."""
    result = meeting.result
    points = None if result is None else meeting_points(screen.game, result)
    return {
        "players": list(meeting.players),
        "points": None if points is None else list(points),
        "games": [game_data(tournament, each, rooms, screen) for each in meeting.games],
    }


def game_data(
    tournament: ClassTournament, game: ClassGame, rooms: Rooms, screen: BoardScreen
) -> dict[str, Any]:
    """Return a game: who sits where, who has come, and how it ended.

    Who has come once is told, not who is there now: nothing changes between two moves.
    """
    room = rooms.open.get(game.room)
    outcome, replaced = None, game.replaced
    here = [game.scores is not None] * len(game.seats)
    if game.scores is not None:
        told = {"scores": list(game.scores), "reason": game.reason}
        outcome = told_outcome(screen, told | {"forfeited_by": game.forfeited_by})
    elif room is not None:
        replaced = replaced_in(tournament, game, room.stored)
        here = [not room.is_person(seat) or seat in room.joined for seat in range(len(here))]
    return {
        "room": game.room,
        "players": list(game.seats),
        "here": here,
        "replaced": list(replaced),
        "outcome": outcome,
        "archive": game.archive,
    }
