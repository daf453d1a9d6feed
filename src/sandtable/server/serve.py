"""Runs the server: everything that can be wrong is said before the first request."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import uvicorn

from sandtable.arena.play.cluster import check_address, check_reachable
from sandtable.errors import MissingExtra, SandtableError
from sandtable.server.addresses import address_of, is_loopback
from sandtable.server.application import CLIENT_MISSING, STATIC, make_application
from sandtable.server.arrivals import protocols
from sandtable.server.listener import AT_A_TIME, Admissions, Listener, raise_file_limit
from sandtable.server.quiet_log import bound_logs
from sandtable.server.settings import Limits, Settings

__all__ = ["Serving", "address_of", "config_of", "is_loopback", "listen", "serve",
           "uvicorn_config"]  # fmt: skip

SWITCH_SECONDS = 0.001  # after which whoever answers players gets the interpreter from a thread


def listen(settings: Settings) -> Listener:
    """Open the port, or say in one line why that cannot be."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
    except OSError as problem:
        raise SandtableError(
            f"'{settings.host}' is no address of this machine: {problem}"
        ) from None
    family, kind, protocol, _, address = found[0]
    listener = Listener(settings.limits, family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if settings.shared_port:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind(address)
        listener.listen()
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


def listen_for_peers(settings: Settings) -> Listener:
    """Open the port for the other servers; all that people ask of one may come from another."""
    limits = Limits.for_address(settings.limits.connections)
    inner = replace(settings, host=settings.peers_host, port=settings.peers_port, limits=limits)
    inner = replace(inner, shared_port=False)
    listener = listen(inner)
    if port_of(listener) == settings.port:
        listener.close()
        raise SandtableError("the port for other servers cannot be that for everybody (--peers)")
    return listener


def look_for_cluster(address: str) -> None:
    """Say in one line why there is no such cluster, or why it may not be used."""
    if find_spec("ray") is None:
        raise MissingExtra("letting programs think on a cluster", "cluster")
    check_address(address)
    check_reachable(address)


def with_shared_key(settings: Settings) -> Settings:
    """Return settings with the key of all servers that share their rooms, if one is wanted."""
    if settings.rooms is None or settings.key is None:
        return settings
    return replace(settings, key=shared_key(settings.rooms))


def shared_key(rooms: str) -> str:
    """Return the key of all servers that share their rooms: a link of one opens the others."""
    from sandtable.server.shared.database import Database

    database = Database(rooms)
    try:
        database.set_up()
        return database.key()
    finally:
        database.close()


def port_of(listener: Listener) -> int:
    """Return the port that is listened on: the one that was found for port 0."""
    return int(listener.getsockname()[1])


def uvicorn_config(settings: Settings, static: Path | None = None) -> uvicorn.Config:
    """Return how uvicorn is to serve the application of rooms."""
    return config_of(make_application(settings, static), settings)


def config_of(application: Any, settings: Settings) -> uvicorn.Config:
    """Return how uvicorn is to serve an application."""
    requests, messages = protocols(settings.limits, Admissions(settings.limits).most)
    config = uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        lifespan="on",
        loop="asyncio",  # which takes connections through our listener
        http=requests,
        ws=messages,
        ws_max_size=settings.limits.message_bytes,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        ws_per_message_deflate=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        backlog=AT_A_TIME,
        server_header=False,
        proxy_headers=False,
    )
    bound_logs()
    return config


class Serving(uvicorn.Server):
    """Serves until Ctrl-C; whoever presses it again waits for no connection any more.

    Games are stopped in order all the same: programs end, and other servers hear of it.
    """

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End connections, and then what runs beside them; uvicorn in a hurry leaves that out."""
        await super().shutdown(sockets)
        if self.force_exit:
            await self.lifespan.shutdown()


def serve(
    settings: Settings, *, client_wanted: bool, ready: Callable[[str, Settings], None]
) -> None:
    """Serve until Ctrl-C."""
    if settings.external and settings.key is None:
        raise SandtableError("a server that starts external programs needs a key")
    settings = with_shared_key(settings)
    if client_wanted and not (STATIC / "index.html").is_file():
        raise SandtableError(CLIENT_MISSING)
    if settings.cluster is not None:
        look_for_cluster(settings.cluster)
    too_few = raise_file_limit(settings.limits)
    if too_few is not None:
        print(f"note: {too_few}", file=sys.stderr)
    sys.setswitchinterval(SWITCH_SECONDS)
    listeners = [listen(settings)]
    settings = replace(settings, port=port_of(listeners[0]))
    try:
        if settings.rooms is not None:
            listeners.append(listen_for_peers(settings))
            settings = replace(settings, peers_port=port_of(listeners[1]))
        config = uvicorn_config(settings)
        ready(address_of(settings), settings)
        Serving(config).run(sockets=[*listeners])
    finally:
        for listener in listeners:
            listener.close()
