"""What everybody may know about a room, whether it is in memory or only in storage."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sandtable.records.record import experiment_name
from sandtable.screens import COLOURS, screen_class, screen_of
from sandtable.server.broadcast import outcome_data, told_outcome
from sandtable.server.storage import StoredRoom
from sandtable.types import OVER, Game

if TYPE_CHECKING:
    from sandtable.server.room import Room

__all__ = [
    "CLASS",
    "NAMES",
    "NUMBER",
    "OPEN",
    "archive_id",
    "facts_of",
    "seat_colours",
    "seat_names",
    "status_of",
    "summary_of",
    "summary_of_finished",
]

COLOUR = re.compile(r"^(blue|red|green|yellow|#[0-9a-fA-F]{6})$")
# In what changes of a room: names guests gave, seats for anybody, the class it is played for.
NAMES, OPEN, CLASS = "names", "open", "class"
NUMBER = 0  # of the one game in the experiment of a room


def seat_names(stored: StoredRoom) -> list[str]:
    """Return the names of who holds the seats, as guests have given them."""
    given = stored.state.get(NAMES, {})
    return [given.get(str(seat), held.name) for seat, held in enumerate(stored.seats)]


def facts_of(stored: StoredRoom, game: Game) -> dict[str, Any]:
    """Return what does not change."""
    clock = stored.clock
    titles = screen_of(game).titles()
    return {
        "room": stored.room,
        "game": game.spec,
        "title": game.title,
        "rules": game.name,
        "seats": [
            {
                "seat": seat,
                "title": title,
                "name": name,
                "kind": "person" if held.agent is None else "program",
                "agent": held.agent,
            }
            for seat, title, name, held in zip(
                game.seats, titles, seat_names(stored), stored.seats, strict=True
            )
        ],
        "clock": None if clock is None else {"minutes": clock[0], "increment": clock[1]},
        "hidden": game.hidden,
        "winners": game.has_winner,
        "closing": game.turn_ending_actions is not None,
        "branched": stored.branched,
        "seat_colours": seat_colours(game),
        "of_class": stored.state.get(CLASS),
    }


def seat_colours(game: Game) -> list[str]:
    """Return the colour of every seat, one of the client's own names or #rrggbb.

    >>> from sandtable.registry import make_game
    >>> seat_colours(make_game("skirmish"))
    ['blue', 'red']
    """
    chosen = [colour for colour in screen_class(game.name).seat_colours if COLOUR.match(colour)]
    return (chosen + list(COLOURS))[: len(game.seats)]


def status_of(game: Game, outcome: dict[str, Any] | None, stopped: bool, turn: int) -> str:
    """Say in a few words how things stand."""
    if outcome is not None:
        return f"The game is over: {screen_of(game).with_titles(outcome['reason'])}"
    if stopped:
        return "The game was broken off"
    return "The game is over" if turn == OVER else f"{screen_of(game).titles()[turn]} to act"


def archive_id(stored: StoredRoom) -> str:
    """Return the name that a finished game has in the archive."""
    seats = tuple(held.agent or "human" for held in stored.seats)
    experiment = experiment_name(stored.game, stored.version, seats, stored.seed, stored.start)
    return f"{experiment}-{NUMBER}"


def summary_of(room: Room) -> dict[str, Any]:
    """Return what everybody may know about a room."""
    return {
        **facts_of(room.stored, room.game),
        "ply": room.table.ply,
        "over": room.over,
        "status": room.status(),
        "outcome": told_outcome(room.table.screen, outcome_data(room.outcome)),
        "archive": room.archive_id,
        "spectators": room.audience.spectators,
        "turn": None if room.over or room.table.turn == OVER else room.table.turn,
        "made_at": room.stored.made_at,
        "open_seats": [] if room.over else room.stored.state.get(OPEN, []),
    }


def summary_of_finished(stored: StoredRoom, game: Game, plies: int) -> dict[str, Any]:
    """Return the same for a finished room that is not in memory."""
    outcome = stored.state.get("outcome")
    return {
        **facts_of(stored, game),
        "ply": plies,
        "over": True,
        "status": status_of(game, outcome, bool(stored.state.get("stopped")), OVER),
        "outcome": told_outcome(screen_of(game), outcome),
        "archive": archive_id(stored),
        "spectators": 0,
        "turn": None,
        "made_at": stored.made_at,
        "open_seats": [],
    }
