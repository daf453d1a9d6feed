"""Guests: open seats that anybody may take from the first page, and the names guests give.

Both are part of what changes in a room: they survive a restart, and a seat that is taken is closed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sandtable.server.connections import Refused
from sandtable.server.storage import StoredSeat
from sandtable.server.summaries import NAMES, OPEN, seat_names
from sandtable.server.table import SPECTATOR

if TYPE_CHECKING:
    from sandtable.server.room import Room

__all__ = ["LONGEST_NAME", "claim", "clean_name", "replace_seat", "told_apart"]

LONGEST_NAME = 40


def clean_name(name: str) -> str:
    """Return a name as it is shown: one line, without letters that nobody sees, not too long.

    >>> clean_name("  Ann\\u202e  B.\\n"), len(clean_name("x" * 99))
    ('Ann B.', 40)
    """
    shown = unicodedata.normalize("NFC", " ".join(name.split()))
    seen = "".join(each for each in shown if not unicodedata.category(each).startswith("C"))
    return " ".join(seen.split())[:LONGEST_NAME].strip()


def told_apart(name: str, taken: Iterable[str]) -> str:
    """Return a name that nobody has yet: the second of the same gets a number.

    >>> told_apart("ann", ["Ann", "Ben"]), told_apart("Eve", ["Ann"])
    ('ann (2)', 'Eve')
    """
    known = {each.casefold() for each in taken}
    number, found = 1, name
    while found.casefold() in known:
        number += 1
        mark = f" ({number})"
        found = name[: LONGEST_NAME - len(mark)] + mark
    return found


def claim(room: Room, seat: int, name: str, token: str | None) -> dict[str, Any]:
    """Let somebody take an open seat, or with its token give the one they hold a name.

    Returns the way to the seat; raises Refused where the seat is not theirs to take.
    """
    held = room.stored.seats[seat] if seat < len(room.stored.seats) else None
    if held is None or held.token is None:
        raise Refused("not_allowed", "no person sits there")
    state = room.stored.state
    if token is not None:
        if room.role_of(token) != (seat, "seat"):
            raise Refused("not_allowed", "this link is not valid for the seat")
    elif seat not in state.get(OPEN, []) or room.over:
        raise Refused("not_allowed", "somebody has taken this seat; ask for another game")
    changes: dict[str, Any] = {OPEN: [each for each in state.get(OPEN, []) if each != seat]}
    cleaned = clean_name(name)
    if cleaned:
        changes[NAMES] = {**state.get(NAMES, {}), str(seat): cleaned}
    room.store_state(over=room.over, **changes)
    state.update(changes)
    room.audience.send_state("join")
    return {
        "seat": room.game.seats[seat],
        "name": seat_names(room.stored)[seat],
        "token": held.token,
        "link": f"/room/{room.stored.room}#token={held.token}",
    }


def replace_seat(room: Room, seat: int, held: StoredSeat) -> None:
    """Give the seat of somebody who does not come to a program; their link is void then."""
    if room.over or not room.is_person(seat):
        raise Refused("over", "there is nobody to be replaced")
    given = room.stored.state.get(NAMES, {})
    seats = list(room.stored.seats)
    seats[seat] = held
    room.clocks.charge()
    state = room.kept_state(
        **{NAMES: {number: name for number, name in given.items() if number != str(seat)}}
    )
    stored = replace(room.stored, seats=tuple(seats), state=state)
    room.store(lambda: room.rooms.storage.set_seats(stored))
    room.stored = stored
    for connection in room.audience.connections:
        if connection.viewer == seat:
            connection.viewer, connection.role = SPECTATOR, "spectator"
    room.audience.send_state("join")
    room.wake()
