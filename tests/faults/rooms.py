"""Rooms, step by step: every kind of change of what is kept of them.

People sit at one, a person and a program at another; of two more the flag falls in one and the
other is stopped; in the last a draw is agreed. A step that is refused has changed nothing, and
nobody has heard of it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from faults.disk import Disk
from faults.scenarios import STEPS, Scenario, attempt, with_errors_told
from sandtable.errors import SandtableError
from sandtable.records.archive import Archive
from sandtable.registry import make_game
from sandtable.server.classes.storage import ClassStorage
from sandtable.server.classes.tournament import ClassTournament
from sandtable.server.connections import Connection
from sandtable.server.draws import answer_draw
from sandtable.server.guests import claim
from sandtable.server.room import Room
from sandtable.server.rooms import Rooms
from sandtable.server.settings import Settings
from sandtable.server.storage import Storage, StoredRoom, StoredSeat
from sandtable.server.summaries import NAMES, OPEN

STRATEGO = "stratego:variant=barrage"
SKIRMISH = "skirmish:max_turns=4"
LUCID = "lucid"  # several actions are one turn: one of them can be taken back
PEOPLE, PROGRAM, FLAG, STOPPED, DRAWN = (f"a-room-here-{number}" for number in range(1, 6))
NONSENSE = 10**6  # no action of any game

Step = tuple[str, Callable[[], Awaitable[None] | None]]


class Answers:
    """Stands for the processes of programs: each answers with its first legal action."""

    most = 4  # workers, as far as hints want to know

    def __init__(self) -> None:
        self.rooms: Rooms | None = None
        self.nonsense = False

    def knows(self, name: str) -> bool:
        return True

    def forget(self, prefix: str) -> None:
        pass

    async def ask(self, request: dict[str, Any], **more: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        assert self.rooms is not None
        room = self.rooms.open[request["key"].partition("/")[0]]
        legal = room.table.legal_actions(request["seat"])
        action = NONSENSE if self.nonsense else legal[0]["action"]
        return {"dice": request["dice"], "actions": [action]}


def new_room(
    game: str, agents: tuple[str | None, ...], minutes: float | None, name: str = PEOPLE
) -> StoredRoom:
    made = make_game(game)
    seats = tuple(
        StoredSeat(seat, agent, None if agent else f"token-{seat}")
        for seat, agent in zip(made.seats, agents, strict=True)
    )
    return StoredRoom(
        room=name, made_at=0.0, game=made.spec, version=made.version, seed=5,
        start=None, branched=None, seats=seats, owner="owner",
        clock=None if minutes is None else (minutes, 1.0), listed=True, state={}, over=False,
        archived=False,
    )  # fmt: skip


class OneRoom:
    """A server's rooms with one of them, and somebody who only watches."""

    def __init__(self, disk: Disk, stored: StoredRoom) -> None:
        self.disk, self.answers = disk, Answers()
        self.storage = Storage(disk.folder)
        try:
            self.archive = Archive.open(disk.folder / "archive.db")
            pool: Any = self.answers
            settings = Settings(disk.folder, disk.folder / "archive.db", disk.folder / "runs")
            self.rooms = self.answers.rooms = Rooms(settings, self.storage, self.archive, pool)
            self.begin(stored)
        except SandtableError:
            self.storage.close()
            raise

    def begin(self, stored: StoredRoom) -> None:
        """Make a room, which is the one of the steps that follow."""
        self.room = self.rooms.open_new(stored, make_game(stored.game))
        self.watching = Connection()
        self.room.join(self.watching, None)
        self.messages()

    def messages(self) -> list[dict[str, Any]]:
        """Return what the one who watches has been told since the last time."""
        queue, found = self.watching.outgoing, []
        while not queue.empty():
            found.append(json.loads(queue.get_nowait() or "{}"))
        return found

    def facts(self) -> tuple[Any, ...]:
        """Return all that can change; how far a clock has run is no change that is refused."""
        room = self.room
        state = json.dumps(room.kept_state(clocks=None), sort_keys=True)
        return room.table.ply, room.over, room.stored.seats, state

    async def step(self, name: str, do: Callable[[], Awaitable[None] | None]) -> None:
        """Take a step; one that is refused has changed nothing and shown nothing."""
        room, before = self.room, self.facts()
        self.messages()
        problems: list[SandtableError] = []
        try:
            waiting = do()
            if waiting is not None:
                await waiting
        except SandtableError as problem:
            problems.append(problem)

        def told() -> None:
            for problem in problems:
                raise problem

        if attempt(self.disk, name, told):
            return
        assert self.facts() == before
        assert self.messages() == []
        assert room.broadcast.kind(-1) == room.table.kind_of_viewer(-1, before[1])
        assert room.over or room.stalled is not None

    async def archived(self) -> None:
        while self.rooms.archiving:
            await asyncio.sleep(0.001)

    async def close(self) -> None:
        self.disk.mend()
        await self.archived()
        await self.rooms.close()
        self.storage.close()
        self.archive.close()


