"""One room: a game, who sits where, who watches, and what each of them may do.

Everything here runs in the event loop and is over before anything else happens, except thinking.
What is played is first stored, then told.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sandtable.errors import IllegalAction, SandtableError
from sandtable.records.record import Record
from sandtable.server.broadcast import Broadcast, outcome_data
from sandtable.server.clocks import Clocks
from sandtable.server.connections import Audience, Connection, Refused
from sandtable.server.programs import Programs
from sandtable.server.storage import StoredRoom
from sandtable.server.summaries import NUMBER, archive_id, facts_of, status_of
from sandtable.server.table import Table
from sandtable.types import Game, Outcome

if TYPE_CHECKING:
    from sandtable.server.rooms import Rooms

__all__ = ["Rematching", "Room"]


@dataclass
class Rematching:
    """Who wants another game, and where it is once all do."""

    offered: set[int] = field(default_factory=set)
    room: str | None = None
    tokens: list[str | None] = field(default_factory=list)


class Room:
    """A game with its seats and viewers."""

    def __init__(
        self, rooms: Rooms, stored: StoredRoom, game: Game, actions: Sequence[int]
    ) -> None:
        self.rooms, self.stored, self.game = rooms, stored, game
        self.table = Table(game, stored.seed, start=stored.start)
        for action in actions:
            self.table.play(action)
        state = stored.state
        self.clocks = Clocks(stored.clock, len(game.seats), state.get("clocks"))
        self.pace: float = state.get("pace", 0.0)
        self.paused: bool = state.get("paused", False)
        self.takebacks: int = state.get("takebacks", 0)
        self.stopped: bool = state.get("stopped", False)
        self.outcome = self.stored_outcome(state.get("outcome"))
        again = state.get("rematch", {})
        self.rematch = Rematching(set(again.get("offered", [])), again.get("room"))
        self.rematch.tokens = again.get("tokens", [])
        self.archived = stored.archived
        self.audience = Audience(self)
        self.joined: set[int] = set(range(len(game.seats))) if actions else set()
        self.broadcast = Broadcast(self)
        self.programs = Programs(self)
        self.timer: asyncio.TimerHandle | None = None
        self.used_at = asyncio.get_running_loop().time()

    def stored_outcome(self, data: dict[str, Any] | None) -> Outcome | None:
        """Return the outcome as it was kept, or by the rules."""
        if data is not None:
            return Outcome(tuple(data["scores"]), data["reason"], data["forfeited_by"])
        return self.table.outcome

    # --- facts ----------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Nothing can be played any more."""
        return self.stopped or self.outcome is not None

    @property
    def archive_id(self) -> str | None:
        """The name of the finished game in the archive."""
        return archive_id(self.stored) if self.over else None

    def is_person(self, seat: int) -> bool:
        """Say whether a person holds a seat."""
        return self.stored.seats[seat].agent is None

    def alone(self, seat: int) -> bool:
        """Say whether all others are programs."""
        return not any(self.is_person(each) for each in range(len(self.game.seats)) if each != seat)

    def status(self) -> str:
        """Say in a few words how things stand."""
        return status_of(self.game, outcome_data(self.outcome), self.stopped, self.table.turn)

    def facts(self) -> dict[str, Any]:
        """Return what does not change."""
        return facts_of(self.stored, self.game)

    def allowed(self, viewer: int) -> dict[str, bool]:
        """Return what a viewer can do now."""
        seat, live = viewer >= 0, not self.over
        back = seat and live and self.alone(viewer) and self.table.turn_start(viewer) is not None
        return {
            "play": seat and live and self.table.turn == viewer,
            "undo_action": seat and live and self.table.can_undo_action(viewer),
            "undo_turn": back,
            "resign": seat and live,
            "rematch": seat and self.over and self.rematch.room is None,
            "hint": seat and live and self.alone(viewer) and self.table.turn == viewer,
        }

    def kept_state(self) -> dict[str, Any]:
        """Return what changes, as it is kept."""
        again = self.rematch
        return {
            "clocks": self.clocks.stored(),
            "pace": self.pace,
            "paused": self.paused,
            "takebacks": self.takebacks,
            "stopped": self.stopped,
            "outcome": outcome_data(self.outcome),
            "rematch": {
                "offered": sorted(again.offered),
                "room": again.room,
                "tokens": again.tokens,
            },
        }

    def record(self) -> Record:
        """Return the game as a record."""
        notes: dict[str, Any] = {"names": [held.agent or held.name for held in self.stored.seats]}
        if self.takebacks:
            notes["takebacks"] = self.takebacks
        if self.stored.branched:
            notes["branched_from"] = self.stored.branched
        return Record(
            game=self.game.spec,
            version=self.game.version,
            seats=tuple(held.agent or "human" for held in self.stored.seats),
            seed=self.stored.seed,
            number=NUMBER,
            actions=tuple(self.table.actions),
            outcome=self.outcome,
            final=self.game.notation.position_line(self.table.positions[-1]),
            start=self.stored.start,
            annotations={"web": notes},
        )

    # --- who is there ---------------------------------------------------------------------------

    def role_of(self, token: str | None) -> tuple[int, str] | None:
        """Return viewer and role that a token gives, or None for a wrong one."""
        if token is None:
            return -1, "spectator"
        found: tuple[int, str] | None = None
        for seat, held in enumerate(self.stored.seats):  # all are compared, in constant time
            if held.token is not None and same(held.token, token):
                found = seat, "seat"
        return (-1, "owner") if same(self.stored.owner, token) else found

    def join(self, connection: Connection, token: str | None) -> bool:
        """Let a client in, and tell it everything it may know; False: the token is wrong."""
        found = self.role_of(token)
        if found is None:
            return False
        connection.viewer, connection.role = found
        self.audience.enter(connection)
        self.used()
        state = self.broadcast.state(connection.viewer, connection.role, "join")
        connection.send_text(state)
        if connection.viewer >= 0 and connection.viewer not in self.joined:
            self.joined.add(connection.viewer)
            self.wake()
        return True

    def leave(self, connection: Connection) -> None:
        """Let a client go."""
        self.audience.leave(connection)
        self.used()

    def used(self) -> None:
        """Note that somebody was here."""
        self.used_at = asyncio.get_running_loop().time()

    # --- playing --------------------------------------------------------------------------------

    def play(self, seat: int, actions: Sequence[int]) -> None:
        """Play legal actions of a seat, all or none; store them, then tell them."""
        self.used()
        first = self.table.ply
        try:
            for action in actions:
                if self.table.turn != seat:
                    raise Refused("turn", "the turn ended before the last of these actions")
                self.table.play(action)
        except (IllegalAction, Refused):
            self.table.cut(first)
            raise
        self.clocks.charge()
        if self.table.turn != seat or self.table.turn_ended(self.table.ply):
            self.clocks.add_increment(seat)
        self.outcome = self.table.outcome
        self.store_actions(first, seat)
        if self.outcome is not None:  # the last steps are told as they were seen
            outcome, self.outcome = self.outcome, None
            steps = {
                each: self.broadcast.steps(each, first + 1) for each in self.audience.viewers()
            }
            self.outcome = outcome
            self.audience.send(lambda viewer: steps[viewer])
            self.end()
            return
        self.audience.send(lambda viewer: self.broadcast.steps(viewer, first + 1))
        self.wake()

    def store_actions(self, first: int, seat: int) -> None:
        """Keep what was played before anybody hears of it; if that fails nothing was played."""
        added = self.table.actions[first:]
        try:
            self.rooms.storage.add_actions(
                self.stored.room, first, added, self.kept_state(), self.over
            )
        except SandtableError:
            self.table.cut(first)
            self.outcome = None
            raise

    def undo(self, seat: int, scope: str) -> None:
        """Take back an action of the open turn, or the last turn of a seat."""
        if scope == "action":
            if not self.table.can_undo_action(seat):
                raise Refused("not_allowed", "there is no action of an open turn to take back")
            target: int | None = self.table.ply - 1
        else:
            if not self.alone(seat):
                raise Refused(
                    "not_allowed", "turns are taken back only when all others are programs"
                )
            target = self.table.turn_start(seat)
            if target is None:
                raise Refused("not_allowed", "you have not played yet")
            self.takebacks += 1
        assert target is not None
        self.clocks.charge()
        self.rooms.storage.cut_actions(self.stored.room, target, self.kept_state())
        self.programs.interrupt()
        self.table.cut(target)
        self.broadcast.cut(target)
        self.audience.send_state("undo")
        self.wake()

    def forfeit(self, seat: int, reason: str) -> None:
        """End the game because a seat gives up or cannot go on."""
        self.clocks.charge()
        self.outcome = Outcome.forfeit(self.game, seat, reason)
        self.rooms.storage.set_state(self.stored.room, self.kept_state(), True)
        self.end()

    def break_off(self) -> None:
        """End the game without a result."""
        self.clocks.charge()
        self.stopped = True
        self.rooms.storage.set_state(self.stored.room, self.kept_state(), True)
        self.end()

    def end(self) -> None:
        """Show everything, and keep the record."""
        self.programs.interrupt()
        self.programs.forget()
        self.clocks.run(None)
        self.set_timer()
        self.broadcast.reveal()
        self.audience.send_state("end")
        self.rooms.keep_record(self)

    def set_pace(self, paused: bool | None, seconds: float | None) -> None:
        """Change how fast programs play."""
        self.paused = self.paused if paused is None else paused
        self.pace = self.pace if seconds is None else seconds
        self.rooms.storage.set_state(self.stored.room, self.kept_state(), self.over)
        self.audience.send_state("join")
        self.wake()

    def wake(self) -> None:
        """Let whoever is to act do so: start its clock, or its program."""
        if self.over:
            return
        seat = self.table.turn
        persons = {each for each in range(len(self.game.seats)) if self.is_person(each)}
        begun = persons <= self.joined and not (self.paused and not self.is_person(seat))
        self.clocks.run(seat if begun else None)
        self.set_timer()
        self.programs.wake()

    def set_timer(self) -> None:
        """Have the flag fall when the clock that runs is at its end."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        seat = self.clocks.running
        left = None if seat is None else self.clocks.seconds(seat)
        if left is not None:
            loop = asyncio.get_running_loop()
            self.timer = loop.call_later(left + 0.01, self.flag_fell)

    def flag_fell(self) -> None:
        """Somebody's time is up."""
        seat = self.clocks.running
        if self.over or seat is None:
            return
        if (self.clocks.seconds(seat) or 0.0) > 0.0:
            self.set_timer()
            return
        self.forfeit(seat, f"{self.game.seats[seat]} forfeits: its time is up")

    def close(self) -> None:
        """Stop whatever goes on, without a word; the room is kept in storage."""
        self.programs.interrupt()
        if self.timer is not None:
            self.timer.cancel()


def same(secret: str, given: str) -> bool:
    """Compare two secrets in a time that does not depend on where they differ."""
    return hmac.compare_digest(secret.encode(), given.encode("utf-8", "surrogatepass"))
