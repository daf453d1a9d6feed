"""A process in which programs think: JSON lines in, JSON lines out, one request at a time.

Of games in progress it gets views, never positions. It keeps the agents of many games, so that
they can follow a plan; one it has forgotten is made anew from the history of its game.
"""

from __future__ import annotations

import base64
import json
import os
import queue
import sys
import threading
from collections import OrderedDict
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any, Protocol, TextIO

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, offers
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.registry import make_game
from sandtable.server.priority import let_others_go_first
from sandtable.server.weights_folder import made_agent
from sandtable.specs import FILES_ALLOWED
from sandtable.types import Game, Position, State

__all__ = ["Thinker", "main", "packed", "read_lines", "reply_to", "unpacked"]

MOST_AGENTS = 400  # kept at a time
LONGEST_ERROR = 300
LESS_URGENT = 5  # steps below the server, for which everybody waits


def packed(position: Position) -> str:
    """Return a position as text."""
    return base64.b64encode(position.astype("<i2").tobytes()).decode()


def unpacked(text: str) -> Position:
    """Return the position of such a text."""
    return np.frombuffer(base64.b64decode(text), dtype="<i2").astype(np.int16)


def dice_from(numbers: list[int]) -> Dice:
    """Return dice as they lay."""
    dice = Dice(0)
    dice.array = np.array(numbers, dtype=np.uint64)
    return dice


def numbers_of(dice: NDArray[np.uint64]) -> list[int]:
    """Return dice as plain numbers."""
    return [int(number) for number in dice]


@dataclass
class Held:
    """An agent in the middle of a game."""

    agent: Agent
    ply: int = 0  # up to which it has watched


class Thinker:
    """Answers requests."""

    def __init__(self) -> None:
        self.agents: OrderedDict[str, Held] = OrderedDict()
        self.choosing: tuple[str, Agent] | None = None  # whose agent thinks now
        self.said: list[dict[str, Any]] = []  # by the agent that chose last, for the record

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what a request asks."""
        operation = request["operation"]
        leaving = tuple(request.get("leaving", ()))
        for key in [key for key in self.agents if leaving and key.startswith(leaving)]:
            self.forget(key)
        if operation == "forget":
            return {}
        if operation == "choose":
            return self.choose(request)
        if operation == "page":
            from sandtable.server.archive_pages import page

            return page(request)
        if operation == "weights":
            from sandtable.server.weights_folder import playable_weights

            return {"weights": playable_weights(request["folder"], request["names"])}
        if operation == "judge":
            from sandtable.server.reviews import judged

            return judged(request)
        game = make_game(request["game"])
        if operation == "check":
            agent = made_agent(request["agent"], request.get("weights"))
            agent.check()
            agent.close()
            return {}
        if operation == "value":
            return self.value(game, request)
        if operation == "hint":
            from sandtable.server.analysis import hint

            view = State(game, unpacked(request["view"]), request["seat"])
            return hint(view, request["agent"], Dice(request["seed"], "hint"))
        from sandtable.server.analysis import answer

        positions = [unpacked(text) for text in request["positions"]]
        return {"result": answer(game, positions, request["question"])}

    def choose(self, request: dict[str, Any]) -> dict[str, Any]:
        """Let an agent choose."""
        key, seat = request["key"], request["seat"]
        game = make_game(request["game"])
        dice = dice_from(request["dice"])
        held = self.agents.get(key)
        if held is None or held.ply != request["since"]:  # another process has it, or had it since
            if held is not None:
                self.forget(key)
            if request["since"]:
                return {"missing": True}
            held = Held(made_agent(request["agent"], request.get("weights")))
            held.agent.check()
            held.agent.begin(game, seat, dice)
            self.agents[key] = held
            while len(self.agents) > MOST_AGENTS:
                self.forget(next(iter(self.agents)))
        self.agents.move_to_end(key)
        agent, held.ply = held.agent, request["ply"]
        for text, action in request["history"] if offers(agent, "watch") else ():
            agent.watch(State(game, unpacked(text), seat), action)
        self.choosing = key, agent
        self.said = []
        try:
            answer = agent.choose(State(game, unpacked(request["view"]), seat), dice)
        finally:
            self.choosing = None
            if offers(agent, "transcript"):
                self.said = [dict(each) for each in agent.transcript()]
        single = isinstance(answer, (int, np.integer))
        actions = [int(answer)] if single else [int(action) for action in answer]  # type: ignore[arg-type,union-attr]
        told = {"transcript": self.said} if self.said else {}
        return {"actions": actions, "dice": numbers_of(dice.array), **told}

    def value(self, game: Game, request: dict[str, Any]) -> dict[str, Any]:
        """Ask an agent that takes no part for the chance to win in a view; None: it cannot tell."""
        view = State(game, unpacked(request["view"]), request["seat"])
        dice = Dice(request["seed"], f"draw {request['seat']}", request["ply"])
        with closing(made_agent(request["agent"], request.get("weights"))) as agent:
            agent.check()
            known = agent.scale == "chance" and agent.has_opinion(view)
            value = agent.value_of(view, dice) if known else None
        return {"value": None if value is None else float(value)}

    def hurry(self, key: str) -> None:
        """Have an agent that thinks answer now; another thread calls this."""
        choosing = self.choosing
        if choosing is not None and choosing[0] == key:
            with suppress(Exception):
                choosing[1].hurry()

    def forget(self, key: str) -> None:
        """Let an agent go."""
        held = self.agents.pop(key)
        with suppress(Exception):
            held.agent.close()


def reply_to(thinker: Thinker, request: dict[str, Any]) -> dict[str, Any]:
    """Answer a request, or say in one line why that cannot be."""
    try:
        return thinker.answer(request)
    except Exception as problem:  # whatever an agent raises is its own failure
        known = isinstance(problem, SandtableError)
        text = str(problem) if known else f"{type(problem).__name__}: {problem}"
        reply: dict[str, Any] = {
            "error": (text.splitlines() or ["no reason given"])[0][:LONGEST_ERROR]
        }
        if request["operation"] == "choose" and thinker.said:
            reply["transcript"] = thinker.said
        return reply


class Hurries(Protocol):
    """Whoever can have an agent that thinks answer now."""

    def hurry(self, key: str) -> None:
        """Do it, from another thread."""
        ...


def read_lines(source: TextIO, requests: queue.Queue[dict[str, Any]], thinker: Hurries) -> None:
    """Hand over what comes in; when the server has gone, end at once, whoever is thinking."""
    for line in source:
        request = json.loads(line)
        if request["operation"] == "hurry":  # for whoever thinks now, not after it
            thinker.hurry(request["key"])
        else:
            requests.put(request)
    os._exit(0)


def main() -> None:
    """Answer requests until the server goes."""
    let_others_go_first(LESS_URGENT)
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what agents print must not get between the answers
    requests: queue.Queue[dict[str, Any]] = queue.Queue()
    FILES_ALLOWED.set(False)  # all specs come from browsers
    thinker = Thinker()
    threading.Thread(target=read_lines, args=(sys.stdin, requests, thinker), daemon=True).start()
    print(json.dumps({"ready": True}), file=output, flush=True)
    while True:
        request = requests.get()
        reply = reply_to(thinker, request)
        print(json.dumps({"id": request["id"], **reply}), file=output, flush=True)


if __name__ == "__main__":
    main()
