"""How a server is set up."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from sandtable.errors import SandtableError

__all__ = ["Limits", "Settings"]

NAME = re.compile(r"[A-Za-z0-9._-]{1,200}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?")


@dataclass(frozen=True)
class Limits:
    """How much one client, and all of them together, may ask for."""

    # One address may be a router with a school behind it: 200 people who open the page at once
    # are 200 WebSockets, over a thousand connections for a moment, and 3,000 requests.
    connections: int = 6000  # of all kinds, as far as the files of the process reach
    connections_per_address: int = 2500
    waiting_per_address: int = 512  # that ask for nothing; for one more the oldest is let go
    head_seconds: float = 10.0  # for the first line and the headers of a request
    body_seconds: float = 60.0
    stall_seconds: float = 30.0  # in which a client reads nothing of what it is sent
    requests_per_second: float = 300.0  # of one address, over HTTP
    request_burst: float = 4000.0
    rooms_per_second: float = 20.0
    room_burst: float = 400.0
    messages_per_second: float = 60.0  # of one WebSocket
    message_burst: float = 240.0
    message_bytes: int = 16 * 1024
    body_bytes: int = 64 * 1024
    upload_bytes: int = 10 * 1024 * 1024
    sockets: int = 4000
    sockets_per_address: int = 2500
    rooms: int = 5000  # whose games go on
    jobs: int = 4  # that run at a time
    readers: int = 2  # pages of the archive that are made at a time
    readers_waiting: int = 100
    hints_waiting: int = 100
    hint_seconds: float = 10.0
    join_seconds: float = 10.0

    @classmethod
    def for_address(cls, connections: int) -> Limits:
        """Return the usual limits with so many connections of one address."""
        usual = cls()
        return replace(
            usual,
            connections=max(usual.connections, connections),
            connections_per_address=connections,
            sockets=max(usual.sockets, connections),
            sockets_per_address=connections,
        )


@dataclass(frozen=True)
class Settings:
    """What ``sandtable serve`` was asked for."""

    data: Path  # the folder of rooms
    archive: Path | str  # finished games: a file, or the URL of a PostgreSQL server
    runs: Path  # training runs
    host: str = "127.0.0.1"
    port: int = 8000
    key: str | None = None  # wanted for whatever starts work; None: nobody asks
    hosts: tuple[str, ...] = ()  # more names under which the server is reached
    weights: Path | None = None  # trained weights that may be chosen
    external: bool = False  # let rooms seat external programs
    move_time: float = 60.0  # seconds a program may think
    workers: int = 2  # processes that are always there
    most_workers: int = 6
    limits: Limits = field(default_factory=Limits)
    rooms: str | None = None  # the URL of a PostgreSQL database that several servers share
    peers_host: str = "127.0.0.1"  # where other servers reach this one, on a port of its own
    peers_port: int = 0
    peers_name: str | None = None  # the address they are told, if it is another
    shared_port: bool = False  # other servers of this machine listen there too
    cluster: str | None = None  # the address of a Ray cluster on which programs think
    proxies: tuple[str, ...] = ()  # addresses whose word is taken for who asks

    def __post_init__(self) -> None:
        """Refuse names and addresses that no request could ever have."""
        for name in self.hosts:
            if not (NAME.fullmatch(name) or is_address(name)):
                raise SandtableError(
                    f"--allow-host takes NAME or NAME:PORT, such as example.org:8000, not '{name}'"
                )
        for address in self.proxies:
            if not is_address(address):
                raise SandtableError(f"--proxy takes an address such as 10.0.0.5, not '{address}'")

    @property
    def weights_text(self) -> str | None:
        """The folder of weights, as it is told to the processes of programs."""
        return None if self.weights is None else str(self.weights.resolve())


def is_address(text: str) -> bool:
    """Say whether a text is an address of a machine, and not its name.

    >>> is_address("10.0.0.5"), is_address("example.org")
    (True, False)
    """
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
