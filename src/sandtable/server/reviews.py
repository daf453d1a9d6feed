"""Learning from mistakes: the turns of a finished game are judged one after the other.

Only games of the archive are judged, and those are over. A process that judges gets the views of
the seat and what it played, never a position: what a seat could not know has no part in it.
Everybody who may see the game may ask; it is done once for all, in a share of the processes. Of
those who ask from one address one is served at a time, so that all others have their turn.
"""

from __future__ import annotations

import asyncio
import functools
from collections import Counter
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from sandtable.agents.human.turn import compact
from sandtable.arena.mistakes import (
    Decision,
    Judge,
    Verdict,
    decisions_of,
    given_away,
    judge_for,
    people_of,
    scale_of,
    unit_of,
    worst,
)
from sandtable.errors import SandtableError
from sandtable.records.record import Record
from sandtable.registry import make_game
from sandtable.screens import screen_of
from sandtable.server.connections import Refused
from sandtable.server.jobs import Job
from sandtable.server.table import Table
from sandtable.server.worker import packed, unpacked
from sandtable.types import Game, Position, State

if TYPE_CHECKING:
    from sandtable.server.application import Server

__all__ = ["Reviews", "judged"]

SHARE = 3  # of so many processes one may judge
AT_A_TIME = 4  # turns in one request, so that others come in between
JUDGE_SECONDS = 120.0  # for so many
SHOWN = 5  # mistakes
MOST_OF_ADDRESS = 10  # games of half of all who may wait: a class has one address
JUDGES_KEPT = 4  # in each process

Found = list[tuple[Decision, Verdict]]


