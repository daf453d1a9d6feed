"""Who asks, where a proxy stands in front: by its word, if it is one of ours."""

from __future__ import annotations

from typing import Any

__all__ = ["true_address", "with_true_addresses"]

FORWARDED_FOR = b"x-forwarded-for"


def true_address(client: str, forwarded: str, proxies: tuple[str, ...]) -> str:
    """Return the last address in a chain that is none of our proxies.

    What stands before it was written by strangers.

    >>> true_address("127.0.0.1", "198.51.100.7, 203.0.113.5", ("127.0.0.1",))
    '203.0.113.5'
    >>> true_address("203.0.113.9", "198.51.100.7", ("127.0.0.1",))
    '203.0.113.9'
    """
    chain = [each.strip() for each in forwarded.split(",") if each.strip()]
    found = client
    while found in proxies and chain:
        found = chain.pop()
    return found


class TrueAddresses:
    """Stands before everything, and says who asks."""

    def __init__(self, application: Any, proxies: tuple[str, ...]) -> None:
        self.application, self.proxies = application, proxies

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Hand a request on with the address of whoever began it."""
        client = scope.get("client")
        if client is not None and client[0] in self.proxies:
            said = [value for name, value in scope["headers"] if name.lower() == FORWARDED_FOR]
            address = true_address(client[0], b",".join(said).decode("latin-1"), self.proxies)
            scope = {**scope, "client": (address, 0)}
        await self.application(scope, receive, send)


def with_true_addresses(application: Any, proxies: tuple[str, ...]) -> Any:
    """Return an application that believes these proxies; without any it stays as it is."""
    return TrueAddresses(application, proxies) if proxies else application
