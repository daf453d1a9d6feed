"""Whether a player could learn hidden things from how long the server takes, or from its hints.

    python benchmarks/web_leaks.py --pairs 24 --tries 150 --json benchmarks/web_leaks.json

A pair is two rooms of Stratego with the same set-up of the player, whose opponent, a
program, has set up otherwise: what the player sees is the same to the letter, what is hidden is
not. The same questions go to both in turn, in a random order: ping, the state on joining, an
action that is refused, a hint. If times told something, one could guess from a time
which of the two rooms it came from. The share of right guesses (the area under the ROC curve) is
0.5 where they tell nothing; its interval is that of a mean over pairs, and there is none with fewer
than twenty. What hints say is compared too.
The program draws samples for its thoughts, so that two hints of one room differ at times; those of
two rooms must not differ more often.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from web_load import Load, Server, write_result

from sandtable.arena.statistics.intervals import estimate_mean

GAME = "stratego:setup=choose"
SEATS = [{"person": ""}, {"agent": "random"}]
QUESTIONS = ("ping", "join", "refused action", "hint")
HINT = "stratego/champion"  # plays its favourite move, without dice


class Seat:
    """The player of one room."""

    def __init__(self, load: Load, links: dict[str, Any]) -> None:
        self.load, self.links = load, links
        self.token = links["seats"][0]["token"]
        self.now: dict[str, Any] = {}

    async def begin(self) -> None:
        """Join, and set up by always taking the first legal action."""
        self.socket = await self.load.socket(self.links["room"])
        await self.send(type="join", token=self.token)
        while not (self.now.get("legal") and self.set_up()):
            if self.now.get("legal"):
                first = self.now["legal"][0]["action"]
                await self.send(type="play", ply=self.now["ply"], actions=[first])
            await self.hear("now")

    def set_up(self) -> bool:
        """Say whether all pieces stand."""
        return all(each["kind"] in ("move", "attack") for each in self.now["legal"])

    async def send(self, **message: Any) -> None:
        await self.socket.send(json.dumps(message))

    async def hear(self, wanted: str) -> dict[str, Any]:
        """Return the next message of a type, or with a field."""
        while True:
            message: dict[str, Any] = json.loads(await asyncio.wait_for(self.socket.recv(), 120))
            self.now = message.get("now", self.now)
            if message["type"] == wanted or wanted in message:
                return message
            if message["type"] == "error":
                raise SystemExit(f"{wanted}: {message['text']}")

    async def ask(self, question: str) -> tuple[float, str]:
        """Ask a question; return how long the answer took, and what it says."""
        if question == "join":
            async with self.load.socket(self.links["room"]) as socket:
                began = time.perf_counter()
                await socket.send(json.dumps({"type": "join", "token": self.token}))
                while json.loads(await socket.recv())["type"] != "state":
                    pass
                return time.perf_counter() - began, ""
        wanted = {"ping": "pong", "refused action": "error", "hint": "hint"}[question]
        messages = {
            "ping": {"type": "ping"},
            "refused action": {"type": "play", "ply": self.now["ply"], "actions": [0, 0, 0]},
            "hint": {"type": "hint", "agent": HINT},
        }
        began = time.perf_counter()
        await self.send(**messages[question])
        answer = await self.hear(wanted)
        seconds = time.perf_counter() - began
        thoughts = answer.get("thoughts") or {}
        beliefs, moves = (
            thoughts.get("beliefs"),
            [each["text"] for each in answer.get("actions", [])],
        )
        return seconds, json.dumps([moves, beliefs], sort_keys=True)


def right_guesses(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return how likely a time of the one room is longer than one of the other (ties: half)."""
    return float((one[:, None] > other[None]).mean() + 0.5 * (one[:, None] == other[None]).mean())


