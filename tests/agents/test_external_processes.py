"""Programs as agents: which processes there are, and that none is left behind."""

from __future__ import annotations

import multiprocessing
import os
import threading

import pytest

from agents.programs import GOOD, game_outcome, wait_for_text, wait_until_gone, write_program
from sandtable.agents.external.agent import External
from sandtable.dice import Dice
from sandtable.registry import make_game


def test_a_forgotten_agent_leaves_no_process(lucid, tmp_path):
    agent = External(write_program(tmp_path, GOOD))
    agent.begin(lucid, 0, Dice(1))
    pid = agent._program.process.pid
    del agent
    wait_until_gone(pid)


def play_in_worker(command: str, queue: multiprocessing.Queue) -> None:
    """Play in a worker process, and leave the program behind without closing it."""
    agent = External(command)
    outcome = game_outcome(make_game("lucid"), agent)
    queue.put((outcome.reason, agent._program.process.pid))
    play_in_worker.agent = agent  # kept alive: only the end of the process ends the program


def test_in_a_worker_process(tmp_path):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    stubborn = f"try:\n    {GOOD}\nexcept SystemExit:\n    time.sleep(60)"
    worker = context.Process(target=play_in_worker, args=(write_program(tmp_path, stubborn), queue))
    worker.start()
    reason, pid = queue.get(timeout=20)
    worker.join(10)
    queue.close()
    queue.join_thread()
    assert worker.exitcode == 0
    worker.close()
    assert reason == "36 turns played"
    wait_until_gone(pid)


def test_in_threads_side_by_side(lucid, tmp_path):
    command = write_program(tmp_path, GOOD)
    reasons = []

    def play(number: int) -> None:
        agent = External(command)
        reasons.append(game_outcome(lucid, agent, number).reason)
        agent.close()

    threads = [threading.Thread(target=play, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reasons == ["36 turns played"] * 4


def test_a_fork_of_this_process_starts_a_program_of_its_own(lucid, external):
    agent = external(GOOD)
    agent.begin(lucid, 0, Dice(1))
    program = agent._program
    assert program.usable
    program._owner = os.getpid() + 1  # as a forked process would find it
    assert not program.usable
    agent.begin(lucid, 0, Dice(1))
    assert agent._program is not program
    os.killpg(program.process.pid, 9)
    os.waitpid(program.process.pid, 0)


@pytest.mark.parametrize(
    ("environment", "parent", "obeys"),
    [("None", True, True), ("{}", True, True), ("{}", True, False), ("{}", False, False)],
    ids=["with the mark", "without it, ends when asked", "is killed", "its child, is killed"],
)
def test_whoever_has_a_session_of_its_own_ends_with_its_program(
    lucid, tmp_path, environment, parent, obeys
):
    born = tmp_path / "born"
    daemon = f"import os, time; open({str(born)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    start = (
        f"import subprocess, sys; subprocess.Popen([sys.executable, '-S', '-c', {daemon!r}], "
        f"start_new_session=True, env={environment})"
    )
    if parent:  # which ends at once
        start = f"subprocess.run([sys.executable, '-S', '-c', {start!r}])"
    body = GOOD if obeys else f"try:\n    {GOOD}\nexcept SystemExit:\n    time.sleep(60)"
    agent = External(write_program(tmp_path, f"{start}\n{body}"))
    agent.begin(lucid, 0, Dice(1))
    process = int(wait_for_text(born))
    agent.close()
    wait_until_gone(process)
