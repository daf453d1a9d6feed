#!/usr/bin/env python3
"""Lets a bot on your own machine play in a league of Sandtable. One file: copy it where you like.

It needs Python 3.9 or newer and the package ``websockets``, and nothing else. Write a function
that gets a message and returns an action, then call ``play``:

    from league_client import play

    def choose(message):
        return message["legal"][0]

    play("ws://127.0.0.1:8100", league="open", bot="my-bot", token="...", choose=choose)

``message`` is what external programs get (see "External agents" in the documentation of
Sandtable): ``view`` and ``position`` are what your seat may know, ``legal`` names the actions,
``legal_numbers`` has them as numbers, ``seconds`` is your time. Return one action, or a list of
them for a turn of many parts. ``begin`` and ``finish``, if you give them, are told when a game
begins and how it ended; ``watch`` is told what was played, as far as your seat may know it. When
the connection breaks it is made again.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any

Message = dict[str, Any]  # what comes and goes is JSON


def answer_to(
    message: Message,
    choose: Callable[[Message], Any],
    begin: Callable[[Message], None] | None = None,
    finish: Callable[[Message], None] | None = None,
    watch: Callable[[Message], None] | None = None,
) -> Message | None:
    """Return the answer to a message; None: it needs none."""
    kind = message.get("type")
    if kind == "begin":
        if begin is not None:
            begin(message)
        return {"ready": True, "watch": watch is not None}
    if kind == "choose":
        chosen = choose(message)
        return {"actions": chosen if isinstance(chosen, (list, tuple)) else [chosen]}
    if kind == "watch" and watch is not None:
        watch(message)
    if kind == "finish" and finish is not None:
        finish(message)
    return None


def play(
    server: str,
    *,
    league: str,
    bot: str,
    token: str,
    choose: Callable[[Message], Any],
    begin: Callable[[Message], None] | None = None,
    finish: Callable[[Message], None] | None = None,
    watch: Callable[[Message], None] | None = None,
    again: bool = True,
) -> None:
    """Play until Ctrl-C; ``again``: connect again whenever the connection breaks."""
    from websockets.exceptions import ConnectionClosed, WebSocketException
    from websockets.sync.client import connect

    pause = 1.0
    while True:
        try:
            with connect(server.rstrip("/") + "/api/bot", max_size=None) as socket:
                socket.send(json.dumps({"league": league, "bot": bot, "token": token}))
                for text in socket:
                    told = json.loads(text)
                    if told.get("ready"):
                        pause = 1.0
                        print(f"{bot} is in the league {league}", file=sys.stderr)
                        continue
                    answer = answer_to(told["message"], choose, begin, finish, watch)
                    if answer is not None and "id" in told:
                        socket.send(json.dumps({"id": told["id"], "answer": answer}))
            reason = "the server has closed the connection"
        except ConnectionClosed as problem:
            code = problem.rcvd.code if problem.rcvd else 0
            reason = problem.rcvd.reason if problem.rcvd else "the connection broke"
            if code in (4401, 4409):  # not our bot, or it plays elsewhere
                raise SystemExit(f"error: {reason}") from None
        except (OSError, WebSocketException) as problem:
            reason = str(problem)
        if not again:
            return
        print(f"{reason}; connecting again in {pause:g} s", file=sys.stderr)
        time.sleep(pause * (0.5 + random.random()))
        pause = min(2 * pause, 30.0)


def main() -> None:
    """Play at random, as an example: ``league_client.py ADDRESS LEAGUE BOT TOKEN``."""
    if len(sys.argv) != 5:
        raise SystemExit("usage: league_client.py ws://HOST:PORT LEAGUE BOT TOKEN")
    address, league, bot, token = sys.argv[1:]
    try:
        play(address, league=league, bot=bot, token=token,
             choose=lambda message: random.choice(message["legal_numbers"]))  # fmt: skip
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)


if __name__ == "__main__":
    main()
