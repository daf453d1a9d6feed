"""Rooms in a database that several servers share: each room is played on at one of them.

Whoever plays on with a room is its keeper, for a tenure with a number. A write names that number
and does nothing when it is no longer the room's: however long a server was asleep, it cannot write
into a game that another has taken over. Which server may be followed is told by its lease, which it
renews while it lives. The lease decides when a room changes hands, the number that it is safe.

A write is one statement, and is waited for: what anybody hears of is committed. When a connection
breaks all rooms are taken out of memory, and read again.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sandtable.errors import SandtableError
from sandtable.server.shared.database import Database
from sandtable.server.storage import Elsewhere, RoomLost, StoredRoom, stored_room
from sandtable.server.summaries import CLASS

__all__ = ["LEASE_SECONDS", "Peer", "SharedStorage"]

LEASE_SECONDS = 6.0  # after the last sign of life of a server others go on with its rooms
OLD_SERVERS = "1 day"  # after which nobody asks any more when a server was last seen
LIVE = "SELECT server FROM servers WHERE expires_at > clock_timestamp()"
LEASE = "clock_timestamp(), clock_timestamp() + %(lease)s * interval '1 second'"
RENEW = f"""
UPDATE servers SET (renewed_at, expires_at) = ({LEASE})
WHERE server = %(us)s AND expires_at > clock_timestamp() RETURNING server
"""
# Others forget a server that was away for very long.
JOIN = f"""
INSERT INTO servers VALUES (%(us)s, %(mark)s, %(address)s, {LEASE})
ON CONFLICT (server) DO UPDATE SET (renewed_at, expires_at) = ({LEASE})
"""
COLUMNS = (
    "room, made_at, game, version, seed, start, branched, seats, owner, clock, listed, state, "
    "over, archived"
)
ADD_ROOM = f"""
INSERT INTO rooms ({COLUMNS}, acted_at, class, keeper, tenure, taken_at, served)
VALUES ({", ".join(["%s"] * 14)}, clock_timestamp(), %s, %s, 1, clock_timestamp(), 0)
"""
CHANGE = """
UPDATE rooms SET state = %s, over = %s, acted_at = clock_timestamp(), served = 0
WHERE room = %s AND tenure = %s RETURNING room
"""
ADD_ACTIONS = f"""
WITH kept AS ({CHANGE}), played AS (
    INSERT INTO actions SELECT kept.room, each.ply, each.action
    FROM kept, unnest(%s::integer[], %s::bigint[]) AS each(ply, action)
) SELECT room FROM kept
"""
CUT_ACTIONS = f"""
WITH kept AS ({CHANGE}), cut AS (
    DELETE FROM actions USING kept WHERE actions.room = kept.room AND ply >= %s
), unsaid AS (
    DELETE FROM transcripts USING kept WHERE transcripts.room = kept.room AND ply >= %s
) SELECT room FROM kept
"""
ADD_TRANSCRIPT = """
INSERT INTO transcripts SELECT room, %s, %s FROM rooms WHERE room = %s AND tenure = %s
ON CONFLICT (room, ply) DO UPDATE SET entries = excluded.entries
"""
KEEPER = """
SELECT keeper, address, expires_at > clock_timestamp(), class, served
FROM rooms LEFT JOIN servers ON server = keeper WHERE room = %s
"""
# Clocks run while a server lives that has the room: from the last change, or from when it took the
# room, to its last sign of life. That adds up until somebody writes what the clocks show.
TAKEN = """
UPDATE rooms SET keeper = %(us)s, tenure = tenure + 1, taken_at = clock_timestamp(),
    served = served + CASE WHEN keeper = %(us)s THEN 0 ELSE coalesce((
        SELECT greatest(extract(epoch FROM renewed_at - greatest(acted_at, taken_at)), 0)
        FROM servers WHERE server = rooms.keeper
    ), 0) END
