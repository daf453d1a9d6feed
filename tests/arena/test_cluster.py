"""Clusters: who may be reached, and one line for whatever is missing; kills are in test_kills."""

from __future__ import annotations

import socket
import sys

import pytest

from sandtable.arena.play.cluster import check_address, connect
from sandtable.arena.play.plan import make_plan
from sandtable.arena.play.processes import MOST_DEATHS, Deaths
from sandtable.arena.play.tasks import Task
from sandtable.errors import MissingExtra, SandtableError

SETTINGS = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch, tmp_path):
    for name in SETTINGS:
        monkeypatch.setenv(name, "")  # so that what is set here is taken back at the end
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.parametrize("address", ["", "host", "host:", ":6379", "ray://host:10001", "host:x"])
def test_what_is_no_address(address):
    with pytest.raises(SandtableError, match="is no address of a cluster; write HOST:PORT"):
        check_address(address)


def test_a_token_is_needed_everywhere(monkeypatch, tmp_path):
    for address in ("127.0.0.1:6379", "192.0.2.1:6379", "[::1]:6379"):
        with pytest.raises(SandtableError, match="needs a token: set RAY_AUTH_TOKEN or"):
            check_address(address)
    monkeypatch.setenv("RAY_AUTH_TOKEN", "0" * 64)
    check_address("192.0.2.1:6379")
    monkeypatch.delenv("RAY_AUTH_TOKEN")
    (tmp_path / ".ray").mkdir()
    (tmp_path / ".ray" / "auth_token").write_text("0" * 64)
    check_address("192.0.2.1:6379")


def test_only_this_machine_may_do_without(monkeypatch):
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    for address in ("127.0.0.1:6379", "127.0.0.2:6379", "localhost:6379", "[::1]:6379"):
        check_address(address)
    for address in ("192.0.2.1:6379", "example.org:6379", "0.0.0.0:6379"):
        with pytest.raises(SandtableError, match="a cluster over the network must ask for a token"):
            check_address(address)


def test_missing_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install 'sandtable-games\[cluster\]'"):
        connect("127.0.0.1:6379")


def test_nobody_there():
    pytest.importorskip("ray", reason="the extra 'cluster' is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(SandtableError, match=f"there is no cluster at 127.0.0.1:{port}: "):
        connect(f"127.0.0.1:{port}")


def test_a_deadly_game_is_found():
    plan = make_plan("lucid", ["random", "random"], 1000, 0)
    deaths = Deaths([plan], workers=100)
    task, waiting = Task(0, 0, 100), []
    with pytest.raises(SandtableError, match="a worker died 5 times at game 61 of random - random"):
        for _ in range(100):  # whoever plays game 61 dies, all other games are survived
            waiting += deaths.again([task])
            survived = [each for each in waiting if not 0 <= 61 - each.first < each.count]
            (task,) = (each for each in waiting if each not in survived)
            waiting.clear()
    deaths = Deaths([plan], workers=1)
    with pytest.raises(SandtableError, match="5 workers died one after the other"):
        for _ in range(MOST_DEATHS):
            deaths.again([])
