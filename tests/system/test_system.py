"""Groups of processes, locks, and the pipes with threads that Windows needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agents.programs import GOOD, game_outcome, wait_for_text, wait_until_gone, write_program
from sandtable.agents.external import program
from sandtable.agents.external.agent import External
from sandtable.agents.external.pipes import ThreadedPipes
from sandtable.registry import make_game
from sandtable.system.locks import lock_file
from sandtable.system.processes import Group, group_options

PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
time.sleep(600)
"""
HOLDER = """
import sys
from sandtable.system.locks import lock_file
with open(sys.argv[1], "ab") as file:
    print(lock_file(file), flush=True)
    sys.stdin.read()
"""
FAULTS = {
    "crash": ("ready(); read(); 1 / 0", "it ended with exit code 1: ZeroDivisionError"),
    "late": ("ready(); read(); time.sleep(60)", "no answer within 0.3 s"),
    "half a line": ("ready(); read(); os.write(1, b'{'); time.sleep(60)", "no answer within 0.3 s"),
    "a flood": (
        "ready(); read()\nwhile True: os.write(1, b'x' * 9999)",
        "longer than 1000000 bytes",
    ),
    "complaints": (
        "ready(); read(); os.write(2, b'x' * 300000 + b'\\nlast'); sys.exit(2)",
        "it ended with exit code 2: last",
    ),
    "closed": ("ready(); read(); os.close(1); time.sleep(60)", "it closed its output"),
    "unasked": (
        "read(); print('{\"ready\": true}\\n{}', flush=True); read()",  # at once: no race
        "it wrote a line nobody had asked for: {}",
    ),
}


def test_a_group_ends_with_what_its_head_has_started():
    head = subprocess.Popen(
        [sys.executable, "-S", "-c", PARENT], stdout=subprocess.PIPE, **group_options()
    )
    child = int(head.stdout.readline())
    group = Group(head.pid)
    group.end()
    head.wait()
    head.stdout.close()
    wait_until_gone(child)
    group.end()  # nobody is left


def test_a_lock_is_lost_with_its_process(tmp_path):
    path = tmp_path / "file"
    words = [sys.executable, "-c", HOLDER, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(words, **pipes) as holder, path.open("ab") as mine:
        assert holder.stdout.readline() == b"True\n"
        assert not lock_file(mine)
        assert not lock_file(mine, shared=True)
        holder.kill()
        assert lock_file(mine, wait=True)


@pytest.fixture
def with_threads(monkeypatch):
    monkeypatch.setattr(program, "pipes_of", ThreadedPipes)


def test_a_program_plays_through_threads(tmp_path, with_threads):
    agent = External(write_program(tmp_path, GOOD))
    for number in range(2):
        assert game_outcome(make_game("lucid"), agent, number).forfeited_by is None
    agent.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_told_through_threads(tmp_path, with_threads, fault):
    body, told = FAULTS[fault]
    agent = External(write_program(tmp_path, body), seconds=0.3 if "no answer" in told else 20.0)
    outcome = game_outcome(make_game("lucid"), agent)
    agent.close()
    assert outcome.forfeited_by == 0
    assert told in outcome.reason


def test_a_program_that_does_not_read_ends_and_takes_its_own_with_it(tmp_path, with_threads):
    mark = tmp_path / "child"
    body = (
        "ready(); sleep = [sys.executable, '-S', '-c', 'import time; time.sleep(600)']\n"
        "child = subprocess.Popen(sleep)\n"
        f"open({str(mark)!r}, 'w').write(str(child.pid)); time.sleep(600)"
    )
    agent = External(write_program(tmp_path, body), seconds=0.3)
    assert "no answer" in game_outcome(make_game("lucid"), agent).reason
    wait_until_gone(int(wait_for_text(mark)))