async def ask_pair(
    load: Load, tries: int, dice: random.Random
) -> tuple[dict[str, tuple[list[float], list[float]]], tuple[list[str], list[str]]]:
    """Ask two rooms the same things; return the times, and what hints said."""
    seats = [Seat(load, await load.room(GAME, SEATS)) for _ in range(2)]
    for seat in seats:
        await seat.begin()
    assert seats[0].now["board"] == seats[1].now["board"], "the views differ"
    times: dict[str, tuple[list[float], list[float]]] = {}
    said: tuple[list[str], list[str]] = ([], [])
    for question in QUESTIONS:
        found: tuple[list[float], list[float]] = ([], [])
        for _ in range(tries if question != "hint" else max(tries // 3, 2)):
            for room in dice.sample((0, 1), 2):
                seconds, answer = await seats[room].ask(question)
                found[room].append(seconds)
                if question == "hint":
                    said[room].append(answer)
        times[question] = found
    for seat in seats:
        await seat.socket.close()
    return times, said


class Findings:
    """What all pairs told so far."""

    def __init__(self) -> None:
        self.guesses: dict[str, list[float]] = {question: [] for question in QUESTIONS}
        self.gaps: dict[str, list[float]] = {question: [] for question in QUESTIONS}
        self.between: list[bool] = []
        self.within: list[bool] = []

    async def ask(self, server: Server, options: argparse.Namespace) -> None:
        """Ask pair after pair."""
        load = Load(server.host, think=1.0)
        dice = random.Random(options.seed)
        for number in range(options.pairs):
            times, said = await ask_pair(load, options.tries, dice)
            self.between += [one != other for one, other in zip(*said, strict=True)]
            self.within += [one != other for room in said for one, other in pairwise(room)]
            for question, found in times.items():
                self.guess(question, *(np.array(each) for each in found))
            print(f"pair {number + 1} of {options.pairs}", file=sys.stderr)
            if options.json:  # what is done is kept, whatever ends it
                text = json.dumps(self.report(options), indent=2) + "\n"
                options.json.write_text(text, encoding="utf-8")

    def guess(self, question: str, one: NDArray[np.float64], other: NDArray[np.float64]) -> None:
        """Let half of the times tell which room seems slower, the others whether that is so."""
        half = len(one) // 2
        slower = right_guesses(one[:half], other[:half]) >= 0.5
        share = right_guesses(one[half:], other[half:])
        self.guesses[question].append(share if slower else 1.0 - share)
        self.gaps[question].append(float(np.median(one) - np.median(other)))

    def report(self, options: argparse.Namespace) -> dict[str, Any]:
        """Return what was found, with intervals."""
        result: dict[str, Any] = {
            "game": GAME,
            "pairs": len(self.guesses["ping"]),
            "tries": options.tries,
            "hints_compared": len(self.between),
            "hints_that_differ_between_rooms": round(float(np.mean(self.between)), 3),
            "hints_that_differ_within_a_room": round(float(np.mean(self.within)), 3),
            "load_average": round(os.getloadavg()[0], 1),
        }
        for question in QUESTIONS:
            shares = np.array(self.guesses[question])
            found = estimate_mean(shares, bounds=(0.0, 1.0))
            interval = [round(found.low, 3), round(found.high, 3)] if found.shown else None
            result[question] = {
                "right_guesses": round(found.mean, 3),
                "interval": interval,
                "why_no_interval": found.reason or None,
                "by_pair": [round(float(share), 3) for share in shares],
                "median_gap_ms": round(1e3 * float(np.median(np.abs(self.gaps[question]))), 3),
            }
        return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--tries", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        findings = Findings()
        try:
            with suppress(KeyboardInterrupt):  # what is done is reported
                asyncio.run(findings.ask(server, options))
        finally:
            server.stop()
    if not findings.between:
        sys.exit("no pair was finished")
    result = findings.report(options)
    write_result(options.json, result)
    margin = 2 / result["hints_compared"] ** 0.5
    more = result["hints_that_differ_between_rooms"] - result["hints_that_differ_within_a_room"]
    if more > margin:
        sys.exit("hints differ more between rooms than within one, although the views are the same")


if __name__ == "__main__":
    main()
