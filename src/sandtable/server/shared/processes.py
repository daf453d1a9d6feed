"""Several servers on one machine and one port: the system gives each connection to one of them.

They are servers like any others that share their rooms. Whoever started them starts another in the
place of one that died, and they end with it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from types import FrameType

from sandtable.errors import SandtableError
from sandtable.server.addresses import address_of
from sandtable.server.settings import Settings
from sandtable.server.shared.storage import SharedStorage

__all__ = ["serve_together"]

RESTART_SECONDS = 1.0  # before another takes the place of one that died
START_SECONDS, END_SECONDS = 60.0, 20.0
SHORT_SECONDS, MOST_SHORT_LIVES = 15.0, 6
PAUSE = 0.1
NEAR = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # where one of them is reached from here


class Stopped(Exception):
    """Somebody asked us to end."""


def reserved(settings: Settings) -> socket.socket:
    """Return a socket that holds the port, so that all servers find the same; nobody listens."""
    if not hasattr(socket, "SO_REUSEPORT"):
        raise SandtableError("this system cannot share a port; start several servers and a proxy")
    from sandtable.server.serve import listen

    listen(replace(settings, shared_port=False)).close()  # says in one line if it is taken
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    holding = socket.socket(family, socket.SOCK_STREAM)
    holding.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    holding.bind((settings.host, settings.port))
    return holding


def serve_one(settings: Settings, client_wanted: bool) -> None:
    """Be one of the servers, as long as whoever started them lives."""
    from sandtable.server.serve import serve

    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        serve(settings, client_wanted=client_wanted, ready=lambda address, settings: None)
    except KeyboardInterrupt:
        return
    except SandtableError as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(1)


class Servers:
    """The processes, and how often they ended as soon as they had begun."""

    def __init__(self, settings: Settings, client_wanted: bool, count: int) -> None:
        self.arguments = settings, client_wanted
        self.context = multiprocessing.get_context("spawn")
        self.short_lives = 0
        self.began: dict[BaseProcess, float] = {}
        for _ in range(count):
            self.start()

    def start(self) -> None:
        """Start one more."""
        one = self.context.Process(target=serve_one, args=self.arguments)
        one.start()
        self.began[one] = time.monotonic()

    def replace_dead(self) -> None:
        """Wait until some have died, and start others; raises SandtableError if that is no use."""
        wait([each.sentinel for each in self.began])
        time.sleep(RESTART_SECONDS)
        for dead in [each for each in self.began if not each.is_alive()]:
            short = time.monotonic() - self.began.pop(dead) < SHORT_SECONDS
            self.short_lives = self.short_lives + 1 if short else 0
            if self.short_lives >= MOST_SHORT_LIVES:
                raise SandtableError("the servers end as soon as they begin; see what they say")
            self.start()

    def end(self) -> None:
        """End them in order."""
        for each in self.began:
            each.terminate()
        for each in self.began:
            each.join(END_SECONDS)
            each.kill()


def serve_together(
    settings: Settings,
    count: int,
    *,
    client_wanted: bool,
    ready: Callable[[str, Settings], None],
) -> None:
    """Serve with so many processes until Ctrl-C."""
    assert settings.rooms is not None
    SharedStorage(settings.rooms).close()  # which says in one line if that cannot be
    with reserved(settings) as holding:
        settings = replace(settings, port=holding.getsockname()[1], shared_port=True)
        previous = signal.signal(signal.SIGTERM, stop)
        servers = Servers(settings, client_wanted, count)
        try:
            await_first(settings.host, settings.port)
            ready(address_of(settings), settings)
            while True:
                servers.replace_dead()
        except (KeyboardInterrupt, Stopped):
            pass
        finally:
            signal.signal(signal.SIGTERM, previous)
            servers.end()


def await_first(host: str, port: int) -> None:
    """Wait until one of them answers; if none does, whatever they say is all that helps."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        with suppress(OSError):
            socket.create_connection((NEAR.get(host, host), port), 1.0).close()
            return
        time.sleep(PAUSE)


def stop(number: int, frame: FrameType | None) -> None:
    """End in order."""
    raise Stopped
