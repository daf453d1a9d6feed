"""How an assistant reaches the server: standard input and output, or HTTP with a token.

Standard output carries the protocol and nothing else: while it is served, whatever else is printed
goes to standard error.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from sandtable.assistants.host import Host, HostSettings
from sandtable.assistants.running_server import RunningServer
from sandtable.assistants.service import Service, make_service
from sandtable.errors import SandtableError
from sandtable.server.addresses import EVERYWHERE, is_loopback, shown_host
from sandtable.server.limits import Receive, Scope, Send, known_hosts
from sandtable.server.serve import listen
from sandtable.server.settings import Settings

__all__ = ["HttpSettings", "TokenGuard", "fresh_token", "http_server", "serve"]

PATH = "/mcp"
LEAST_TOKEN = 16  # characters of a token that somebody chose
TOKEN_BYTES = 24
MOST_LINE = 4 << 20  # bytes of one message
MOST_WAITING = 16  # messages that were read and not answered yet
PIECE = 1 << 16
MOST_SESSIONS = 100
IDLE_SECONDS = 1800.0
SIGNALS = (signal.SIGINT, signal.SIGTERM)
NO_CLIENT = "this needs the token of the server: Authorization: Bearer TOKEN"


@dataclass(frozen=True)
class HttpSettings:
    """Where and for whom to listen.

    >>> HttpSettings(token="x" * 16).host
    '127.0.0.1'
    """

    host: str = "127.0.0.1"
    port: int = 8765
    token: str | None = None  # None: nobody asks for one, and only this machine is heard
    hosts: tuple[str, ...] = ()  # more names under which it is reached

    def check(self) -> None:
        """Refuse what would let others in."""
        if self.token is None and not is_loopback(self.host):
            raise SandtableError(
                f"without a token only this machine is served; leave --no-token out to listen on "
                f"{self.host}"
            )
        if self.token is not None and len(self.token) < LEAST_TOKEN:
            raise SandtableError(f"a token has at least {LEAST_TOKEN} characters")


def fresh_token() -> str:
    """Return a token that nobody guesses.

    >>> len(fresh_token()) >= LEAST_TOKEN
    True
    """
    return secrets.token_urlsafe(TOKEN_BYTES)


# --- standard input and output --------------------------------------------------------------------


class InputLines:
    """Lines of a file descriptor, read by a thread that nobody has to wait for at the end."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.loop = asyncio.get_running_loop()
        self.lines: asyncio.Queue[str | None] = asyncio.Queue()
        self.room = threading.Semaphore(MOST_WAITING)
        threading.Thread(target=self.read, daemon=True).start()

    def __aiter__(self) -> InputLines:
        return self

    async def __anext__(self) -> str:
        line = await self.lines.get()
        self.room.release()
        if line is None:
            raise StopAsyncIteration
        return line

    def read(self) -> None:
        """Read lines until there are no more; of one that is too long only the beginning."""
        waiting = bytearray()
        with suppress(OSError, RuntimeError):  # the loop may end at any moment
            while piece := os.read(self.descriptor, PIECE):
                *whole, rest = bytes(waiting + piece).split(b"\n")
                waiting = bytearray(rest[:MOST_LINE])
                for line in whole:
                    self.hand_over(line[:MOST_LINE].decode("utf-8", "replace") + "\n")
            self.hand_over(None)

    def hand_over(self, line: str | None) -> None:
        """Give a line to the loop as soon as there is room, if there still is a loop."""
        self.room.acquire()
        self.loop.call_soon_threadsafe(self.lines.put_nowait, line)


async def serve_standard_streams(service: Service) -> None:
    """Serve one assistant until it closes our standard input."""
    lines: Any = InputLines(os.dup(0))
    lowlevel = service._lowlevel_server  # the SDK's own way here waits for input that never comes
    async with stdio_server(stdin=lines) as (reading, writing):
        await lowlevel.run(reading, writing, lowlevel.create_initialization_options())


# --- HTTP -----------------------------------------------------------------------------------------


