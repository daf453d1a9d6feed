"""A league without a network: workers that talk to the queue, and may lose what they have."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select

from sandtable.league import tables
from sandtable.league.bots import add_author, add_bot, author_by_token, file_data
from sandtable.league.link import NotAccepted
from sandtable.league.players import DealPlayer
from sandtable.league.queue import Queue, Wants
from sandtable.league.rounds import Presence
from sandtable.league.standings import standings_of
from sandtable.league.store import Store

FAST = ("random", "skirmish/greedy")  # a pairing whose kernels other tests have compiled


@dataclass
class Fixture:
    """A league in a folder, its clock, and one player of deals."""

    folder: Path
    rounds: int = 2
    bots: int = 6
    now: float = 1000.0
    place: str = ""  # of the database; empty: a file in the folder
    game: str = "skirmish"
    told: list[dict[str, Any]] = field(default_factory=list)  # to remote bots
    leases: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.store = Store.open(self.place or self.folder / "leagues.db")
        self.league = self.store.add_league("open", self.game, seed=5, most_rounds=self.rounds)
        self.author = author_by_token(self.store, add_author(self.store, self.league, "ann"))
        for number in range(self.bots):
            self.add(f"bot-{number}", FAST[number % 2])
        self.queue = Queue(self.store, seconds=60.0)
        self.player = DealPlayer(self, self.folder / "files")

    def add(self, name: str, spec: str = "", kind: str = "agent", data: bytes | None = None) -> Any:
        return add_bot(self.store, self.league, self.author, name, kind, spec, data)

    def lease(self, most: int = 4, **more: Any) -> str:
        """Lease deals; return the token."""
        found = self.queue.lease(Wants("worker", most, **more), self.now)
        self.leases[found.token] = list(found.deals)
        return found.token

    def bring(self, token: str, deal: dict[str, Any]) -> bool:
        return self.queue.finish(deal["deal"], self.player.play(token, deal), "worker")

    def play_calmly(self, **more: Any) -> None:
        """Play everything with one worker that does everything in order."""
        while self.leases[token := self.lease(**more)]:
            for deal in self.leases[token]:
                assert self.bring(token, deal)

    def play_wildly(self, seed: int) -> int:
        """Play everything with workers that die, come late and bring things twice; count deaths."""
        dice, deaths, idle = random.Random(seed), 0, 0
        held: list[tuple[str, dict[str, Any]]] = []
        while idle < 3:
            if len(held) < 8:
                token = self.lease(dice.randint(1, 4))
                held += [(token, deal) for deal in self.leases[token]]
            dice.shuffle(held)
            fate = dice.random()
            if fate < 0.25 and held:  # a worker dies with all it has
                dead = held[0][0]
                held = [each for each in held if each[0] != dead]
                deaths += 1
            elif fate < 0.35:  # nobody renews: those who are left come late
                self.now += 61
            elif fate < 0.45 and held:
                self.queue.release(held.pop()[0])
            elif held:
                token, deal = held.pop()
                self.bring(token, deal)
                if fate > 0.85:
                    assert not self.bring(token, deal)  # the second time changes nothing
            else:
                self.now += 61
                idle += 1
        return deaths

    def outcome(self) -> tuple[list[Any], list[Any]]:
        """Return schedule and results, and the table."""
        deals = tables.deals.c
        columns = (deals.round, deals.number, deals.bots, deals.state, deals.places, deals.played)
        with self.store.reading() as connection:
            rows = [tuple(row) for row in connection.execute(
                select(*columns).order_by(deals.number))]  # fmt: skip
        return rows, standings_of(self.store, self.league).as_data()

    def close(self) -> None:
        self.player.close()
        self.store.close()

    # what a worker's link does
    def download(self, digest: str) -> bytes:
        return file_data(self.store, digest)

    def post(self, path: str, data: Any, seconds: float = 60.0) -> dict[str, Any]:
        if path != "/api/work/ask":
            raise NotAccepted(path)
        message = json.loads(data["line"])
        self.told.append(message)
        if message["type"] == "begin":
            return {"answer": json.dumps({"ready": True})}
        if message["type"] == "choose":
            return {"answer": json.dumps({"action": message["legal_numbers"][0]})}
        return {}


HERE = Presence(sandbox=True)
