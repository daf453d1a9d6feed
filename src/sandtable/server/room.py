"""One room: a game, who sits where, who watches, and what each of them may do.

Everything here runs in the event loop and is over before anything else happens, except thinking.
Whatever changes is first stored, then true, then told: a change that cannot be stored (the disk is
full) has not happened. The room then stands still, clocks and programs too, until there is room.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sandtable.errors import IllegalAction, SandtableError
from sandtable.records.record import Record
from sandtable.records.transcripts import KEY as TRANSCRIPT
from sandtable.records.transcripts import transcript_data
from sandtable.server.broadcast import Broadcast, outcome_data
from sandtable.server.clocks import Clocks
from sandtable.server.connections import Audience, Connection, Refused
from sandtable.server.draws import DrawOffers
from sandtable.server.programs import Programs
from sandtable.server.storage import RoomLost, StoredRoom
from sandtable.server.summaries import (
    CLASS,
    NAMES,
    NUMBER,
    OPEN,
    archive_id,
    facts_of,
    seat_names,
    status_of,
)
from sandtable.server.table import Table
from sandtable.types import OVER, Game, Outcome

if TYPE_CHECKING:
    from sandtable.server.rooms import Rooms

__all__ = ["Rematching", "Room"]

RETRY_SECONDS = 2.0  # between looks whether there is room on the disk again
SPARE_SECONDS = 10.0  # that a clock keeps when another server takes the room over


@dataclass
class Rematching:
    """Who wants another game, and where it is once all do."""

    offered: set[int] = field(default_factory=set)
    room: str | None = None
    tokens: list[str | None] = field(default_factory=list)

    def as_data(self) -> dict[str, Any]:
        """Return it as it is kept."""
        return {"offered": sorted(self.offered), "room": self.room, "tokens": self.tokens}


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
        self.draws = DrawOffers.from_data(state.get("draws", []))
        self.archived = stored.archived
        self.audience = Audience(self)
        self.joined: set[int] = set(range(len(game.seats))) if actions else set()
        self.broadcast = Broadcast(self)
        self.programs = Programs(self)
        self.timer: asyncio.TimerHandle | None = None
        self.stalled: asyncio.TimerHandle | None = None  # nothing can be stored; the next look
        self.gone = False  # it goes on elsewhere, or is loaded anew: nothing happens here any more
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

    @property
    def of_class(self) -> str | None:
        """The class of whose tournament this is a game."""
        found: str | None = self.stored.state.get(CLASS)
        return found

    def is_person(self, seat: int) -> bool:
        """Say whether a person holds a seat."""
        return self.stored.seats[seat].agent is None

    def alone(self, seat: int) -> bool:
        """Say whether all others are programs and it is no tournament: then help is fair."""
        others = (each for each in range(len(self.game.seats)) if each != seat)
        return self.of_class is None and not any(map(self.is_person, others))

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
            "rematch": seat and self.over and self.rematch.room is None and not self.of_class,
            "hint": seat and live and self.alone(viewer) and self.table.turn == viewer,
            "hurry": seat and live and self.alone(viewer) and self.can_hurry(),
        }

    def can_hurry(self) -> bool:
        """Say whether the program that is to act can be asked to move now."""
        turn = self.table.turn
        return turn != OVER and not self.paused and self.programs.can_hurry(turn)

    def kept_state(self, **changes: Any) -> dict[str, Any]:
        """Return what changes, as it is kept, with what is to change now."""
        return {
            NAMES: self.stored.state.get(NAMES, {}),
            OPEN: self.stored.state.get(OPEN, []),
            **({CLASS: self.of_class} if self.of_class else {}),
            "clocks": self.clocks.stored(),
            "pace": self.pace,
            "paused": self.paused,
            "takebacks": self.takebacks,
            "stopped": self.stopped,
            "outcome": outcome_data(self.outcome),
            "rematch": self.rematch.as_data(),
            "draws": self.draws.as_data(),
            **changes,
        }

    def record(self) -> Record:
        """Return the game as a record."""
        notes: dict[str, Any] = {
            "names": [
                held.agent or name
                for held, name in zip(self.stored.seats, seat_names(self.stored), strict=True)
            ]
        }
        if self.stored.listed:
            notes["listed"] = True  # everybody may find it in the archive
        if self.takebacks:
            notes["takebacks"] = self.takebacks
        if self.draws.said:
            notes["draws"] = self.draws.as_data()  # after how many actions who said what
        if self.of_class:
            notes["class"] = self.of_class
        if self.stored.branched:
            notes["branched_from"] = self.stored.branched
        annotations: dict[str, Any] = {"web": notes}
        said = self.rooms.storage.transcript(self.stored.room) if self.over else []
        if said:  # what programs said is read when nothing is hidden any more
            annotations[TRANSCRIPT] = transcript_data(said)
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
            annotations=annotations,
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
            if self.clocks.running is not None:  # everybody is there now: all see them run
                self.audience.send_state("join")
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
        turn_over = self.table.turn != seat or self.table.turn_ended(self.table.ply)
        outcome = self.table.outcome
        try:
            self.store_actions(first, outcome, seat if turn_over else None, seat)
        except BaseException:
            self.table.cut(first)
            raise
        if outcome is not None:  # the last steps are told as they were seen
            steps = {
                each: self.broadcast.steps(each, first + 1) for each in self.audience.viewers()
            }
            self.outcome = outcome
            self.audience.send(lambda viewer: steps[viewer])
            self.end()
            return
        self.audience.send(lambda viewer: self.broadcast.steps(viewer, first + 1))
        self.wake()

    def store_actions(
        self, first: int, outcome: Outcome | None, increment: int | None, seat: int
    ) -> None:
        """Keep what a seat played, with the time that one gets for its turn."""
        self.clocks.charge()
        clocks = self.clocks.stored(increment)
        draws = self.draws.after_move(first, seat)
        state = self.kept_state(clocks=clocks, outcome=outcome_data(outcome), draws=draws.as_data())
        added = self.table.actions[first:]
        self.store(
            lambda: self.rooms.storage.add_actions(
                self.stored.room, first, added, state, outcome is not None
            )
        )
        self.draws = draws
        if increment is not None:
            self.clocks.add_increment(increment)

    def undo(self, seat: int, scope: str) -> None:
        """Take back an action of the open turn, or the last turn of a seat."""
        takebacks = self.takebacks
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
            takebacks += 1
        assert target is not None
        self.clocks.charge()
        state = self.kept_state(takebacks=takebacks)
        self.store(lambda: self.rooms.storage.cut_actions(self.stored.room, target, state))
        self.takebacks = takebacks
        self.programs.interrupt()
        self.table.cut(target)
        self.broadcast.cut(target)
        self.audience.send_state("undo")
        self.wake()

    def forfeit(self, seat: int, reason: str) -> None:
        """End the game because a seat gives up or cannot go on."""
        outcome = Outcome.forfeit(self.game, seat, reason)
        self.store_state(over=True, outcome=outcome_data(outcome))
        self.outcome = outcome
        self.end()

    def break_off(self) -> None:
        """End the game without a result."""
        self.store_state(over=True, stopped=True)
        self.stopped = True
        self.end()

    # --- what must be stored before it is true --------------------------------------------------

    def store_state(self, *, over: bool, **changes: Any) -> None:
        """Keep what is to change without an action."""
        self.clocks.charge()
        state = self.kept_state(**changes)
        self.store(lambda: self.rooms.storage.set_state(self.stored.room, state, over))

    def store(self, write: Callable[[], None]) -> None:
        """Write; if that cannot be, the room stands still until it can, and nothing has changed."""
        if self.gone:
            raise RoomLost("the game goes on at another server; it is shown in a moment")
        try:
            write()
        except RoomLost:
            self.rooms.lose(self)
            raise
        except SandtableError:
            self.stall()
            raise
        if self.stalled is not None:
            self.stalled.cancel()
            self.stalled = None
            asyncio.get_running_loop().call_soon(self.wake)  # once what was stored is also true

    def stall(self) -> None:
        """Let nothing happen by itself, and look again in a moment whether it can be stored."""
        if self.over:
            return
        self.clocks.run(None)
        self.set_timer()
        if self.stalled is not None:
            self.stalled.cancel()
        self.stalled = asyncio.get_running_loop().call_later(RETRY_SECONDS, self.recover)

    def recover(self) -> None:
        """Go on if there is room for it."""
        with suppress(SandtableError):
            self.store_state(over=self.over)
            self.wake()

    def end(self) -> None:
        """Show everything, and keep the record."""
        self.programs.interrupt()
        self.programs.forget()
        self.clocks.run(None)
        self.set_timer()
        self.broadcast.reveal()
        self.audience.send_state("end")
        self.rooms.note_end(self)

    def set_pace(self, paused: bool | None, seconds: float | None) -> None:
        """Change how fast programs play."""
        new_paused = self.paused if paused is None else paused
        new_pace = self.pace if seconds is None else seconds
        self.store_state(over=self.over, paused=new_paused, pace=new_pace)
        self.paused, self.pace = new_paused, new_pace
        self.audience.send_state("join")
        self.wake()

    def wake(self) -> None:
        """Let whoever is to act do so: start its clock, or its program."""
        if self.over or self.gone or self.stalled is not None:
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
        with suppress(SandtableError):  # the clock stands at zero: it falls when it can be stored
            self.forfeit(seat, f"{self.game.seats[seat]} forfeits: its time is up")

    def take_off(self, seconds: float) -> None:
        """Take off what a clock ran at another server after the last change; a little is left.

        The time in which nobody had the room is nobody's.
        """
        if self.clocks.left is None or self.over or self.paused or not self.table.ply:
            return
        left = self.clocks.left[self.table.turn]
        self.clocks.left[self.table.turn] = max(left - seconds, min(left, SPARE_SECONDS))

    def give_up(self) -> None:
        """Stop for good: whoever looks at it is asked to come again."""
        self.gone = True
        self.close()
        for connection in list(self.audience.connections):
            connection.dismiss()

    def close(self) -> None:
        """Stop whatever goes on, without a word; the room is kept in storage."""
        self.programs.interrupt()
        for timer in (self.timer, self.stalled):
            if timer is not None:
                timer.cancel()


def same(secret: str, given: str) -> bool:
    """Compare two secrets in a time that does not depend on where they differ."""
    return hmac.compare_digest(secret.encode(), given.encode("utf-8", "surrogatepass"))
