"""The programs of a room: asked when it is their turn, and their answers played or forfeited."""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from sandtable.agent import offers
from sandtable.agents.level.ladder import player_spec
from sandtable.arena.play.rehearsal import first_move_time
from sandtable.dice import Dice
from sandtable.errors import IllegalAction, SandtableError
from sandtable.registry import agent_factory, make_game
from sandtable.server.allowed_specs import ONLY_WITH_PERMISSION
from sandtable.server.connections import Refused
from sandtable.server.draws import consider_offer
from sandtable.server.pool import AgentFailure
from sandtable.server.worker import packed
from sandtable.specs import parse_spec
from sandtable.types import OVER

if TYPE_CHECKING:
    from sandtable.server.room import Room

__all__ = ["Programs"]

LEAST_PACE = 0.05  # seconds between turns in a room without persons
MOST_HISTORY = 5000
MOST_KEPT = 200
PAUSE_LOOK = 0.1  # seconds between two looks whether a pause is over


class Programs:
    """Lets the programs of one room think, one after the other."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.task: asyncio.Task[None] | None = None
        self.generation = 0  # grows with every takeback: agents then begin anew
        self.watched: dict[int, int] = {}  # by seat: up to which ply its agent has watched
        self.dice: dict[int, list[int]] = {}
        self.watches: dict[int, bool] = {}
        self.last_turn = 0.0

    def wake(self) -> None:
        """Let a program think if it is to act and does not yet."""
        room = self.room
        seat = room.table.turn
        if room.over or room.paused or seat == OVER or room.is_person(seat):
            return
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self.drive())

    def interrupt(self) -> None:
        """Let go of what a program is thinking about: the game has changed."""
        if self.task is not None and self.task is not asyncio.current_task():
            self.task.cancel()
        self.task = None
        self.generation += 1
        self.watched.clear()

    def forget(self) -> None:
        """Let the agents go."""
        self.room.rooms.pool.forget(f"{self.room.stored.room}/")

    async def drive(self) -> None:
        """Play for programs until a person is to act, or the game is over."""
        room = self.room
        generation = self.generation
        persons = any(room.is_person(seat) for seat in range(len(room.game.seats)))
        while not room.over and not room.paused and generation == self.generation:
            seat = room.table.turn
            if room.is_person(seat):
                return
            pace = max(room.pace, 0.0 if persons else LEAST_PACE)
            wait = self.last_turn + pace - time.monotonic()
            if wait > 0:
                await asyncio.sleep(wait)
            await consider_offer(room, seat)
            if room.over or generation != self.generation:
                return
            try:
                actions = await self.ask(seat)
            except (SandtableError, KeyError, TypeError, ValueError) as problem:
                known = isinstance(problem, SandtableError)
                reason = str(problem) if known else "it answered nonsense"
                with suppress(SandtableError):  # if it cannot be stored the room asks again later
                    if generation == self.generation:
                        self.fail(seat, reason)
                return
            self.last_turn = time.monotonic()
            while not await self.answered(seat, actions, generation):
                pass

    async def answered(self, seat: int, actions: list[int], generation: int) -> bool:
        """Play an answer when the room goes on; False: it could not be stored, nothing is lost."""
        room = self.room
        while (room.paused or room.stalled) and generation == self.generation:
            await asyncio.sleep(PAUSE_LOOK)
        if generation == self.generation:
            try:
                self.answer(seat, actions)
            except SandtableError:
                return room.stalled is None
        return True

    async def ask(self, seat: int) -> list[int]:
        """Let the program of a seat choose."""
        room = self.room
        spec = room.stored.seats[seat].agent
        assert spec is not None
        limit = room.rooms.settings.move_time
        left = room.clocks.seconds(seat)
        key = self.key_of(seat)
        request = {
            "operation": "choose",
            "key": key,
            "game": room.game.spec,
            "agent": spec,
            "weights": room.rooms.settings.weights_text,
            "seat": seat,
            "since": self.watched.get(seat, 0),
            "ply": room.table.ply,
            "history": self.history(seat, self.watched.get(seat, 0)),
            "view": packed(self.view(room.table.ply, seat)),
            "dice": self.dice_of(seat),
        }
        ply = room.table.ply
        name = f"{room.game.spec} {spec}"
        if not room.rooms.pool.knows(name):
            limit = first_move_time(limit)  # it may have to be compiled
        limit = limit if left is None else min(limit, left + 1.0)
        # Programs of others are not started, and nobody is asked, to rehearse.
        ours = parse_spec(spec).name not in ONLY_WITH_PERMISSION
        example = ours and not request["since"]
        pool = room.rooms.pool
        try:
            reply = await pool.ask(request, limit=limit, name=name, key=key, example=example)
            if reply.get("missing"):
                request |= {"since": 0, "history": self.history(seat, 0)}
                reply = await pool.ask(request, limit=limit, name=name, key=key)
        except AgentFailure as failure:
            self.keep_transcript(ply, seat, failure.transcript)
            raise
        self.keep_transcript(ply, seat, reply.get("transcript", ()))
        self.watched[seat] = ply
        self.dice[seat] = reply["dice"]
        actions = reply["actions"]
        if not isinstance(actions, list) or not actions:
            raise AgentFailure("it answered with no action")
        return [int(action) for action in actions]

    def keep_transcript(self, ply: int, seat: int, told: Sequence[Mapping[str, Any]]) -> None:
        """Keep what a program said, for the record of the game; nobody is told before its end."""
        entries = [{"ply": ply, "seat": seat, **each} for each in told]
        if entries:
            with suppress(SandtableError):  # a full disk costs the words, not the game
                self.room.rooms.storage.add_transcript(self.room.stored.room, ply, entries)

    def key_of(self, seat: int) -> str:
        """Return the name under which processes keep the agent of a seat."""
        return f"{self.room.stored.room}/{seat}/{self.generation}"

    def hurry(self) -> None:
        """Have the program that thinks answer with what it has."""
        self.room.rooms.pool.hurry(self.key_of(self.room.table.turn))

    def can_hurry(self, seat: int) -> bool:
        """Say whether the program of a seat can be asked to answer now."""
        spec = self.room.stored.seats[seat].agent
        return spec is not None and hurries(self.room.game.spec, seat, spec)

    def view(self, ply: int, seat: int) -> Any:
        """Return what a seat sees."""
        seen = self.room.table.shown(ply, seat)
        assert seen is not None
        return seen

    def history(self, seat: int, since: int) -> list[tuple[str, int | None]]:
        """Return what an agent has to watch: the views after each action, and what it learns."""
        table = self.room.table
        if not self.does_watch(seat) or table.ply - since > MOST_HISTORY:
            return []
        found: list[tuple[str, int | None]] = []
        for ply in range(since + 1, table.ply + 1):
            action = table.actions[ply - 1] if table.sees_action(ply, seat) else None
            found.append((packed(self.view(ply, seat)), action))
        return found

    def is_new(self, seat: int) -> bool:
        """Say whether the program of a seat has not moved here yet: it may have to be compiled."""
        spec = self.room.stored.seats[seat].agent
        if spec is None:
            return False
        return not self.room.rooms.pool.knows(f"{self.room.game.spec} {spec}")

    def does_watch(self, seat: int) -> bool:
        """Say whether an agent wants to know of every action."""
        if seat not in self.watches:
            spec = self.room.stored.seats[seat].agent
            factory = agent_factory(parse_spec(spec or "").name)
            self.watches[seat] = not inspect.isclass(factory) or offers(factory, "watch")
        return self.watches[seat]

    def dice_of(self, seat: int) -> list[int]:
        """Return the dice of an agent, which are not those of the game."""
        if seat not in self.dice:
            stored = self.room.stored
            fresh = Dice(stored.seed, f"agent {seat}", 0).array
            self.dice[seat] = [int(number) for number in fresh.astype(np.uint64)]
        return self.dice[seat]

    def answer(self, seat: int, actions: list[int]) -> None:
        """Play what a program answered; nonsense loses the game."""
        room = self.room
        try:
            room.play(seat, actions)
        except IllegalAction:
            self.fail(seat, f"illegal action in {self.named(actions)}")
        except Refused:
            self.fail(seat, "it answered with actions after the end of its turn")

    def named(self, actions: list[int]) -> str:
        """Write an answer in words, as far as it can be; everybody may read it."""
        if self.room.game.hidden:
            return "its answer"
        words = []
        for action in actions[:20]:
            words.append(str(action))
            with suppress(SandtableError):
                words[-1] = self.room.game.notation.action_name(action)
        return " ".join(words)[:200]

    def fail(self, seat: int, problem: str) -> None:
        """A program cannot go on."""
        line = " ".join(problem.split())[:300]
        self.room.forfeit(seat, f"{self.room.game.seats[seat]} forfeits: {line}")


@functools.lru_cache(MOST_KEPT)
def hurries(game_spec: str, seat: int, spec: str) -> bool:
    """Say whether an agent can answer with what it has; a level is as the agent it plays by."""
    with suppress(SandtableError):
        player = player_spec(make_game(game_spec), seat, spec)
        return offers(agent_factory(player.name), "hurry")
    return False