class TokenGuard:
    """Stands before the application: without the token nothing gets there."""

    def __init__(self, application: Any, token: str | None) -> None:
        self.application, self.token = application, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, then hand it on."""
        if scope["type"] == "http" and not self.knows(scope):
            headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            body = b'{"error": "' + NO_CLIENT.encode() + b'"}'
            await send({"type": "http.response.body", "body": body})
            return
        await self.application(scope, receive, send)

    def knows(self, scope: Scope) -> bool:
        """Say whether a request brings the token; compared in constant time."""
        if self.token is None:
            return True
        given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        scheme, _, token = given.partition(b" ")
        same = hmac.compare_digest(token.strip(), self.token.encode())
        return same and scheme.lower() == b"bearer"


def http_application(service: Service, wanted: HttpSettings) -> TokenGuard:
    """Return the application that serves assistants over HTTP."""
    facts = Settings(Path(), Path(), Path(), wanted.host, wanted.port, hosts=wanted.hosts)
    hosts = sorted(known_hosts(facts))
    # Where all addresses of the machine are listened on, no list of names is whole; the token is
    # always wanted there, and a page that came by another name cannot know it.
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=wanted.host not in EVERYWHERE,
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts],
    )
    application = service.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MOST_LINE,
        session_idle_timeout=IDLE_SECONDS,
        max_sessions=MOST_SESSIONS,
        transport_security=security,
        host=wanted.host,
    )
    return TokenGuard(application, wanted.token)


class QuietServer(uvicorn.Server):
    """Leaves signals alone: whoever started it says when it is to stop."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take no signal."""
        yield

    def stop(self) -> None:
        """Answer what has been asked, and end."""
        self.should_exit = True


def http_server(service: Service, wanted: HttpSettings) -> QuietServer:
    """Return a server for assistants over HTTP; it is told where to listen when it begins."""
    config = uvicorn.Config(
        http_application(service, wanted),
        log_level="warning",
        access_log=False,
        lifespan="on",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
    )
    return QuietServer(config)


# --- both -----------------------------------------------------------------------------------------


def serve(
    settings: HostSettings,
    running: RunningServer,
    http: HttpSettings | None,
    ready: Callable[[str], None],
) -> None:
    """Serve assistants until their input ends; Ctrl-C ends it cleanly, as KeyboardInterrupt."""
    if http is not None:
        http.check()
    if asyncio.run(served(settings, running, http, ready)):
        raise KeyboardInterrupt


async def served(
    settings: HostSettings,
    running: RunningServer,
    http: HttpSettings | None,
    ready: Callable[[str], None],
) -> bool:
    """Serve; return whether somebody stopped it."""
    async with Host(settings) as host:
        service = make_service(host, running)
        if http is None:
            return await until_stopped(serve_standard_streams(service))
        facts = Settings(Path(), Path(), Path(), http.host, http.port)
        with closing(listen(facts)) as listener:
            port = int(listener.getsockname()[1])  # the one that was found for port 0
            server = http_server(service, replace(http, port=port))
            shown = "127.0.0.1" if http.host in EVERYWHERE else http.host
            ready(f"http://{shown_host(shown, port)}{PATH}")
            return await until_stopped(server.serve(sockets=[listener]), server.stop)


async def until_stopped(
    work: Coroutine[Any, Any, None], stop: Callable[[], None] | None = None
) -> bool:
    """Do something until it ends or a signal ends it; return whether a signal did."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    stopped = False

    def end() -> None:
        nonlocal stopped
        stopped = True
        (stop or task.cancel)()

    def end_soon(number: int, frame: object) -> None:
        loop.call_soon_threadsafe(end)

    before = {}
    for number in SIGNALS:
        try:
            loop.add_signal_handler(number, end)
        except NotImplementedError:  # on Windows
            before[number] = signal.signal(number, end_soon)
    try:
        await task
    except asyncio.CancelledError:
        if not stopped:
            raise
    finally:
        for number in set(SIGNALS) - set(before):
            loop.remove_signal_handler(number)
        for number, handler in before.items():
            signal.signal(number, handler)
    return stopped
