"""Kill anything at any moment: the same command goes on, and its results are the same bytes.

Six kills each, of the command itself, of its workers and of a whole node, on local processes and
on a cluster of two nodes; twenty with ``make faults``, or as many as ``SANDTABLE_KILLS`` says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from arena.ray_nodes import RayNodes
from arena.slow import COMMAND, PATIENCE, Killing, set_up, table

KILLS = int(os.environ.get("SANDTABLE_KILLS", "6"))  # each starts processes, which takes long
DRIVERS = max(KILLS // 5, 2)
DEALS = 320
GAMES = DEALS * 6  # three pairings in two rotations
TOURNAMENT = ["tournament", "race:seats=2", *(f"race/slow:bold={bold}" for bold in (1, 2, 4))]
TOURNAMENT += ["--deals", str(DEALS), "--move-time", "0"]


def run(environment, *command):
    return subprocess.run(
        [COMMAND, *command], env=environment, capture_output=True, text=True, timeout=PATIENCE
    )


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Return the results of a run that nobody disturbs, in one process."""
    folder = tmp_path_factory.mktemp("undisturbed")
    path = folder / "undisturbed.json"
    done = run(set_up(folder), *TOURNAMENT, "--json", str(path))
    assert done.returncode == 0, done.stderr
    return table(path)


def check(killing, path, expected, done):
    assert done.returncode == 0, done.stderr
    assert sum(killing.killed.values()) == KILLS
    assert table(path) == expected
    assert killing.games_known == sorted(killing.games_known)  # no finished game is lost
    assert 0 < killing.games_known[-1] < GAMES
    assert killing.games_in_journal() == 0  # nothing to go on with


def test_local_processes(tmp_path, expected):
    environment = set_up(tmp_path)
    path, archive = tmp_path / "killed.json", tmp_path / "games.db"
    command = [*TOURNAMENT, "--json", str(path), "--jobs", "2", "--archive", str(archive)]
    killing = Killing(command, environment, seed=1)
    check(killing, path, expected, killing.run(DRIVERS, KILLS - DRIVERS))
    counted = run(environment, "replay", str(archive), "--check")
    assert counted.returncode == 0, counted.stderr
    assert f"{GAMES:,} games" in counted.stdout + counted.stderr  # each once


def test_a_cluster_of_two_nodes(tmp_path, expected):
    pytest.importorskip("ray", reason="the extra 'cluster' is not installed")
    nodes = RayNodes(set_up(tmp_path))
    path = tmp_path / "killed.json"
    try:
        command = [*TOURNAMENT, "--json", str(path), "--cluster", nodes.address]
        killing = Killing(command, nodes.environment, seed=2)

        def kill_node():
            while not (playing := set(nodes.of_second()) & set(killing.workers())):
                assert killing.driver.poll() is None, killing.driver.communicate()
                time.sleep(0.05)
            nodes.kill_second()
            assert not playing & set(killing.workers())
            assert killing.driver.poll() is None  # the other node goes on
            killing.count("node")
            nodes.start_second()

        done = killing.run(DRIVERS, KILLS - DRIVERS - 1, kill_node)
        check(killing, path, expected, done)
        assert killing.killed == {"driver": DRIVERS, "worker": KILLS - DRIVERS - 1, "node": 1}
        rows = [reproduced(nodes.environment, tmp_path, *place) for place in
                ([], ["--cluster", nodes.address])]  # fmt: skip
        assert rows[0] == rows[1]
        wrong = {**nodes.environment, "RAY_AUTH_TOKEN": "0" * 64}
        refused = run(wrong, *TOURNAMENT, "--cluster", nodes.address)
    finally:
        nodes.stop()
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"error: cannot join the cluster at {nodes.address}")


def reproduced(environment, folder, *place):
    """Return a row of a published table, wherever its games are played; times are left out."""
    path = folder / "rows.json"
    row = ["reproduce", "lucid", "--rows", "lucid/simple-blue", "--games", "400"]
    done = run(environment, *row, "--json", str(path), *place)
    assert done.returncode == 0, done.stderr
    (answer,) = json.loads(path.read_text())["rows"]
    assert answer["ours"].pop("seconds_per_game") > 0 and answer["ours"]["games"] == 400
    return answer


def test_a_worker_that_never_survives_is_told(tmp_path):
    agents = ["race/slow", "race/deadly"]
    done = run(set_up(tmp_path), "match", "race:seats=2", *agents, "-n", "4", "-j", "2")
    assert done.returncode == 1
    assert done.stderr.startswith("error: a worker died 5 times at game ")
    assert done.stderr.count("\n") == 1


IN_A_CALLBACK = """
import ctypes, os, signal, time
from sandtable.arena.play.processes import leave_on_request

@ctypes.CFUNCTYPE(None)
def called_by_c():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.001)

leave_on_request()
called_by_c()
print("goes on", flush=True)
time.sleep(60)
"""


def test_a_worker_that_is_told_to_end_while_it_compiles_ends_without_a_word():
    done = subprocess.run(
        [sys.executable, "-c", IN_A_CALLBACK], capture_output=True, text=True, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout, done.stderr) == (143, "goes on\n", "")
