"""Workers of a league on a cluster, one of which is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.ray_nodes import RayNodes, descendants
from sandtable.errors import SandtableError
from sandtable.league.bots import add_author, add_bot, author_by_token
from sandtable.league.cluster import work_on_cluster
from sandtable.league.standings import standings_of
from sandtable.league.store import Store
from sandtable.league.worker import WorkerOptions

SANDTABLE = (sys.executable, "-m", "sandtable")
PATIENCE = 600  # seconds; only what hangs shall end by it


@pytest.fixture
def served(tmp_path):
    """A league of four bots with its server, in processes of their own."""
    store = Store.open(tmp_path / "leagues.db")
    league = store.add_league("open", "skirmish", seed=5, most_rounds=6, move_time=60.0)
    author = author_by_token(store, add_author(store, league, "ann"))
    for number in range(4):
        spec = ("random", "skirmish/greedy")[number % 2]
        add_bot(store, league, author, f"bot-{number}", "agent", spec)
    log = (tmp_path / "log").open("wb")
    server = subprocess.Popen(
        [*SANDTABLE, "league", "serve", "--data", str(tmp_path), "--port", "0", "--lease", "2"],
        stdout=log, stderr=subprocess.STDOUT,
    )  # fmt: skip
    said, deadline = tmp_path / "log", time.monotonic() + PATIENCE
    while "--token" not in said.read_text():
        assert server.poll() is None and time.monotonic() < deadline, said.read_text()
        time.sleep(0.05)
    words = said.read_text().split("work ")[1].split()
    yield store, words[0], words[2]
    server.send_signal(signal.SIGINT)
    server.wait(PATIENCE)
    log.close()
    store.close()


def test_workers_on_a_cluster_finish_a_league_though_one_dies(tmp_path, served):
    pytest.importorskip("ray", reason="the extra 'cluster' is not installed")
    store, address, token = served
    nodes = RayNodes({**os.environ, "SANDTABLE_STATE": str(tmp_path)}, second=False)
    try:
        worker = subprocess.Popen(
            [*SANDTABLE, "league", "work", address, "--token", token, "--until-idle",
             "--cluster", nodes.address],
            env=nodes.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        killed, deadline = False, time.monotonic() + PATIENCE
        while worker.poll() is None:
            assert time.monotonic() < deadline
            playing = [p for node in nodes.nodes for p in descendants(node.pid) if works(p)]
            if playing and not killed:
                os.kill(playing[0], signal.SIGKILL)
                killed = True
            time.sleep(0.05)
        output, errors = worker.communicate()
    finally:
        nodes.stop()
    assert worker.returncode == 0, errors
    assert killed
    assert " played, " in output
    league = store.league("open")
    assert standings_of(store, league).deals == 6 * 8


def works(process: int) -> bool:
    """Say whether a process of a node is a worker of the league that is at work."""
    try:
        return b"ClusterWorker" in Path("/proc", str(process), "cmdline").read_bytes()
    except OSError:
        return False


def test_a_server_that_is_not_there_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("RAY_AUTH_TOKEN", "0" * 64)
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    with pytest.raises(SandtableError, match="does not answer"):
        work_on_cluster(
            "127.0.0.2:6379", "http://127.0.0.1:9", "t", WorkerOptions(tmp_path), None, print
        )
    with pytest.raises(SandtableError, match="is no address of a cluster"):
        work_on_cluster("x", "http://127.0.0.1:9", "t", WorkerOptions(tmp_path), None, print)