class Reviews:
    """All games that are judged or have been; a game and a seat are judged once."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.places = asyncio.Semaphore(max(1, server.pool.most // SHARE))
        self.known: dict[tuple[str, int], str] = {}  # by game and seat: the job
        self.turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # by address
        self.asked: Counter[str] = Counter()  # by address: games that are judged or wait for it

    def begin(self, record: Record, seat: int | None, address: str) -> Job:
        """Return the job that judges a seat of a game, which may be done already."""
        wanted = people_of(record)[0] if seat is None else seat
        if not 0 <= wanted < len(record.seats):
            raise SandtableError(f"there is no seat {wanted} in that game")
        job = self.server.jobs.jobs.get(self.known.get((record.identity, wanted), ""))
        if job is not None and job.status in ("running", "done"):
            return job
        if self.asked[address] >= MOST_OF_ADDRESS:
            raise Refused("busy", f"{MOST_OF_ADDRESS} of your games are being judged; wait for one")
        job = Job("mistakes", f"mistakes in {record.identity}", for_guests=True)
        self.server.jobs.add(job, lambda each: self.in_turn(each, record, wanted, address))
        self.asked[address] += 1
        assert job.task is not None
        job.task.add_done_callback(lambda _: self.leave(address))
        self.known[record.identity, wanted] = job.job  # nobody came in between: it is judged once
        self.known = {
            key: name for key, name in self.known.items() if name in self.server.jobs.jobs
        }
        return job

    def leave(self, address: str) -> None:
        """One who asked from an address has an answer, or has gone."""
        self.asked[address] -= 1
        if not self.asked[address]:
            del self.asked[address]

    async def in_turn(self, job: Job, record: Record, seat: int, address: str) -> None:
        """Judge a game when no other from this address is judged, and there is a place."""
        turn = self.turns.setdefault(address, asyncio.Lock())
        async with turn, self.places:
            await self.judge(job, record, seat)

    async def judge(self, job: Job, record: Record, seat: int) -> None:
        """Judge all turns of a seat, then those again in which most was given away."""
        table = await self.server.replays.table(record)
        judge = await asyncio.to_thread(judge_for, table.game, seat)
        decisions = await asyncio.to_thread(decisions_of, record, seat)
        told = functools.partial(review_data, table, seat, judge, len(decisions))
        scale = scale_of(table.game)
        job.progress = {"done": 0, "total": len(decisions)}
        found: Found = []
        for first in range(0, len(decisions), AT_A_TIME):
            some = decisions[first : first + AT_A_TIME]
            verdicts = await self.ask(table.game, judge, some, None)
            found += [
                (decision, verdict)
                for decision, verdict in zip(some, verdicts, strict=True)
                if verdict is not None
            ]
            job.progress = {"done": first + len(some), "total": len(decisions)}
            job.result = told(found, worst(found, scale, SHOWN), False)
        again = worst(found, scale, 2 * SHOWN)
        for place, (decision, verdict) in enumerate(again):
            looks = await self.ask(table.game, judge, [decision], [verdict])
            again[place] = decision, looks[0] or verdict
        job.result = told(found, worst(again, scale, SHOWN), True)

    async def ask(
        self, game: Game, judge: str, decisions: list[Decision], again: list[Verdict] | None
    ) -> list[Verdict | None]:
        """Let a process judge some turns, or look at them again."""
        request = {
            "operation": "judge",
            "game": game.spec,
            "agent": judge,
            "decisions": [decision_data(decision) for decision in decisions],
            "again": None if again is None else [verdict.as_data() for verdict in again],
        }
        name = f"judge {game.name} {judge}"
        reply = await self.server.pool.ask(request, limit=JUDGE_SECONDS, name=name)
        return [None if each is None else Verdict.from_data(each) for each in reply["verdicts"]]


def decision_data(decision: Decision) -> dict[str, Any]:
    """Return a decision as it goes to a process: views and actions, no position."""
    return {
        "seat": decision.seat,
        "ply": decision.ply,
        "views": [packed(view.position) for view in decision.views],
        "actions": list(decision.actions),
    }


def judged(request: dict[str, Any]) -> dict[str, Any]:
    """Judge some turns; this runs in the processes of programs."""
    verdicts: list[dict[str, Any] | None] = []
    for place, data in enumerate(request["decisions"]):
        seat = int(data["seat"])
        judge = kept_judge(request["game"], seat, request["agent"])
        views = tuple(State(judge.game, unpacked(text), seat) for text in data["views"])
        decision = Decision(seat, int(data["ply"]), views, tuple(data["actions"]))
        if request["again"] is None:
            found = judge.verdict(decision)
        else:
            found = judge.second_look(decision, Verdict.from_data(request["again"][place]))
        verdicts.append(None if found is None else found.as_data())
    return {"verdicts": verdicts}


@functools.lru_cache(JUDGES_KEPT)
def kept_judge(game: str, seat: int, agent: str) -> Judge:
    """Return a judge, which stays for the next turns."""
    return Judge(make_game(game), seat, agent)


def review_data(
    table: Table, seat: int, judge: str, turns: int, found: Found, shown: Found, done: bool
) -> dict[str, Any]:
    """Return what a browser is told of the mistakes of a seat."""
    total = given_away([verdict for _, verdict in found])
    return {
        "by": judge,
        "scale": scale_of(table.game),
        "unit": unit_of(table.game),
        "score_unit": table.game.score_unit,
        "seat": seat,
        "turns": turns,
        "judged": len(found),
        "given_away": round(total.total, 4),
        "done": done,
        "mistakes": [mistake_data(table, *each) for each in shown],
    }


def mistake_data(table: Table, decision: Decision, verdict: Verdict) -> dict[str, Any]:
    """Return one mistake: where, what it cost, what was played, and what was better."""
    game, ply = table.game, decision.ply + verdict.first
    view = decision.views[verdict.first].position
    return {
        "ply": ply,
        "last": decision.last,
        "turn_label": table.turn_label(ply, table.shown(ply, decision.seat)),
        "loss": round(verdict.loss, 4),
        "played_value": round(verdict.played_value, 4),
        "better_value": round(verdict.better_value, 4),
        "played": turn_data(game, view, verdict.played),
        "better": turn_data(game, view, verdict.better),
    }


def turn_data(game: Game, view: Position, actions: tuple[int, ...]) -> dict[str, Any]:
    """Return a turn as text, and its actions as a board shows them."""
    screen = screen_of(game)
    named = [
        {"action": action, "text": game.notation.action_name(action), **screen.action(view, action)}
        for action in actions
    ]
    return {"text": compact(game, actions), "actions": named}
