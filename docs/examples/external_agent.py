#!/usr/bin/env python3
"""A sample agent for ``external:``, in nothing but standard Python (see external-agents.md).

It plays any game at random, and Lucid with some sense: Blue walks north and into the goal, Red
holds its line. Try it::

    sandtable play lucid external:docs/examples/external_agent.py lucid/axes-red
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any


class Agent:
    """What is known about the game being played."""

    def __init__(self) -> None:
        self.game = ""
        self.seat_name = ""
        self.random = random.Random()

    def begin(self, message: dict[str, Any]) -> dict[str, Any]:
        """Get ready for a game; only the given seed makes games repeatable."""
        if message["protocol"] != 1:
            return {"ready": False, "reason": "this program speaks protocol 1"}
        self.game = message["name"]
        self.seat_name = message["seat_name"]
        self.random.seed(message["seed"])
        return {"ready": True, "name": "sample agent"}

    def choose(self, message: dict[str, Any]) -> dict[str, Any]:
        """Pick one action; while the turn is not closed, the question comes again."""
        legal = message["legal"]
        if self.game == "lucid" and self.seat_name == "blue":
            return {"action": self.advance(legal)}
        if self.game == "lucid":
            return {"action": "end"}
        return {"action": self.random.choice(legal)}

    def advance(self, legal: list[str]) -> str:
        """Return a step into the goal, else a step north, else the end of the turn."""
        into_the_goal = [name for name in legal if name.endswith("-goal")]
        north = [name for name in legal if name[0] == name[3:4] and name[1] < name[4]]
        return self.random.choice(into_the_goal or north or ["end"])


def main() -> None:
    """Answer line after line until the input ends."""
    agent = Agent()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "begin":
            answer = agent.begin(message)
        elif message["type"] == "choose":
            answer = agent.choose(message)
        elif message["type"] == "quit":
            break
        else:
            continue  # finish, and whatever later protocols add: no answer is expected
        print(json.dumps(answer), flush=True)  # without flush the arena waits in vain


if __name__ == "__main__":
    main()
