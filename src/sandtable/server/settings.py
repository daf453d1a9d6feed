"""How a server is set up."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Limits", "Settings"]


@dataclass(frozen=True)
class Limits:
    """How much one client, and all of them together, may ask for."""

    requests_per_second: float = 50.0  # of one address, over HTTP
    request_burst: float = 200.0
    rooms_per_second: float = 10.0
    room_burst: float = 60.0
    messages_per_second: float = 60.0  # of one WebSocket
    message_burst: float = 240.0
    message_bytes: int = 16 * 1024
    body_bytes: int = 64 * 1024
    upload_bytes: int = 10 * 1024 * 1024
    sockets: int = 4000
    sockets_per_address: int = 2500
    rooms: int = 5000  # whose games go on
    jobs: int = 4  # that run at a time
    join_seconds: float = 10.0


@dataclass(frozen=True)
class Settings:
    """What ``sandtable serve`` was asked for."""

    data: Path  # the folder of rooms
    archive: Path  # finished games
    runs: Path  # training runs
    host: str = "127.0.0.1"
    port: int = 8000
    key: str | None = None  # wanted for whatever starts work; None: nobody asks
    hosts: tuple[str, ...] = ()  # more names under which the server is reached
    external: bool = False  # let rooms seat external programs
    move_time: float = 60.0  # seconds a program may think
    workers: int = 2  # processes that are always there
    most_workers: int = 6
    limits: Limits = field(default_factory=Limits)
