"""The port: whoever comes is counted by address before anything is read, and let go if too many.

Files that a process may open are few (1,024 in many shells), and every connection is one. What is
counted here are connections of all kinds; how long one may wait is for ``arrivals`` to say.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections import Counter
from contextlib import suppress
from typing import Any

from sandtable.server.settings import Limits

__all__ = ["Admissions", "Listener", "files_at_most", "network_of", "raise_file_limit"]

BACKLOG = 2048  # whoever follows the link at once waits until we answer
AT_A_TIME = 64  # connections taken from the port before anything else has its turn
RESERVED_FILES = 256  # for databases, pipes to programs, pages
FEWEST = 32
MOST_FILES = 65_536  # some systems allow a thousand million, and tables are made for all of them
REFUSAL = b'{"error": "too many connections from your address, or altogether; wait a moment"}'
REFUSED = (
    b"HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nretry-after: 5\r\n"
    b"connection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(REFUSAL), REFUSAL)
)


def files_at_most() -> int:
    """Return how many files this process may open."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return MOST_FILES
    found = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST_FILES if found == resource.RLIM_INFINITY else found


def raise_file_limit(limits: Limits) -> str | None:
    """Allow this process as many files as it can have; return a line if they are still too few."""
    wanted = limits.connections + RESERVED_FILES
    with suppress(ModuleNotFoundError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        least = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
        if soft != resource.RLIM_INFINITY and soft < least:
            resource.setrlimit(resource.RLIMIT_NOFILE, (least, hard))
    if files_at_most() >= wanted:
        return None
    few = Admissions(limits)
    return (
        f"this process may open only {files_at_most()} files, so that at most {few.most} "
        f"connections are let in at a time, {few.most_by_address} of one address; allow it "
        f"{wanted} (ulimit -n, or LimitNOFILE of a service)"
    )


def network_of(address: str) -> str:
    """Return what counts as one address: of IPv6 the network of a subscriber, who has all of it.

    >>> network_of("192.0.2.7"), network_of("2001:db8::1:7%eth0"), network_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))


class Admissions:
    """How many connections are open, by address and altogether."""

    def __init__(self, limits: Limits) -> None:
        self.most = max(FEWEST, min(limits.connections, files_at_most() - RESERVED_FILES))
        # However few files there are, some of them are for everybody else.
        self.most_by_address = min(limits.connections_per_address, max(self.most // 2, 1))
        self.by_address: Counter[str] = Counter()  # by network, see network_of
        self.open = self.refused = 0

    def enter(self, address: str) -> bool:
        """Count one more, or say that there are too many."""
        if self.open >= self.most or self.by_address[address] >= self.most_by_address:
            self.refused += 1
            return False
        self.open += 1
        self.by_address[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Count one less."""
        self.open -= 1
        self.by_address[address] -= 1
        if not self.by_address[address]:
            del self.by_address[address]


class Admitted(socket.socket):
    """A connection that is counted until it is closed."""

    admissions: Admissions | None = None
    address = ""

    def close(self) -> None:
        """Close it, and count one less."""
        admissions, self.admissions = self.admissions, None
        if admissions is not None:
            admissions.leave(self.address)
        super().close()


class Listener(socket.socket):
    """A port that lets in as many as the limits say; asyncio asks it like any other."""

    def __init__(self, limits: Limits, family: int, kind: int, protocol: int) -> None:
        super().__init__(family, kind, protocol)
        self.admissions = Admissions(limits)
        self.spare: int | None = os.open(os.devnull, os.O_RDONLY)

    def listen(self, backlog: int = BACKLOG, /) -> None:
        """Let many wait, however few are taken at a time; asyncio has one number for both."""
        super().listen(max(backlog, BACKLOG))

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection that may come in; those before it are refused."""
        for _ in range(AT_A_TIME):
            try:
                taken, address = super().accept()
            except BlockingIOError:
                raise
            except OSError:
                self.refuse_without_files()
                continue
            name = network_of(str(address[0]))
            if self.admissions.enter(name):
                admitted = Admitted(self.family, self.type, self.proto, fileno=taken.detach())
                admitted.admissions, admitted.address = self.admissions, name
                return admitted, address
            refuse(taken)
        raise BlockingIOError  # everybody else has a turn now

    def refuse_without_files(self) -> None:
        """Take the next connection with the file kept for that, and let it go.

        Otherwise it would stay at the door, and asyncio would be woken for it without end.
        """
        if self.spare is not None:
            os.close(self.spare)
            self.spare = None
        with suppress(OSError):
            super().accept()[0].close()
        with suppress(OSError):
            self.spare = os.open(os.devnull, os.O_RDONLY)

    def close(self) -> None:
        """Close the port."""
        spare, self.spare = self.spare, None
        if spare is not None:
            os.close(spare)
        super().close()


def refuse(taken: socket.socket) -> None:
    """Say why, as far as that goes without waiting, and close."""
    with suppress(OSError):
        taken.setblocking(False)
        taken.send(REFUSED)
        taken.shutdown(socket.SHUT_WR)
    taken.close()
