"""How workers and authors talk to a server of leagues: JSON over HTTP, tried again if need be."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPException
from pathlib import Path
from typing import Any, Protocol

from sandtable.errors import SandtableError

__all__ = [
    "Link",
    "NotAccepted",
    "ServerFault",
    "ServerLink",
    "Unreachable",
    "client_text",
    "patiently",
]

SECONDS_TO_ANSWER = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 15.0
AGAIN = (429, 500, 502, 503, 504)
FAULT = 500
NO_LEAGUES = "what answers there is no server of leagues"


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
        self.address = checked_address(address)
        self.token = None if token is None else checked_token(token)

    def post(
        self, path: str, data: Mapping[str, Any], seconds: float = SECONDS_TO_ANSWER
    ) -> dict[str, Any]:
        """Send data once."""
        return self.read_object(self.request(path, json.dumps(dict(data)).encode(), seconds))

    def upload(self, path: str, data: bytes) -> dict[str, Any]:
        """Send a file."""
        kind = "application/octet-stream"
        return self.read_object(self.request(path, data, SECONDS_TO_ANSWER, kind))

    def download(self, digest: str) -> bytes:
        """Return a file."""
        return self.request(f"/api/work/files/{digest}", None, SECONDS_TO_ANSWER)

    def get(self, path: str) -> Any:
        """Return what the server tells."""
        return self.read(self.request(path, None, SECONDS_TO_ANSWER))

    def read(self, data: bytes) -> Any:
        """Read an answer; NotAccepted: it is none of a server of leagues."""
        try:
            return json.loads(data)
        except ValueError:
            raise NotAccepted(f"{self.address}: {NO_LEAGUES}") from None

    def read_object(self, data: bytes) -> dict[str, Any]:
        """Read an answer that is an object."""
        found = self.read(data)
        if not isinstance(found, dict):
            raise NotAccepted(f"{self.address}: {NO_LEAGUES}")
        return found

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


def checked_address(address: str) -> str:
    """Return the address of a server without a slash at its end, or say that it is none.

    >>> checked_address("http://127.0.0.1:8100/")
    'http://127.0.0.1:8100'
    """
    try:
        parts = urllib.parse.urlsplit(address)
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a port that is no number or too large, a bracket that is not closed
        known = False
    if not known or not is_plain(address):
        raise SandtableError(f"{address!r} is no address of a server; write http://HOST:PORT")
    return address.rstrip("/")


def checked_token(token: str) -> str:
    """Return a token without the line end that a file may leave; it is never repeated."""
    if not is_plain(token.strip()):
        raise SandtableError(
            "a token has plain letters, digits, - and _ only; give it as it was printed"
        )
    return token.strip()


def is_plain(text: str) -> bool:
    """Say whether text can stand in a request as it is.

    >>> is_plain("http://127.0.0.1:8100"), is_plain("two words"), is_plain("g\\u00e4ste")
    (True, False, False)
    """
    return text != "" and text.isascii() and text.isprintable() and " " not in text


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


def client_text() -> str:
    """Return the library for bots on their authors' machines.

    >>> "def play(" in client_text()
    True
    """
    return Path(__file__).with_name("client.py").read_text(encoding="utf-8")
