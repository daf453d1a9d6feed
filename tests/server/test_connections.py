"""Connections that take too long, come too often or say nonsense; and the log about them."""

from __future__ import annotations

import dataclasses
import logging
import resource
import socket
import time

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from sandtable.server import listener
from sandtable.server.listener import Admissions, Listener, raise_file_limit
from sandtable.server.quiet_log import Throttle, bound_logs
from sandtable.server.settings import Limits
from server.running import NO_LIMITS, running, wait_until

HALF = b"GET /api/about HTTP/1.1\r\nHost: "
QUICK = dataclasses.replace(
    NO_LIMITS, head_seconds=1.0, body_seconds=1.0, waiting_per_address=20,
    connections_per_address=60, stall_seconds=1.0,
)  # fmt: skip


@pytest.fixture(scope="module")
def hurried(tmp_path_factory):
    with running(tmp_path_factory.mktemp("hurried"), workers=0, limits=QUICK) as found:
        yield found


def opened(server, data: bytes) -> socket.socket:
    host, _, port = server.host.partition(":")
    found = socket.create_connection((host, int(port)), timeout=20)
    found.sendall(data)
    return found


def ended(connection: socket.socket) -> bytes:
    """Read until the server ends a connection."""
    heard = b""
    try:
        while piece := connection.recv(4096):
            heard += piece
    except ConnectionResetError:
        pass
    connection.close()
    return heard


def test_a_crowd_that_comes_at_once_is_answered_to_the_last(tmp_path):
    """All doors are knocked at before anybody speaks: nobody is let go in the meantime."""
    limits = dataclasses.replace(QUICK, head_seconds=10.0)
    with running(tmp_path, workers=0, limits=limits) as server:
        many = [opened(server, b"") for _ in range(50)]  # 20 may wait
        wait_until(lambda: server.listener.admissions.open == 50)
        whole = f"GET /api/about HTTP/1.1\r\nHost: {server.host}\r\nConnection: close\r\n\r\n"
        for each in many:
            each.sendall(whole.encode())
        assert all(b"version" in ended(each) for each in many)


def test_half_a_request_is_let_go_in_seconds_and_others_are_answered(hurried):
    many = [opened(hurried, HALF) for _ in range(50)]
    began = time.monotonic()
    assert hurried.get("/api/about")["version"]
    wait_until(lambda: hurried.listener.admissions.open <= 22)  # the oldest go soon
    assert b"408" in ended(many[-1])
    assert time.monotonic() - began < 15
    for each in many[:-1]:
        ended(each)
    wait_until(lambda: hurried.listener.admissions.open <= 1)


def test_one_letter_after_the_other_does_not_set_the_clock_back(hurried):
    slow = opened(hurried, HALF)
    with pytest.raises((BrokenPipeError, ConnectionResetError)):
        for _ in range(200):
            slow.sendall(b"x")
            time.sleep(0.05)
    slow.close()


def test_half_a_body_is_let_go_in_seconds(hurried):
    head = f"POST /api/rooms HTTP/1.1\r\nHost: {hurried.host}\r\ncontent-length: 50\r\n\r\n{{"
    began = time.monotonic()
    ended(opened(hurried, head.encode()))
    assert time.monotonic() - began < 15


def test_one_address_leaves_some_for_others_however_few_files_there_are(tmp_path, monkeypatch):
    monkeypatch.setattr(listener, "files_at_most", lambda: listener.RESERVED_FILES + 64)
    limits = dataclasses.replace(QUICK, connections_per_address=2500, body_seconds=60.0)
    with running(tmp_path, workers=0, limits=limits) as server:
        head = f"POST /api/rooms HTTP/1.1\r\nHost: {server.host}\r\ncontent-length: 50\r\n\r\n{{"
        many = [opened(server, head.encode()) for _ in range(70)]
        host, _, port = server.host.partition(":")
        other = socket.create_connection((host, int(port)), 20, source_address=("127.0.0.2", 0))
        other.sendall(
            f"GET /api/about HTTP/1.1\r\nHost: {server.host}\r\nConnection: close\r\n\r\n".encode()
        )
        assert b"version" in ended(other)
        wait_until(lambda: server.listener.admissions.open <= 16)  # long before their minute
        assert server.get("/api/about")["version"]
        for each in many:
            each.close()


def test_a_network_of_ipv6_is_one_address():
    admissions = Admissions(dataclasses.replace(Limits(), connections_per_address=3))
    guests = [listener.network_of(f"2001:db8::{number:x}") for number in range(4)]
    assert [admissions.enter(each) for each in guests] == [True, True, True, False]
    assert admissions.enter(listener.network_of("2001:db8:0:1::1"))