"""
TAKE_ROOM = f"""
{TAKEN} WHERE room = %(room)s AND (keeper = %(us)s OR keeper NOT IN ({LIVE}))
RETURNING tenure, served
"""
TAKE_CLASS = f"""
UPDATE classes SET keeper = %(us)s, tenure = tenure + 1
WHERE class = %(class)s AND (keeper = %(us)s OR keeper NOT IN ({LIVE})) RETURNING tenure
"""
TAKE_ROOMS_OF_CLASS = f"{TAKEN} WHERE class = %(class)s RETURNING room, tenure, served"
ORPHANS = f"""
SELECT room FROM rooms WHERE (NOT over OR NOT archived)
AND NOT EXISTS (SELECT FROM classes WHERE classes.class = rooms.class AND NOT classes.over)
AND keeper <> %s AND keeper NOT IN ({LIVE}) ORDER BY random() LIMIT %s
"""
ORPHANED_CLASSES = f"""
SELECT class FROM classes WHERE NOT over AND keeper <> %s AND keeper NOT IN ({LIVE})
"""
# A server is known as long as something of its waits for another.
FORGET_SERVERS = f"""
DELETE FROM servers WHERE expires_at < clock_timestamp() - interval '{OLD_SERVERS}'
AND NOT EXISTS (SELECT FROM rooms WHERE keeper = server AND (NOT over OR NOT archived))
AND NOT EXISTS (SELECT FROM classes WHERE keeper = server AND NOT over)
"""
UNFINISHED_OF_CLASS = "SELECT room FROM rooms WHERE class = %s AND (NOT over OR NOT archived)"


@dataclass(frozen=True)
class Peer:
    """Another server, and where it is reached by the others."""

    server: str
    mark: str  # begins the names of its jobs
    address: str


class SharedStorage:
    """The rooms of several servers, as one of them sees them."""

    def __init__(self, url: str, lease: float = LEASE_SECONDS) -> None:
        self.database, self.beating = Database(url), Database(url)  # the lease has its own
        self.lease = lease
        self.address = ""
        self.us = secrets.token_urlsafe(9)
        self.mark = secrets.token_urlsafe(3)
        self.tenures: dict[str, int] = {}  # by room: the number under which it is ours
        self.class_tenures: dict[str, int] = {}
        self.served: dict[str, float] = {}  # by room: how long its former keepers went on with it
        self.taken_classes: set[str] = set()  # whose rooms have yet to be gone on with, all of them
        self.drop_everything: Callable[[], None] | None = None  # from memory, soon
        self.database.set_up()
        self.database.when_renewed = self.distrust

    def distrust(self) -> None:
        """Write into no room until it was read again: the database may have lost the last of it."""
        self.tenures.clear()
        self.class_tenures.clear()
        if self.drop_everything is not None:
            self.drop_everything()

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()
        self.beating.close()

    # --- the lease ----------------------------------------------------------------------------

    def join(self, address: str) -> None:
        """Come among the servers."""
        self.address = address
        self.database.rows(JOIN, self.card)
        self.database.rows(FORGET_SERVERS)

    @property
    def card(self) -> dict[str, Any]:
        """What the others are told of us."""
        return {"us": self.us, "mark": self.mark, "address": self.address, "lease": self.lease}

    def renew(self) -> bool:
        """Give a sign of life; False: the lease had run out. Another thread may call this."""
        if self.beating.rows(RENEW, self.card):
            return True
        self.beating.rows(JOIN, self.card)
        return False

    def leave(self) -> None:
        """Let others go on with our rooms at once."""
        end = (
            "UPDATE servers SET (renewed_at, expires_at) = (clock_timestamp(), clock_timestamp()) "
            "WHERE server = %s"
        )
        self.database.rows(end, (self.us,))

    def peers(self) -> list[Peer]:
        """Return the other servers that live."""
        query = f"SELECT server, mark, address FROM servers WHERE server IN ({LIVE})"
        return [Peer(*row) for row in self.database.rows(query) if row[0] != self.us]

    def orphans(self, most: int) -> list[str]:
        """Return rooms that have to go on, and whose keeper is gone."""
        return [room for (room,) in self.database.rows(ORPHANS, (self.us, most))]

    def orphaned_classes(self) -> list[str]:
        """Return tournaments that are not over, and whose keeper is gone."""
        return [name for (name,) in self.database.rows(ORPHANED_CLASSES, (self.us,))]

    def unfinished_of(self, class_name: str) -> list[str]:
        """Return the rooms of a tournament with which its keeper has to go on."""
        return [room for (room,) in self.database.rows(UNFINISHED_OF_CLASS, (class_name,))]

    def still_ours(self) -> set[str]:
        """Return the rooms and tournaments that nobody else has taken since we did."""
        query = "SELECT room, tenure FROM rooms WHERE keeper = %s"
        of_classes = "SELECT class, tenure FROM classes WHERE keeper = %s"
        found = {r for r, tenure in self.database.rows(query, (self.us,))
                 if self.tenures.get(r) == tenure}  # fmt: skip
        classes = self.database.rows(of_classes, (self.us,))
        return found | {c for c, tenure in classes if self.class_tenures.get(c) == tenure}

    def keeper_of(self, room: str) -> Peer | None:
        """Return the server that has a room now, if it is another one that lives."""
        found = self.database.rows(KEEPER, (room,))
        if not found or found[0][0] == self.us or not found[0][2]:
            return None
        return Peer(found[0][0], "", found[0][1])

    def keepers(self, rooms: Sequence[str]) -> dict[str, list[str]]:
        """Return rooms by the address of the server that has them; by '': those of nobody else.

        Finished rooms are nobody's: everybody can tell of them.
        """
        query = (
            "SELECT room, address FROM rooms JOIN servers ON server = keeper WHERE room = ANY(%s) "
            "AND NOT over AND server <> %s AND expires_at > clock_timestamp()"
        )
        elsewhere = dict(self.database.rows(query, (list(rooms), self.us)))
        found: dict[str, list[str]] = {}
        for room in rooms:
            found.setdefault(elsewhere.get(room, ""), []).append(room)
        return found

    def keeper_of_class(self, name: str) -> Peer | None:
        """Return the server that looks after a tournament, if it is another one that lives."""
        query = (
            "SELECT server, mark, address FROM classes JOIN servers ON server = keeper "
            "WHERE class = %s AND server <> %s AND expires_at > clock_timestamp()"
        )
        found = self.database.rows(query, (name, self.us))
        return Peer(*found[0]) if found else None

    # --- rooms --------------------------------------------------------------------------------

    def take_room(self, room: str) -> tuple[StoredRoom, list[int]] | None:
        """Return a room with its actions, to be played on here; raises Elsewhere."""
        found = self.database.rows(KEEPER, (room,))
        if not found:
            return None
        keeper, _, _, class_name, served = found[0]
        if keeper != self.us and class_name is not None:
            self.class_tenures.pop(class_name, None)
            self.take_class(class_name)
            served = self.served[room]
        elif keeper != self.us or room not in self.tenures:
            taken = self.database.rows(TAKE_ROOM, {"us": self.us, "room": room})
            if not taken:
                raise Elsewhere("this game goes on at another server")
            self.tenures[room], served = taken[0]
        self.served[room] = served
        return self.get_room(room)  # read after it is ours: nobody else adds to it any more

    def take_class(self, name: str) -> None:
        """Take a tournament over with all its rooms, if it is not ours; raises Elsewhere."""
        if name in self.class_tenures:
            return
        with self.database.writing():
            taken = self.database.execute(TAKE_CLASS, {"us": self.us, "class": name})
            if not taken:
                raise Elsewhere("this class is looked after by another server")
            rooms = self.database.execute(TAKE_ROOMS_OF_CLASS, {"us": self.us, "class": name})
        self.class_tenures[name] = taken[0][0]
        self.tenures.update({room: tenure for room, tenure, _ in rooms})
        self.served.update({room: served for room, _, served in rooms})
        self.taken_classes.add(name)

    def let_go(self, room: str) -> None:
        """Write nothing into a room until it was taken again."""
        self.tenures.pop(room, None)

    def forget_class(self, name: str) -> None:
        """Forget that a tournament is ours."""
        self.class_tenures.pop(name, None)

    def seconds_served(self, room: str) -> float:
        """Return how long another server let a taken room go on after its last change."""
        return self.served.pop(room, 0.0)

    def get_room(self, room: str) -> tuple[StoredRoom, list[int]] | None:
        """Return a room with its actions."""
        found = self.database.rows(f"SELECT {COLUMNS} FROM rooms WHERE room = %s", (room,))
        if not found:
            return None
        query = "SELECT action FROM actions WHERE room = %s ORDER BY ply"
        actions = [action for (action,) in self.database.rows(query, (room,))]
        return stored_room(found[0]), actions

    def finished_room(self, room: str) -> tuple[StoredRoom, int] | None:
        """Return a room whose game is over, and how many actions it had."""
        query = f"SELECT {COLUMNS} FROM rooms WHERE room = %s AND over"
        found = self.database.rows(query, (room,))
        if not found:
            return None
        count = self.database.rows("SELECT count(*) FROM actions WHERE room = %s", (room,))
        return stored_room(found[0]), int(count[0][0])

    def open_rooms(self) -> list[str]:
        """Return none: a server that starts takes those whose keeper is gone, one by one."""
        return []

    def listed_rooms(self, most: int) -> list[str]:
        """Return the newest rooms that may be listed, whoever has them."""
        query = "SELECT room FROM rooms WHERE listed ORDER BY made_at DESC LIMIT %s"
        return [room for (room,) in self.database.rows(query, (most,))]

    def add_room(self, room: StoredRoom, instead: tuple[str, dict[str, Any]] | None = None) -> None:
        """Keep a new room, and with it what changes in a finished one that it follows."""
        with self.database.writing():
            self.insert_room(room)
            if instead is not None:
                self.change(CHANGE, *instead, True)
        self.tenures[room.room] = 1

    def insert_room(self, room: StoredRoom) -> None:
        """Write a new room, in whatever else is written with it."""
        row = (
            room.room,
            room.made_at,
            room.game,
            room.version,
            room.seed,
            room.start,
            room.branched,
            json.dumps([seat.as_data() for seat in room.seats]),
            room.owner,
            json.dumps(room.clock),
            room.listed,
            json.dumps(room.state),
            room.over,
            room.archived,
            room.state.get(CLASS),
            self.us,
        )
        self.database.execute(ADD_ROOM, row)

    def change(self, query: str, room: str, state: dict[str, Any], over: bool, *more: Any) -> None:
        """Write into a room of ours, or raise RoomLost: it is not ours any more."""
        with self.database.clear_errors(RoomLost):
            self.database.connection()  # a new one makes us forget what is ours
            values = (json.dumps(state), over, room, self.tenures.get(room, 0), *more)
            kept = self.database.execute(query, values)
        if not kept:
            raise RoomLost("the game goes on at another server; it is shown in a moment")

    def set_seats(self, room: StoredRoom) -> None:
        """Keep who sits where from now on."""
        seats = json.dumps([seat.as_data() for seat in room.seats])
        with self.database.writing():
            self.change(CHANGE, room.room, room.state, False)
            self.database.execute("UPDATE rooms SET seats = %s WHERE room = %s", (seats, room.room))

    def add_actions(
        self, room: str, first_ply: int, actions: Sequence[int], state: dict[str, Any], over: bool
    ) -> None:
        """Keep actions that follow those before, and what changed with them."""
        plies = list(range(first_ply, first_ply + len(actions)))
        self.change(ADD_ACTIONS, room, state, over, plies, [int(each) for each in actions])

    def cut_actions(self, room: str, ply: int, state: dict[str, Any]) -> None:
        """Forget the actions after this ply."""
        self.change(CUT_ACTIONS, room, state, False, ply, ply)

    def set_state(self, room: str, state: dict[str, Any], over: bool) -> None:
        """Keep what changed without an action."""
        self.change(CHANGE, room, state, over)

    def set_archived(self, room: str) -> None:
        """Note that the record of a finished game is in the archive, whoever put it there."""
        self.database.rows("UPDATE rooms SET archived = true WHERE room = %s AND over", (room,))

    def add_transcript(self, room: str, ply: int, entries: Sequence[Mapping[str, Any]]) -> None:
        """Keep what a program said about its decision after so many actions."""
        text = json.dumps(list(entries))
        self.database.rows(ADD_TRANSCRIPT, (ply, text, room, self.tenures.get(room, 0)))

    def transcript(self, room: str) -> list[dict[str, Any]]:
        """Return all that programs said in a room, in its order."""
        query = "SELECT entries FROM transcripts WHERE room = %s ORDER BY ply"
        rows = self.database.rows(query, (room,))
        return [entry for (entries,) in rows for entry in json.loads(entries)]

    def forget_old_rooms(self, days: float) -> int:
        """Forget rooms whose games are over and archived, and in which nothing happened for long.

        The time is the database's, the same for all servers.
        """
        query = (
            "DELETE FROM rooms WHERE over AND archived "
            "AND acted_at < clock_timestamp() - %s * interval '1 day' RETURNING room"
        )
        with self.database.writing(SandtableError):
            forgotten = [room for (room,) in self.database.execute(query, (days,))]
            for table in ("actions", "transcripts"):
                self.database.execute(f"DELETE FROM {table} WHERE room = ANY(%s)", (forgotten,))
        for room in forgotten:
            self.tenures.pop(room, None)
        return len(forgotten)

    # --- texts that games save ----------------------------------------------------------------

    def saved_texts(self, shelf: str) -> dict[str, str]:
        """Return the texts of a shelf by their names."""
        query = "SELECT name, text FROM texts WHERE shelf = %s ORDER BY name"
        return dict(self.database.rows(query, (shelf,)))

    def save_text(self, shelf: str, name: str, text: str) -> None:
        """Save a text under a name."""
        query = (
            "INSERT INTO texts VALUES (%s, %s, %s) "
            "ON CONFLICT (shelf, name) DO UPDATE SET text = excluded.text"
        )
        self.database.rows(query, (shelf, name, text))

    def delete_text(self, shelf: str, name: str) -> bool:
        """Forget a saved text; say whether there was one."""
        query = "DELETE FROM texts WHERE shelf = %s AND name = %s RETURNING name"
        return bool(self.database.rows(query, (shelf, name)))

    # --- tournaments, whose rooms have the same keeper -----------------------------------------

    def save_class(
        self, name: str, made_at: float, over: bool, data: str, rooms: Iterable[StoredRoom]
    ) -> None:
        """Keep a tournament as it is now, with the rooms that begin with it."""
        new = list(rooms)
        with self.database.writing(SandtableError):
            known = self.class_tenures.get(name)
            if known is None:
                query = "INSERT INTO classes VALUES (%s, %s, %s, %s, %s, 1)"
                self.database.execute(query, (name, made_at, over, data, self.us))
            else:
                query = (
                    "UPDATE classes SET over = %s, data = %s WHERE class = %s AND tenure = %s "
                    "RETURNING class"
                )
                if not self.database.execute(query, (over, data, name, known)):
                    raise Elsewhere("this class is looked after by another server now")
            for room in new:
                self.insert_room(room)
        self.class_tenures.setdefault(name, 1)
        self.tenures.update({room.room: 1 for room in new})

    def class_rows(self, name: str | None = None) -> list[tuple[Any, ...]]:
        """Return the tournaments of all servers as they are kept, or one of them."""
        query = "SELECT class, data FROM classes"
        if name is not None:
            return self.database.rows(f"{query} WHERE class = %s", (name,))
        return self.database.rows(f"{query} ORDER BY made_at DESC")
