"""How workers and authors talk to a server of leagues: JSON over HTTP, tried again if need be."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any, Protocol

from sandtable.errors import SandtableError

__all__ = ["Link", "NotAccepted", "ServerFault", "ServerLink", "Unreachable", "patiently"]

SECONDS_TO_ANSWER = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 15.0
AGAIN = (429, 500, 502, 503, 504)
FAULT = 500


class Unreachable(SandtableError):
    """The server does not answer now; it may later."""


class ServerFault(Unreachable):
    """The server has failed at this very request; it may fail at it for ever."""


class NotAccepted(SandtableError):
    """The server has answered no."""


class Link(Protocol):
    """What a worker needs of the server."""

    def post(self, path: str, data: Mapping[str, Any], seconds: float = ...) -> dict[str, Any]:
        """Send data once; Unreachable or NotAccepted say why there is no answer."""
        ...

    def download(self, digest: str) -> bytes:
        """Return a file."""
        ...


class ServerLink:
    """A server that is reached by its address, with the token of whoever asks."""

    def __init__(self, address: str, token: str | None = None) -> None:
        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise SandtableError(f"'{address}' is no address of a server; write http://HOST:PORT")
        self.address, self.token = address.rstrip("/"), token

    def post(
        self, path: str, data: Mapping[str, Any], seconds: float = SECONDS_TO_ANSWER
    ) -> dict[str, Any]:
        """Send data once."""
        return read_object(self.request(path, json.dumps(dict(data)).encode(), seconds))

    def upload(self, path: str, data: bytes) -> dict[str, Any]:
        """Send a file."""
        return read_object(self.request(path, data, SECONDS_TO_ANSWER, "application/octet-stream"))

    def download(self, digest: str) -> bytes:
        """Return a file."""
        return self.request(f"/api/work/files/{digest}", None, SECONDS_TO_ANSWER)

    def get(self, path: str) -> Any:
        """Return what the server tells."""
        return json.loads(self.request(path, None, SECONDS_TO_ANSWER))

    def request(
        self, path: str, body: bytes | None, seconds: float, kind: str = "application/json"
    ) -> bytes:
        """Ask once."""
        headers = {"Content-Type": kind, "Accept": "application/json"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        wanted = urllib.request.Request(self.address + path, body, headers)
        try:
            with urllib.request.urlopen(wanted, timeout=seconds) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as problem:
            line = said(problem)
            if problem.code == FAULT:
                raise ServerFault(f"{self.address}: {line}") from None
            if problem.code in AGAIN:
                raise Unreachable(f"{self.address}: {line}") from None
            raise NotAccepted(f"{self.address}: {line}") from None
        except (urllib.error.URLError, HTTPException, OSError) as problem:
            reason = getattr(problem, "reason", problem)
            raise Unreachable(f"{self.address} does not answer: {reason}") from None


def said(problem: urllib.error.HTTPError) -> str:
    """Return the line in which a server says no."""
    try:
        return str(json.loads(problem.read())["error"])[:500]
    except (ValueError, KeyError, TypeError, OSError, HTTPException):
        return f"status {problem.code}"


def read_object(data: bytes) -> dict[str, Any]:
    """Read an answer, which is an object."""
    try:
        found = json.loads(data)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise NotAccepted("what answers there is no server of leagues")
    return found


def patiently(
    ask: Callable[[], dict[str, Any]],
    tell: Callable[[str], None],
    sleep: Callable[[float], None] = time.sleep,
    faults: int | None = None,
) -> dict[str, Any]:
    """Ask until there is an answer, and say once why it takes long.

    ``faults``: how often the server may fail at this request before that is raised.
    """
    pause, told, failed = FIRST_PAUSE, False, 0
    while True:
        try:
            answer = ask()
        except Unreachable as problem:
            failed += isinstance(problem, ServerFault)
            if faults is not None and failed >= faults:
                raise
            if not told:
                tell(f"{problem}; trying again (Ctrl-C stops)")
            told = True
            sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        else:
            if told:
                tell("the server is there again")
            return answer
