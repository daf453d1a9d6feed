"""Who may talk to the server at all: known hosts, own pages, a measured pace, small bodies."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any, TypeAlias

from fastapi import HTTPException

from sandtable.server.connections import encoded
from sandtable.server.settings import Settings

__all__ = ["Bucket", "Guard"]

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
UPLOAD_PATH = "/api/archive"
MOST_ADDRESSES = 10_000

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


class Guard:
    """Stands before the application; what it refuses never gets there."""

    def __init__(self, application: Any, settings: Settings) -> None:
        self.application, self.settings = application, settings
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
            await refuse(scope, receive, send, *problem)
            return
        if scope["type"] == "websocket":
            with suppress(asyncio.CancelledError):  # the server stops while it is open
                await self.application(scope, receive, send)
            return
        await self.pass_on(scope, receive, send)

    def problem(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        """Return status and line if something is wrong with a request."""
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if host not in self.hosts:
            return 421, "this server is not reached under that name; see --allow-host"
        origin = headers.get(b"origin")
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if origin is not None and changes:
            allowed = {f"http://{host}", f"https://{host}"}
            if origin.decode("latin-1").lower() not in allowed:
                return 403, "requests come from the pages of this server only"
        address = (scope.get("client") or ("unknown", 0))[0]
        limits = self.settings.limits
        if not bucket(
            self.buckets, address, limits.requests_per_second, limits.request_burst
        ).take():
            return 429, "too many requests; wait a moment"
        makes = scope["type"] == "http" and scope["method"] == "POST"
        if (
            makes
            and not bucket(self.making, address, limits.rooms_per_second, limits.room_burst).take()
        ):
            return 429, "too many requests; wait a moment"
        return None

    async def pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, measure its body, and add headers to the answer."""
        limits = self.settings.limits
        upload = scope["path"] == UPLOAD_PATH
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
    if ":" in settings.host:
        names.add(f"[{settings.host.lower()}]")
    with_port = {f"{name}:{settings.port}" for name in names if name not in ("0.0.0.0", "::")}
    bare = {name for name in settings.hosts if ":" in name}
    return (
        with_port
        | {each.lower() for each in bare}
        | (names if settings.port in (80, 443) else set())
    )


def bucket(buckets: OrderedDict[str, Bucket], address: str, rate: float, burst: float) -> Bucket:
    """Return the bucket of an address; those not used for longest are forgotten."""
    found = buckets.get(address)
    if found is None:
        found = buckets[address] = Bucket(rate, burst)
        if len(buckets) > MOST_ADDRESSES:
            buckets.popitem(last=False)
    buckets.move_to_end(address)
    return found


async def refuse(scope: Scope, receive: Receive, send: Send, status: int, line: str) -> None:
    """Answer a request that is not handed on."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 4429 if status == 429 else 4403})
        return
    headers = [(b"content-type", b"application/json"), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": encoded({"error": line}).encode()})
