"""Who may talk to the server at all: known hosts, own pages, a measured pace, small bodies."""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any, TypeAlias

from fastapi import HTTPException

from sandtable.server.addresses import EVERYWHERE, shown_host
from sandtable.server.connections import encoded
from sandtable.server.error_pages import error_page, wants_page
from sandtable.server.listener import network_of
from sandtable.server.settings import Settings
from sandtable.specs import without_files

__all__ = ["Bucket", "Guard"]

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
UPLOAD_PATH = "/api/archive"
MOST_ADDRESSES = 10_000
TOO_MANY = 429
HOST_NAME = re.compile(r"[a-z0-9.-]{1,200}(:[0-9]{1,5})?")

POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]


class Bucket:
    """Lets things pass at a pace, with a burst now and then."""

    __slots__ = ("burst", "level", "rate", "seen")

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst, self.level = rate, burst, burst
        self.seen = time.monotonic()

    def take(self) -> bool:
        """Say whether one more may pass now."""
        now = time.monotonic()
        self.level = min(self.burst, self.level + (now - self.seen) * self.rate)
        self.seen = now
        if self.level < 1.0:
            return False
        self.level -= 1.0
        return True


def is_upload(path: str) -> bool:
    """Say whether a file may come to a path."""
    return path == UPLOAD_PATH


class Guard:
    """Stands before the application; what it refuses never gets there."""

    def __init__(
        self, application: Any, settings: Settings, uploads: Callable[[str], bool] = is_upload
    ) -> None:
        self.application, self.settings = application, settings
        self.uploads = uploads  # paths whose bodies may be as large as files
        self.buckets: OrderedDict[str, Bucket] = OrderedDict()
        self.making: OrderedDict[str, Bucket] = OrderedDict()
        self.hosts = known_hosts(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request or a WebSocket, then hand it on."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        problem = self.problem(scope, headers)
        if problem is not None:
            await refuse(scope, receive, send, *problem, page=wants_page(headers))
            return
        with without_files():  # whatever games and agents it names
            if scope["type"] == "websocket":
                with suppress(asyncio.CancelledError):  # the server stops while it is open
                    await self.application(scope, receive, send)
            else:
                await self.pass_on(scope, receive, send)

    def problem(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """Return status and line if something is wrong with a request."""
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if host not in self.hosts and host != self.own_address(scope):
            return 421, (
                "this server does not know the name it was called by; open the address that it "
                f"printed, or start it with --allow-host {safe_name(host)}"
            )
        origin = headers.get(b"origin")
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if origin is not None and changes:
            allowed = {f"http://{host}", f"https://{host}"}
            if origin.decode("latin-1").lower() not in allowed:
                return 403, "requests come from the pages of this server only"
        address = network_of((scope.get("client") or ("unknown", 0))[0])
        limits = self.settings.limits
        if not bucket(
            self.buckets, address, limits.requests_per_second, limits.request_burst
        ).take():
            return TOO_MANY, "too many requests; wait a moment"
        makes = scope["type"] == "http" and scope["method"] == "POST"
        if (
            makes
            and not bucket(self.making, address, limits.rooms_per_second, limits.room_burst).take()
        ):
            return TOO_MANY, "too many requests; wait a moment"
        return None

    def own_address(self, scope: Scope) -> str | None:
        """Return the address a client came to, if the server listens on all that there are.

        A page of somebody else cannot use it: what stands there is an address and no name, which
        could be made to mean another machine.
        """
        if self.settings.host not in EVERYWHERE or not scope.get("server"):
            return None
        return shown_host(str(scope["server"][0]), self.settings.port)

    async def pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, measure its body, and add headers to the answer."""
        limits = self.settings.limits
        upload = self.uploads(scope["path"])
        most = limits.upload_bytes if upload else limits.body_bytes
        received, began = 0, False

        async def measured() -> MutableMapping[str, Any]:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise HTTPException(413, "this is too large")
            return message

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                message["headers"] = [*message.get("headers", []), *HEADERS]
                if scope["path"].startswith("/api/"):
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        try:
            await self.application(scope, measured, with_headers)
        except asyncio.CancelledError:  # the server stops before this was answered
            if not began:
                await refuse(scope, receive, send, 503, "the server is stopping")


def known_hosts(settings: Settings) -> set[str]:
    """Return the values of the Host header that the server answers to."""
    names = {*LOOPBACK, settings.host.lower(), *(name.lower() for name in settings.hosts)}
    names -= set(EVERYWHERE)
    with_port = {shown_host(name, settings.port) for name in names if name != "[::1]"}
    with_port.add(f"[::1]:{settings.port}")
    given = {name.lower() for name in settings.hosts}  # a proxy in front has the usual port
    return with_port | given | (names if settings.port in (80, 443) else set())


def bucket(buckets: OrderedDict[str, Bucket], address: str, rate: float, burst: float) -> Bucket:
    """Return the bucket of an address; those not used for longest are forgotten."""
    found = buckets.get(address)
    if found is None:
        found = buckets[address] = Bucket(rate, burst)
        if len(buckets) > MOST_ADDRESSES:
            buckets.popitem(last=False)
    buckets.move_to_end(address)
    return found


def safe_name(host: str) -> str:
    """Return a name that came with a request, if it can be one.

    >>> safe_name("table.example.org:8000"), safe_name("<b>")
    ('table.example.org:8000', 'NAME:PORT')
    """
    return host if HOST_NAME.fullmatch(host) else "NAME:PORT"


async def refuse(
    scope: Scope, receive: Receive, send: Send, status: int, line: str, *, page: bool = False
) -> None:
    """Answer a request that is not handed on."""
    if scope["type"] == "websocket":
        await receive()
        if status == TOO_MANY:  # a browser learns code and reason only of what was open
            await send({"type": "websocket.accept"})
        code = 4429 if status == TOO_MANY else 4403
        await send({"type": "websocket.close", "code": code, "reason": line})
        return
    kind = b"text/html; charset=utf-8" if page else b"application/json"
    body = error_page(status, line) if page else encoded({"error": line})
    headers = [(b"content-type", kind), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})
