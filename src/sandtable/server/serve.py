"""Runs the server: everything that can be wrong is said before the first request."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import uvicorn

from sandtable.errors import SandtableError
from sandtable.server.application import CLIENT_MISSING, STATIC, make_application
from sandtable.server.settings import Settings

__all__ = ["address_of", "is_loopback", "listen", "serve", "uvicorn_config"]

BACKLOG = 2048


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def listen(settings: Settings) -> socket.socket:
    """Open the port, or say in one line why that cannot be."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
    except OSError as problem:
        raise SandtableError(
            f"'{settings.host}' is no address of this machine: {problem}"
        ) from None
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(BACKLOG)  # whoever follows the link at once waits until we answer
    except OSError as problem:
        listener.close()
        where = f"{settings.host}:{settings.port}"
        if isinstance(problem, PermissionError):
            raise SandtableError(
                f"the port of {where} needs more rights; try --port 8000"
            ) from None
        raise SandtableError(
            f"{where} cannot be used ({problem.strerror}); is another server running there? Choose "
            "another with --port"
        ) from None
    return listener


def address_of(settings: Settings) -> str:
    """Return the link to the first page."""
    host = settings.host
    if host in ("0.0.0.0", "::"):
        host = settings.hosts[0] if settings.hosts else "127.0.0.1"
    shown = f"[{host}]" if ":" in host else host
    key = f"#key={settings.key}" if settings.key else ""
    return f"http://{shown}:{settings.port}/{key}"


def uvicorn_config(settings: Settings, static: Path | None = None) -> uvicorn.Config:
    """Return how uvicorn is to serve the application."""
    return uvicorn.Config(
        make_application(settings, static),
        log_level="warning",
        access_log=False,
        lifespan="on",
        ws="websockets-sansio",
        ws_max_size=settings.limits.message_bytes,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        ws_per_message_deflate=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        backlog=BACKLOG,
        server_header=False,
        proxy_headers=False,
    )


def serve(settings: Settings, *, client_wanted: bool, ready: Callable[[str], None]) -> None:
    """Serve until Ctrl-C."""
    if client_wanted and not (STATIC / "index.html").is_file():
        raise SandtableError(CLIENT_MISSING)
    listener = listen(settings)
    port = int(listener.getsockname()[1])  # the one that was found for port 0
    settings = replace(settings, port=port)
    try:
        config = uvicorn_config(settings)
        ready(address_of(settings))
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        listener.close()
