"""A disk that is really full: nothing finished is lost, and the same command goes on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sandtable.arena.play.match import play_match
from sandtable.arena.play.plan import make_plan
from sandtable.records.store import open_store

COMMAND = str(Path(sys.executable).with_name("sandtable"))
GAMES = 2500
AGENTS = ["lucid/simple-blue", "lucid/axes-red"]
SCRIPT = """
mount -t tmpfs -o size=300k none "$DISK" || exit 77
"$@"
echo "ended with $?"
mount -o remount,size=200m "$DISK"
"$@"
echo "ended with $?"
cp "$DISK"/games.* "$KEPT"
"""


def run_on_a_small_disk(command, environment, disk, kept):
    """Run a command on a disk that has no room for it, and again when there is room."""
    if not shutil.which("unshare") or os.getuid() != 0:
        pytest.skip("only root can make a disk that is full")
    environment = {**environment, "DISK": str(disk), "KEPT": str(kept)}
    done = subprocess.run(
        ["unshare", "--mount", "bash", "-c", SCRIPT, "bash", COMMAND, *command],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    if done.returncode and "ended with" not in done.stdout:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()[-100:]}")
    return done


@pytest.mark.parametrize("full", ["journal", "archive"])
def test_a_full_disk_loses_no_finished_game(tmp_path, full):
    disk, kept, results = tmp_path / "disk", tmp_path / "kept", tmp_path / "result.json"
    disk.mkdir()
    kept.mkdir()
    state = disk if full == "journal" else tmp_path
    environment = {**os.environ, "SANDTABLE_STATE": str(state / "state")}
    archive = "games.jsonl" if full == "journal" else "games.db"
    command = ["match", "lucid", *AGENTS, "-n", str(GAMES), "--seed", "7", "--move-time", "0"]
    command += ["--archive", str(disk / archive), "--json", str(results)]
    done = run_on_a_small_disk(command, environment, disk, kept)
    assert "ended with 1\n" in done.stdout and done.stdout.endswith("ended with 0\n")
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1 and "Traceback" not in done.stderr
    assert "No space left" in errors[0] or "full" in errors[0]
    assert "going on from" in done.stderr
    found = json.loads(results.read_text())
    expected = play_match(make_plan("lucid", AGENTS, GAMES, 7)).as_data()
    del found["timing"], expected["timing"]
    assert json.dumps(found) == json.dumps(expected)
    store = open_store(str(kept / archive))
    assert sorted(record.number for record in store.records()) == list(range(GAMES))  # each once
    store.close()
