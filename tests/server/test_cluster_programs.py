"""Programs of rooms that think on a Ray cluster, where a process is killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from arena.ray_nodes import RayNodes, descendants
from sandtable.records.lines import record_from_line
from sandtable.records.replay import check
from server.running import PATIENCE, Process, wait_until

WAITED_FOR = 5  # actions


class ClusterProcess(Process):
    """A server whose programs think elsewhere."""

    def __init__(self, folder, nodes):
        words = ["serve", "--api-only", "--port", "0", "--data", str(folder / "data")]
        words += ["--workers", "1", "--cluster", nodes.address]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sandtable", *words],
            env=nodes.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        found = re.search(r"http://(127\.0\.0\.1:([0-9]+))/", line)
        assert found, line + self.process.stderr.read()
        self.host, self.port = found[1], int(found[2])
        self.http = httpx.Client(base_url=f"http://{self.host}", timeout=PATIENCE)


def thinking_on(nodes):
    """Return the processes of the cluster in which programs think."""
    found = []
    for process in {each for node in nodes.nodes for each in descendants(node.pid)}:
        try:
            words = Path("/proc", str(process), "cmdline").read_bytes()
        except OSError:
            continue
        if b"ray::Thinking" in words:
            found.append(process)
    return found


def test_programs_think_on_a_cluster_where_one_may_die(tmp_path):
    pytest.importorskip("ray", reason="the extra 'cluster' is not installed")
    nodes = RayNodes({**os.environ}, second=False)
    try:
        server = ClusterProcess(tmp_path, nodes)
        try:
            room = server.room("skirmish:max_turns=40", "random", "random", pace=0.1)["room"]

            def plies():
                return server.get(f"/api/rooms/{room}")["ply"]

            wait_until(lambda: plies() >= WAITED_FOR)
            (thinking,) = thinking_on(nodes)
            os.kill(thinking, signal.SIGKILL)
            before = plies()
            wait_until(lambda: plies() >= before + WAITED_FOR)  # another goes on with the game
            assert thinking_on(nodes) not in ([], [thinking])
            wait_until(lambda: server.get(f"/api/rooms/{room}")["over"])
            record = record_from_line(server.http.get(f"/api/rooms/{room}/record").text, room)
            check(record)
            assert record.outcome.forfeited_by is None
        finally:
            server.stop()
    finally:
        nodes.stop()


@pytest.mark.parametrize(
    ("address", "said"),
    [("nowhere", "is no address of a cluster"), ("127.0.0.1:1", "there is no cluster at")],
)
def test_a_cluster_that_is_not_there_is_said_in_one_line(
    sandtable, tmp_path, monkeypatch, address, said
):
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    words = ("serve", "--api-only", "-p", 0, "--data", tmp_path, "--cluster", address)
    code, _, errors = sandtable(*words)
    assert (code, errors.count("\n")) == (1, 1)
    assert said in errors
