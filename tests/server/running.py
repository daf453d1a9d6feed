"""A real server for tests: uvicorn in a thread, real sockets, clients that check every message."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from pydantic import TypeAdapter
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from sandtable.server.serve import listen, uvicorn_config
from sandtable.server.server_messages import ServerMessage
from sandtable.server.settings import Limits, Settings

CHECKER: TypeAdapter[Any] = TypeAdapter(ServerMessage)
PATIENCE = 240.0  # on a busy machine whose caches are cold
NO_LIMITS = Limits(
    requests_per_second=1e6,
    request_burst=1e6,
    rooms_per_second=1e6,
    room_burst=1e6,
    messages_per_second=1e6,
    message_burst=1e6,
)


class Running:
    """A server that runs."""

    def __init__(self, settings: Settings) -> None:
        listener = listen(settings)
        self.settings = replace(settings, port=int(listener.getsockname()[1]))
        self.host = f"127.0.0.1:{self.settings.port}"
        self.server = uvicorn.Server(uvicorn_config(self.settings))
        self.thread = threading.Thread(
            target=self.server.run, kwargs={"sockets": [listener]}, daemon=True
        )
        self.thread.start()
        wait_until(lambda: self.server.started or not self.thread.is_alive())
        assert self.server.started
        self.listener = listener
        self.http = httpx.Client(base_url=f"http://{self.host}", timeout=PATIENCE)

    def stop(self) -> None:
        self.http.close()
        self.server.should_exit = True
        self.thread.join(PATIENCE)
        self.listener.close()

    @property
    def held(self) -> Any:
        """What the server holds, to look into it."""
        return self.server.config.app.application.state.server

    def inside(self, do: Callable[[Any], Any]) -> Any:
        """Let the server do something between two requests; ``do`` gets what it holds."""

        async def work() -> Any:
            return do(self.held)

        loop = next(iter(self.held.pool.tasks)).get_loop()
        return asyncio.run_coroutine_threadsafe(work(), loop).result(PATIENCE)

    def get(self, path: str, **more: Any) -> Any:
        answer = self.http.get(path, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any, **more: Any) -> Any:
        answer = self.http.post(path, json=body, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def room(self, game: str, *seats: str | None, **more: Any) -> dict[str, Any]:
        """Make a room; None is a person."""
        wanted = [{"person": ""} if agent is None else {"agent": agent} for agent in seats]
        return self.post("/api/rooms", {"game": game, "seats": wanted, **more})

    @contextmanager
    def joined(self, room: str, token: str | None = None) -> Iterator[Player]:
        with connect(f"ws://{self.host}/api/rooms/{room}/socket", max_size=None) as socket:
            player = Player(socket)
            player.send(type="join", **({} if token is None else {"token": token}))
            yield player

    def job(self, name: str) -> dict[str, Any]:
        """Wait for a job."""
        found: dict[str, Any] = {}

        def done() -> bool:
            found.update(self.get(f"/api/jobs/{name}"))
            return found["status"] != "running"

        wait_until(done)
        return found


class Process(Running):
    """The server as people start it."""

    def __init__(
        self, folder: Path, plug_in: Path, port: int = 0, mode: tuple[str, ...] = ("--api-only",)
    ) -> None:
        words = ["serve", *mode, "--port", str(port), "--data", str(folder / "data")]
        words += ["--archive", str(folder / "archive.db"), "--move-time", "3", "--workers", "1"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sandtable", *words],
            env={**os.environ, "PYTHONPATH": str(plug_in)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        found = re.search(r"http://(127\.0\.0\.1:([0-9]+))/", line)
        assert found, line + self.process.stderr.read()
        self.host, self.port = found[1], int(found[2])
        self.http = httpx.Client(base_url=f"http://{self.host}", timeout=PATIENCE)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                self.http.get("/api/about")
                return
            except httpx.TransportError:
                time.sleep(0.02)

    def stop(self, number: int = signal.SIGINT) -> None:
        self.http.close()
        self.process.send_signal(number)
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()


class Player:
    """One client of a room; what the server sends must be in the right shape."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.texts: list[str] = []  # everything that came, as it came
        self.now: dict[str, Any] = {}
        self.steps: list[dict[str, Any]] = []

    def send(self, **message: Any) -> None:
        with suppress(ConnectionClosed):  # reading tells why
            self.socket.send(json.dumps(message))

    def receive(self, *, timeout: float = PATIENCE) -> dict[str, Any]:
        text = self.socket.recv(timeout)
        self.texts.append(text)
        CHECKER.validate_json(text)
        message: dict[str, Any] = json.loads(text)
        if "now" in message:
            self.now = message["now"]
        self.steps += message.get("steps", [])
        return message

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Read on to a message of this kind."""
        while True:
            message = self.receive()
            if wanted(message):
                return message

    def until_type(self, name: str) -> dict[str, Any]:
        return self.until(lambda message: message["type"] == name)

    def play(self, *actions: int) -> None:
        self.send(type="play", ply=self.now["ply"], actions=list(actions))

    def legal(self, text: str) -> int:
        return next(each["action"] for each in self.now["legal"] if each["text"] == text)

    def play_to_end(self, choose: Callable[[list[dict[str, Any]]], int]) -> dict[str, Any]:
        """Play whenever it is this player's turn; return the last state."""
        while True:
            if self.now.get("legal"):
                self.play(choose(self.now["legal"]))
            message = self.until(lambda each: "now" in each or each["type"] == "error")
            assert message["type"] != "error", message
            if message["type"] == "state" and message["why"] == "end":
                return message

    def closing_code(self) -> int:
        """Read on until the server closes; return its code."""
        try:
            while True:
                self.receive()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else 0


def wait_until(done: Callable[[], bool], seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


def settings_in(folder: Path, **more: Any) -> Settings:
    chosen: dict[str, Any] = {"limits": NO_LIMITS, "workers": 1, "move_time": 120.0, "port": 0}
    return Settings(
        data=folder / "data", archive=folder / "archive.db", runs=folder / "runs", **chosen | more
    )


@contextmanager
def running(folder: Path, **more: Any) -> Iterator[Running]:
    server = Running(settings_in(folder, **more))
    try:
        yield server
    finally:
        server.stop()