def play(room: Room) -> None:
    seat = room.table.turn
    room.play(seat, [room.table.legal_actions(seat)[0]["action"]])


def need_stored(room: Room) -> None:
    """What nobody waits for is refused without a word: the room stands still."""
    if room.stalled is not None:
        raise SandtableError("it could not be stored")


def steps_of_people(one: OneRoom) -> Iterator[Step]:
    room = one.room
    yield "claim", lambda: claim(room, 0, "Ann", None) and None
    yield "pace", lambda: room.set_pace(None, 0.5)
    yield "play 0", lambda: play(room)
    yield f"play {room.table.ply}", lambda: play(room)
    yield "resign", lambda: room.forfeit(0, "red resigns")
    if room.over:
        yield "rematch", lambda: one.rooms.offer_rematch(room, 0)
    if room.rematch.offered:
        yield "accept", lambda: one.rooms.offer_rematch(room, 1)


def found_of_people(stored: StoredRoom, actions: int, storage: Storage) -> Iterator[str]:
    yield from (f"play {number}" for number in range(actions))
    state = stored.state
    if state.get(NAMES):
        assert state[NAMES] == {"0": "Ann"}
        assert state[OPEN] == [1]
        yield "claim"
    if state.get("pace") == 0.5:
        yield "pace"
    if stored.over:
        yield "resign"
    again = state.get("rematch", {})
    if again.get("offered"):
        yield "rematch"
    if again.get("room"):
        assert storage.get_room(again["room"]) is not None
        yield "accept"


def steps_with_program(one: OneRoom) -> Iterator[Step]:
    room = one.room
    room.join(Connection(), f"token-{room.game.seats[0]}")

    async def program() -> None:
        ply = room.table.ply
        async with asyncio.timeout(60):
            while room.table.ply == ply and not room.over and room.stalled is None:
                await asyncio.sleep(0)
        need_stored(room)

    yield "move", lambda: play(room)
    if room.table.ply == 1:
        yield "answer", program
    if room.table.ply == 2:
        yield "undo turn", lambda: room.undo(0, "turn")
    if room.takebacks:
        one.answers.nonsense = True
        yield "move again", lambda: play(room)
    if room.takebacks and room.table.ply == 1:
        yield "nonsense", program


def found_with_program(stored: StoredRoom, actions: int, storage: Storage) -> Iterator[str]:
    if stored.state.get("takebacks"):
        yield from ("move", "answer", "undo turn")
        yield from ["move again"] * actions
        assert stored.over <= (actions == 1)
    else:
        yield from ("move", "answer")[:actions]
    if stored.over:
        assert "illegal" in stored.state["outcome"]["reason"]
        yield "nonsense"


def steps_to_flag(one: OneRoom) -> Iterator[Step]:
    room = one.room
    for seat in room.game.seats:
        room.join(Connection(), f"token-{seat}")
    assert room.clocks.left is not None
    room.clocks.left[room.table.turn] = 0.0

    def fall() -> None:
        room.flag_fell()
        need_stored(room)

    yield "flag", fall


def found_to_flag(stored: StoredRoom, actions: int, storage: Storage) -> Iterator[str]:
    if stored.over:
        assert "time is up" in stored.state["outcome"]["reason"]
        yield "flag"


def steps_to_stop(one: OneRoom) -> Iterator[Step]:
    room = one.room
    yield "action", lambda: play(room)
    if room.table.ply:
        yield "pause", lambda: room.set_pace(True, None)
    if room.paused:  # so that it is seen later that there was an action
        yield "undo action", lambda: room.undo(0, "action")
    yield "stop", room.break_off


def found_to_stop(stored: StoredRoom, actions: int, storage: Storage) -> Iterator[str]:
    if actions or stored.state.get("paused"):
        yield "action"
    if stored.state.get("paused"):
        yield "pause"
        yield from ["undo action"] * (1 - actions)
    assert stored.over == bool(stored.state.get("stopped"))
    if stored.over:
        yield "stop"


