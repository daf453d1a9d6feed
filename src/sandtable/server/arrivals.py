"""How long a connection may take: for its request, for the body, for reading what it is sent.

uvicorn gives a client that has begun a request all the time in the world. These protocols are its
own, with a clock for whatever the client is to do next. Connections that only wait (nothing asked
yet, half of it, or nothing since the last answer) are few by address: for one more the oldest goes.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from sandtable.server.listener import network_of
from sandtable.server.settings import Limits

__all__ = ["Waiting", "protocols"]

MOMENT = 2.0  # seconds: enough for a request of somebody who means it, also where many come


class Waiting:
    """The connections that have not asked for anything, or not wholly, the oldest first.

    Where many come at once, a class that follows one link, what they ask for is on its way: nobody
    is let go before a moment has passed.
    """

    def __init__(self, limits: Limits, most: int) -> None:
        # An address that takes all it may have must not be able to wait with all of it.
        self.most, self.most_by_address = most, min(limits.waiting_per_address, max(most // 2, 1))
        self.all: OrderedDict[TimedRequests, str] = OrderedDict()
        self.by_address: dict[str, OrderedDict[TimedRequests, float]] = {}

    def add(self, protocol: TimedRequests, address: str) -> None:
        """Note one more; soon the oldest have to go if there are too many."""
        if protocol in self.all:
            return
        self.all[protocol] = address
        own = self.by_address.setdefault(address, OrderedDict())
        own[protocol] = protocol.loop.time()
        if len(own) > self.most_by_address or len(self.all) > self.most:
            protocol.loop.call_later(MOMENT, self.let_one_go, address, own[protocol])

    def let_one_go(self, address: str, since: float) -> None:
        """Let the oldest go if there are still too many, and it was there at that time."""
        own = self.by_address.get(address)
        if own is not None and len(own) > self.most_by_address:
            oldest = next(iter(own))
        elif len(self.all) > self.most:
            oldest = next(iter(self.all))
        else:
            return
        if self.by_address[self.all[oldest]][oldest] <= since:
            oldest.let_go()

    def discard(self, protocol: TimedRequests) -> None:
        """Note that one has asked for something, or has gone."""
        address = self.all.pop(protocol, None)
        if address is None:
            return
        own = self.by_address[address]
        del own[protocol]
        if not own:
            del self.by_address[address]


class Stalls:
    """Ends connections whose client does not read what it is sent."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    stall_seconds: float
    stalled: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """The client reads more slowly than we write: from now on its time runs."""
        super().pause_writing()  # type: ignore[misc]
        self.end_stall()
        self.stalled = self.loop.call_later(self.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It has read."""
        self.end_stall()
        super().resume_writing()  # type: ignore[misc]

    def end_stall(self) -> None:
        """Stop that clock."""
        if self.stalled is not None:
            self.stalled.cancel()
            self.stalled = None


class TimedRequests(Stalls, H11Protocol):
    """HTTP with a time limit for the head and for the body of a request."""

    limits: Limits
    waiting: Waiting

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.stall_seconds = self.limits.stall_seconds
        self.deadline: asyncio.TimerHandle | None = None
        self.expected: Any = None  # what the deadline is for: the state of the client

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has come; the clock runs."""
        super().connection_made(transport)
        self.look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Somebody has gone."""
        self.expect(None)
        self.end_stall()
        self.waiting.discard(self)
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came, and see what is still to come."""
        try:
            super().data_received(data)
        except h11.LocalProtocolError:  # there is no sensible answer to nonsense at this point
            self.transport.abort()
        self.look()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over; it is somebody else's to watch now."""
        self.expect(None)
        self.waiting.discard(self)
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        """An answer has gone out; the next request may already be here."""
        try:
            super().on_response_complete()
        except h11.LocalProtocolError:
            self.transport.abort()
        self.look()

    def look(self) -> None:
        """See what the client is to do next, and give it time for that."""
        state = self.conn.their_state
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            self.expect(None)
            return
        if state is h11.SEND_BODY and self.expected is not state:
            self.waiting.discard(self)  # it has begun to ask: now it is the last of them
        if state in (h11.IDLE, h11.SEND_BODY):
            self.waiting.add(self, network_of(self.client[0]) if self.client else "unknown")
        else:
            self.waiting.discard(self)
        begun = self.timeout_keep_alive_task is None or bool(self.conn.trailing_data[0])
        if state is h11.IDLE and begun:
            self.expect(state, self.limits.head_seconds, self.too_late)
        elif state is h11.SEND_BODY:
            self.expect(state, self.limits.body_seconds, self.transport.abort)
        else:  # it waits for us, or uvicorn waits for another request
            self.expect(None)

    def expect(
        self, state: Any, seconds: float = 0.0, then: Callable[[], None] | None = None
    ) -> None:
        """Run a clock for what is expected; more of the same does not set it back."""
        if state is self.expected:
            return
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None
        self.expected = state
        if then is not None:
            self.deadline = self.loop.call_later(seconds, then)

    def too_late(self) -> None:
        """The head of a request has not come in time."""
        if self.transport.is_closing():
            return
        headers = [(b"connection", b"close"), (b"content-length", b"0")]
        answer = h11.Response(status_code=408, headers=headers, reason=b"Request Timeout")
        try:
            self.transport.write(self.conn.send(answer) or b"")
        except h11.LocalProtocolError:
            self.transport.abort()
        self.let_go()

    def let_go(self) -> None:
        """End the connection."""
        self.waiting.discard(self)
        self.expect(None)
        self.transport.close()


class TimedMessages(Stalls, WebSocketsSansIOProtocol):
    """A WebSocket whose client has to read."""

    limits: Limits

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.stall_seconds = self.limits.stall_seconds

    def connection_lost(self, exc: Exception | None) -> None:
        """Somebody has gone."""
        self.end_stall()
        super().connection_lost(exc)


def protocols(limits: Limits, most: int) -> tuple[type[TimedRequests], type[TimedMessages]]:
    """Return the protocols of one server that lets in so many connections."""
    shared = {"limits": limits, "waiting": Waiting(limits, max(most // 2, 1))}
    requests = type("Requests", (TimedRequests,), shared)
    messages = type("Messages", (TimedMessages,), {"limits": limits})
    return requests, messages