def test_half_of_a_second_request_is_let_go_too(hurried):
    whole = f"GET /api/about HTTP/1.1\r\nHost: {hurried.host}\r\n\r\n".encode()
    heard = ended(opened(hurried, whole + HALF))
    assert b"version" in heard
    assert b"408" in heard


def test_more_connections_of_one_address_than_allowed_are_told_so(tmp_path):
    limits = dataclasses.replace(QUICK, connections_per_address=5, head_seconds=60.0)
    with running(tmp_path, workers=0, limits=limits) as server:
        inside = [opened(server, HALF) for _ in range(5)]
        wait_until(lambda: server.listener.admissions.open == 5)
        heard = ended(opened(server, b""))
        assert heard.startswith(b"HTTP/1.1 429 ")
        assert b"too many connections" in heard
        for each in inside:
            each.close()
        wait_until(lambda: server.listener.admissions.open == 0)
        assert server.get("/api/about")["version"]


def test_a_socket_beyond_the_pace_is_closed_with_the_documented_code_and_a_reason(tmp_path):
    limits = dataclasses.replace(NO_LIMITS, requests_per_second=0.001, request_burst=1)
    with running(tmp_path, workers=0, limits=limits) as server:
        room = server.room("skirmish", None, None)["room"]
        with (
            connect(f"ws://{server.host}/api/rooms/{room}/socket") as refused,
            pytest.raises(ConnectionClosed) as closed,
        ):
            refused.recv(20)
    assert closed.value.rcvd.code == 4429
    assert "too many" in closed.value.rcvd.reason


def test_a_class_behind_one_router_gets_in():
    """200 people open the page at once: 15 requests and a WebSocket each."""
    limits = Limits()
    admissions = Admissions(limits)
    assert limits.request_burst >= 200 * 15 + 200
    assert limits.sockets_per_address >= 1200
    admissions.most = limits.connections
    assert all(admissions.enter("10.0.0.1") for _ in range(200 * 7))


def test_without_files_left_those_who_come_are_let_go_and_nothing_spins(monkeypatch):
    port = Listener(Limits(), socket.AF_INET, socket.SOCK_STREAM, 0)
    port.bind(("127.0.0.1", 0))
    port.listen()
    port.setblocking(False)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    guest = socket.create_connection(port.getsockname(), timeout=20)
    full = [socket.socket()]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (full[0].fileno() + 1, before[1]))
        with pytest.raises(BlockingIOError):
            port.accept()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert ended(guest) == b""
    port.close()
    full[0].close()


def test_too_few_files_are_raised_or_said_in_one_line(monkeypatch):
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    lower = min(before[1], 512)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[0], lower), before[1]))
    try:
        few = dataclasses.replace(Limits(), connections=100)
        assert raise_file_limit(few) is None
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(before[1], listener.MOST_FILES)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    monkeypatch.setattr(listener, "files_at_most", lambda: 1024)
    line = raise_file_limit(Limits())
    assert line is not None and "only 1024 files" in line and "768 connections" in line
    assert "\n" not in line


def test_the_log_is_bounded_and_counts_what_is_left_out(caplog):
    bound_logs()
    logger = logging.getLogger("uvicorn.error")
    throttle = next(each for each in logger.filters if isinstance(each, Throttle))
    records = [logging.makeLogRecord({"msg": "Exception %d", "args": (n,)}) for n in range(5000)]
    kept = [record for record in records if throttle.filter(record)]
    assert len(kept) <= 30
    throttle.level = 1.0
    last = logging.makeLogRecord({"msg": "at last"})
    assert throttle.filter(last)
    assert "lines before this were left out" in last.getMessage()
    throttle.level = 1.0
    long = logging.makeLogRecord({"msg": "%s", "args": ("x%d" * 100_000,)})
    assert throttle.filter(long) and len(long.getMessage()) < 5000


def test_nonsense_is_answered_and_leaves_nothing_in_the_log(hurried, caplog):
    bound_logs()
    for nonsense in (b"\0\1\2\r\n\r\n", b"GET / HTTP/x\r\n\r\n", b"A" * 100_000):
        try:
            heard = ended(opened(hurried, nonsense))
        except ConnectionError:
            continue
        assert heard[:12] in (b"HTTP/1.1 400", b"")
    body = (
        f"POST /api/rooms HTTP/1.1\r\nHost: {hurried.host}\r\ntransfer-encoding: chunked\r\n\r\nzz"
    )
    ended(opened(hurried, body.encode()))
    assert hurried.get("/api/about")["version"]
    assert [record.getMessage() for record in caplog.records] == []