def steps_to_draw(one: OneRoom) -> Iterator[Step]:
    room = one.room
    yield "offer a draw", lambda: answer_draw(room, 0, "offer")
    if room.draws.offered_by == 0:
        yield "agree", lambda: answer_draw(room, 1, "accept")


def found_to_draw(stored: StoredRoom, actions: int, storage: Storage) -> Iterator[str]:
    said = [word for _, _, word in stored.state.get("draws", [])]
    assert stored.over == ("accepted" in said)
    if said:
        yield "offer a draw"
    if stored.over:
        assert stored.state["outcome"]["scores"][0] == stored.state["outcome"]["scores"][1]
        yield "agree"


@dataclasses.dataclass(frozen=True)
class Course:
    """A room, what happens in it, and how that is found again."""

    stored: Callable[[], StoredRoom]
    steps: Callable[[OneRoom], Iterator[Step]]
    found: Callable[[StoredRoom, int, Storage], Iterator[str]]


def open_room() -> StoredRoom:
    return dataclasses.replace(new_room(STRATEGO, (None, None), 5.0), state={OPEN: [0, 1]})


COURSES = {
    PEOPLE: Course(open_room, steps_of_people, found_of_people),
    PROGRAM: Course(
        lambda: new_room(SKIRMISH, (None, "random"), None, PROGRAM),
        steps_with_program,
        found_with_program,
    ),
    FLAG: Course(lambda: new_room(STRATEGO, (None, None), 5.0, FLAG), steps_to_flag, found_to_flag),
    STOPPED: Course(
        lambda: new_room(LUCID, (None, None), None, STOPPED), steps_to_stop, found_to_stop
    ),
    DRAWN: Course(
        lambda: new_room(STRATEGO, (None, None), None, DRAWN), steps_to_draw, found_to_draw
    ),
}


async def play_in_rooms(disk: Disk) -> None:
    one: OneRoom | None = None
    for name, course in COURSES.items():
        try:
            if one is None:
                one = OneRoom(disk, course.stored())
            else:
                one.begin(course.stored())
        except SandtableError as problem:
            assert "\n" not in str(problem)
            if one is None:
                return  # the server does not start
            continue
        disk.acknowledge(name)
        for step, do in course.steps(one):
            await one.step(step, do)
        await one.archived()
        one.room.close()  # whatever was refused is not tried again later
    assert one is not None
    await one.close()


def play_rooms(disk: Disk) -> None:
    """Everything that can happen at a board."""
    asyncio.run(play_in_rooms(disk))


def play_waiting_rooms(disk: Disk) -> None:
    """The same, and the disk is waited for at every action."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SANDTABLE_SYNC", "full")
        play_rooms(disk)


def found_rooms(folder: Path) -> set[str]:
    storage = Storage(folder)
    kept = set()
    for name, course in COURSES.items():
        found = storage.get_room(name)
        if found is not None:
            stored, actions = found
            assert stored.over == bool(stored.state.get("outcome") or stored.state.get("stopped"))
            kept |= {name, *course.found(stored, len(actions), storage)}
    storage.close()
    return kept


def keep_classes(disk: Disk) -> None:
    """Classes whose rounds begin: a class and the rooms of its round are there, or neither."""
    opened: list[tuple[Storage, ClassStorage]] = []

    def begin() -> None:
        storage = Storage(disk.folder)
        try:
            opened.append((storage, ClassStorage(storage)))
        except SandtableError:
            storage.close()
            raise

    with_errors_told(begin)
    for storage, classes in opened:
        for step in range(STEPS):
            made = ClassTournament(str(step), "host", "4b", float(step), SKIRMISH, "swiss")
            rooms = [new_room(SKIRMISH, (None, None), None, f"room-{step}-{n}") for n in (0, 1)]
            attempt(disk, step, functools.partial(classes.save, made, rooms))
        disk.mend()
        storage.close()


def found_classes(folder: Path) -> set[int]:
    storage = Storage(folder)
    found = {int(each.name) for each in ClassStorage(storage).all()}
    for step in range(STEPS):
        there = [storage.get_room(f"room-{step}-{number}") is not None for number in (0, 1)]
        assert there == [step in found] * 2
    storage.close()
    return found


ROOMS = {
    "classes": Scenario(keep_classes, found_classes, waits=False, log="rooms.db-wal"),
    "rooms": Scenario(play_rooms, found_rooms, waits=False, log="rooms.db-wal"),
    "rooms that wait for the disk": Scenario(play_waiting_rooms, found_rooms),
}
