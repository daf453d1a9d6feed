"""A companion of a process on a Ray cluster in which programs think: it passes lines to and fro.

For the server it is a process like ``worker``: JSON lines in, JSON lines out. What is asked is
answered by an actor on the cluster. One that dies, alone or with its machine, is replaced and asked
again: the agents it had are made anew from the history of their games. The companion ends with the
server, and then the cluster ends the actor.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from typing import Any

from sandtable.arena.play.behaviour import source_key
from sandtable.arena.play.cluster import check_address, connect
from sandtable.errors import SandtableError
from sandtable.server.worker import Thinker, read_lines, reply_to
from sandtable.specs import without_files

__all__ = ["Companion", "Thinking", "main"]

SECONDS_TO_START = 280.0  # of a node that starts the process and loads everything
MOST_DEATHS = 2  # of actors at one request: then it is the program that ends them


class Thinking:
    """What runs on the cluster: the agents of many games."""

    def __init__(self) -> None:
        self.thinker = Thinker()

    def introduce(self) -> tuple[str, str]:
        """Tell which program this is, and whether the cluster asks for a token."""
        return source_key((), ()), os.environ.get("RAY_AUTH_MODE", "disabled").lower()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer a request; what goes wrong in it is an answer too."""
        with without_files():  # all specs come from browsers
            return reply_to(self.thinker, request)

    def hurry(self, key: str) -> None:
        """Have an agent that thinks answer now; another thread is its."""
        self.thinker.hurry(key)


class Companion:
    """Has one actor on the cluster, or the next."""

    def __init__(self, address: str) -> None:
        check_address(address)
        self.ray = connect(address)
        # Two threads: one thinks, the other hears that it is to hurry.
        self.kind = self.ray.remote(num_cpus=1, max_restarts=0, max_concurrency=2)(Thinking)
        self.actor = self.new_actor()

    def new_actor(self) -> Any:
        """Wait for an actor that is one of ours; raises SandtableError."""
        actor = self.kind.remote()
        try:
            digest, mode = self.ray.get(actor.introduce.remote(), timeout=SECONDS_TO_START)
        except self.ray.exceptions.GetTimeoutError:
            raise SandtableError("the cluster has no free processor") from None
        if mode != os.environ["RAY_AUTH_MODE"]:
            raise SandtableError("the cluster asks for no token (docs/cluster.md)")
        if digest != source_key((), ()):
            raise SandtableError("a node of the cluster has another version of Sandtable")
        return actor

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Let the actor answer; raises RayError where actors die of it."""
        for death in range(MOST_DEATHS):
            try:
                answered: dict[str, Any] = self.ray.get(self.actor.answer.remote(request))
                return answered
            except self.ray.exceptions.RayActorError:
                if death == MOST_DEATHS - 1:
                    raise
                self.actor = self.new_actor()
        raise AssertionError

    def hurry(self, key: str) -> None:
        """Pass it on; nobody waits for that."""
        self.actor.hurry.remote(key)


def main() -> None:
    """Pass lines on until the server goes, or the cluster."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what Ray prints must not get between the answers
    try:
        companion = Companion(sys.argv[1])
    except SandtableError as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(1)
    requests: queue.Queue[dict[str, Any]] = queue.Queue()
    threading.Thread(target=read_lines, args=(sys.stdin, requests, companion), daemon=True).start()
    print(json.dumps({"ready": True}), file=output, flush=True)
    while True:
        request = requests.get()
        try:
            reply = companion.answer(request)
        except (SandtableError, companion.ray.exceptions.RayError):
            os._exit(1)  # the server starts another process, and says that this one died
        print(json.dumps({"id": request["id"], **reply}), file=output, flush=True)


if __name__ == "__main__":
    main()
