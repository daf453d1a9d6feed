"""Programs as agents: the conversation, and every way in which it can go wrong."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import sys
import threading
import time
from pathlib import Path

import pytest

from agents.little_games import nim
from agents.programs import GOOD, write_program
from sandtable.agents.external import External
from sandtable.arena.loop import play_game
from sandtable.dice import Dice
from sandtable.errors import Forfeit, UnreadableSpec
from sandtable.registry import make_agent, make_game
from sandtable.types import Outcome

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "docs/examples/external_agent.py"
START = "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -"


@pytest.fixture(scope="module")
def lucid():
    return make_game("lucid")


@pytest.fixture
def external(tmp_path):
    """Return a maker of agents from the source of a program; closes them at the end."""
    made = []

    def make(body: str, **options: float) -> External:
        made.append(External(write_program(tmp_path, body), **{"seconds": 5.0, **options}))
        return made[-1]

    yield make
    for agent in made:
        agent.close()


def game_outcome(game, agent, number: int = 0, **options) -> Outcome:
    """Play one game of the agent in seat 0 against one that does nothing."""
    other = make_agent("lucid/axes-red")
    played = play_game(game, [agent, other], specs=["a", "b"], seed=1, number=number, **options)
    return played.record.outcome


def runs(pid: int) -> bool:
    """Say whether a process is there and not dead."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 5
    while runs(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not runs(pid)


def test_a_good_program_plays_many_games_in_one_process(lucid, external):
    agent = external(GOOD)
    pids = set()
    for number in range(3):
        assert game_outcome(lucid, agent, number) == Outcome((0.0, 0.0), "36 turns played")
        pids.add(agent._program.process.pid)
    assert len(pids) == 1
    agent.close()
    wait_until_gone(*pids)
    agent.close()  # once more does no harm


def test_the_sample_agent_plays_lucid_with_some_sense(lucid):
    scores = []
    agent = make_agent(f'external:"{sys.executable} -S {SAMPLE}"')
    for number in range(4):
        outcome = game_outcome(lucid, agent, number)
        assert outcome.forfeited_by is None
        scores.append(outcome.scores[0])
    agent.close()
    assert sum(scores) > 0
    red = make_agent(f"external:{SAMPLE}")
    blue = make_agent("lucid/simple-blue")
    played = play_game(lucid, [blue, red], specs=["a", "b"], seed=1, number=0)
    red.close()
    assert played.record.outcome.forfeited_by is None


def test_the_sample_agent_plays_any_game_and_repeatably():
    game = nim()
    agents = [External(f"{sys.executable} -S {SAMPLE}") for _ in range(2)]
    records = [
        play_game(game, agents, specs=["a", "b"], seed=5, number=number).record
        for number in (0, 1, 0)
    ]
    for agent in agents:
        agent.close()
    assert all(record.outcome.reason == "no stone is left" for record in records)
    assert records[0].actions == records[2].actions


def conversation() -> list[tuple[str, dict]]:
    """Return the example of the documentation: who speaks, and what."""
    text = (ROOT / "docs/external-agents.md").read_text()
    block = re.search(r"```text\n(.*?)```", text, re.DOTALL)[1]
    return [(line[0], json.loads(line[2:])) for line in block.splitlines()]


def test_the_documented_conversation_is_what_is_really_said(lucid, external, tmp_path):
    """Give the documented answers, and compare the messages with the documented ones."""
    answers = [said for who, said in conversation() if who == "<"]
    log = tmp_path / "log"
    agent = external(
        f"""
answers = {answers!r}
with open({str(log)!r}, "w", buffering=1) as log:
    while True:
        message = read()
        log.write(json.dumps(message) + "\\n")
        if message["type"] in ("begin", "choose"):
            answer(answers.pop(0))
        if message["type"] == "quit":
            break
""",
        seconds=10.0,
    )
    dice = Dice(1)
    agent.begin(lucid, 0, dice)
    view = lucid.parse(START).view(0)
    for _ in range(2):
        action = agent.choose(view, dice)[0]
        view = view.play(action)
        agent.watch(view, action)
    agent.finish(Outcome((4.0, -4.0), "36 turns played"))
    agent.close()
    said = [json.loads(line) for line in log.read_text().splitlines()]
    documented = [said for who, said in conversation() if who == ">"]
    assert [list(message) for message in said] == [list(message) for message in documented]
    for real, shown in zip(said, documented, strict=True):
        for key in shown:
            if key == "position":  # the text says that these are shortened
                assert shown[key] == real[key][: len(shown[key])]
            elif key in ("legal", "legal_numbers"):
                assert set(shown[key]) <= set(real[key])
            elif key != "seed":
                assert shown[key] == real[key]


def test_numbers_and_names_are_actions(lucid, external):
    agent = external("""
ready()
for said in ({"action": 0}, {"action": "b1-b2"}, {"actions": [0, "c1-c2", 100], "note": "x"}):
    read()
    answer(said)
""")
    view = lucid.parse(START).view(0)
    agent.begin(lucid, 0, Dice(1))
    assert [agent.choose(view, Dice(1)) for _ in range(3)] == [[0], [4], [0, 8, 100]]


def test_the_seed_comes_from_the_dice_of_the_agent(lucid, external):
    body = "said = ready(); read(); answer({'action': said['seed'] % 100})"
    view = lucid.parse(START).view(0)
    chosen = []
    for seed in (1, 1, 2):
        agent = external(body)
        agent.begin(lucid, 0, Dice(seed))
        chosen.append(agent.choose(view, Dice(9)))
    assert chosen[0] == chosen[1] != chosen[2]


FAULTS = {
    "crash at the start": (
        "sys.exit('no licence\\nfound')",
        "it ended with exit code 1: found",
    ),
    "silent crash": ("ready(); read(); os._exit(7)", "it ended with exit code 7"),
    "crash in a game": (
        "ready(); read(); 1 / 0",
        "it ended with exit code 1: ZeroDivisionError: division by zero",
    ),
    "crash by a signal": (
        "ready(); read(); os.kill(os.getpid(), signal.SIGKILL)",
        "it was ended by SIGKILL",
    ),
    "output closed": (
        "ready(); read(); os.close(1); time.sleep(60)",
        "it closed its output",
    ),
    "not JSON": ("ready(); read(); print('hello', flush=True)", "its answer is not JSON: hello"),
    "empty line": ("ready(); read(); print(flush=True)", "its answer is not JSON: an empty line"),
    "not an object": ("ready(); read(); answer([1])", "its answer is not a JSON object: [1]"),
    "binary": (
        "ready(); read(); os.write(1, b'\\xff\\x00\\n')",
        "its answer is not JSON: \N{REPLACEMENT CHARACTER}",
    ),
    "deep nesting": (
        "ready(); read(); print('[' * 200000, flush=True)",
        f"its answer is not JSON: {'[' * 117}...",
    ),
    "no action": ("ready(); read(); answer({})", "it answered with no action: {}"),
    "no actions": (
        "ready(); read(); answer({'actions': []})",
        'it answered with no action: {"actions": []}',
    ),
    "actions of a wrong type": (
        "ready(); read(); answer({'actions': 'end'})",
        '"actions" is not a list: "end"',
    ),
    "action of a wrong type": (
        "ready(); read(); answer({'action': True})",
        "unknown action: true",
    ),
    "number out of range": ("ready(); read(); answer({'action': 101})", "unknown action: 101"),
    "unknown name": (
        "ready(); read(); answer({'action': 'a1-z9'})",
        "unknown action: 'a1-z9' is not a movelet; write a1-a2, c5-goal, or end to close the turn",
    ),
    "too many actions": (
        "ready(); read(); answer({'actions': ['end'] * 1000})",
        "it answered with 1000 actions; no game is that long",
    ),
    "too long": (
        "ready(); read(); print('x' * 3000000, flush=True); time.sleep(60)",
        "its answer is longer than 1000000 bytes",
    ),
    "not ready": (
        "read(); answer({'ready': False, 'reason': 'too hard'})",
        'it answered begin without "ready": true: {"ready": false, "reason": "too hard"}',
    ),
    "illegal action": (
        "ready(); read(); answer({'action': 'a5-goal'})",
        f"illegal action a5-goal in {START}",
    ),
    "talks out of turn": (
        'ready(); read(); print(\'{"action": 100}\\n{"action": 100}\', flush=True); read()',
        'it wrote a line nobody had asked for: {"action": 100}',
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_forfeit_with_their_reason(lucid, external, fault):
    body, reason = FAULTS[fault]
    start = lucid.parse(START)
    outcome = game_outcome(lucid, external(body), start=start)
    assert outcome == Outcome((0.0, 0.0), f"blue forfeits: {reason}", forfeited_by=0)


HANGS = {
    "at the start": "time.sleep(60)",
    "in a game": "ready(); read(); time.sleep(60)",
    "half a line": "ready(); read(); sys.stdout.write('{'); sys.stdout.flush(); time.sleep(60)",
    "never reads": "print(json.dumps({'ready': True}), flush=True); time.sleep(60)",
    "ignores every polite signal": (
        "for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):\n"
        "    signal.signal(number, signal.SIG_IGN)\n"
        "ready(); read(); time.sleep(60)"
    ),
    "floods its standard error meanwhile": "ready(); read()\nwhile True: os.write(2, b'x' * 9999)",
}


@pytest.mark.parametrize("hang", HANGS)
def test_a_hanging_program_is_killed(lucid, external, hang):
    agent = external(HANGS[hang], seconds=0.2, start_seconds=0.4)
    began = time.monotonic()
    outcome = game_outcome(lucid, agent, start=lucid.parse(START))
    assert re.fullmatch(r"blue forfeits: no answer within 0\.[24] s", outcome.reason)
    assert time.monotonic() - began < 30  # of the 60 it would have slept
    assert agent._program is None


def test_a_killed_program_takes_its_children_along(lucid, external, tmp_path):
    pid_file = tmp_path / "pid"
    agent = external(
        f"""
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
open({str(pid_file)!r}, "w").write(str(child.pid))
ready(); read(); time.sleep(60)
""",
        seconds=0.3,
    )
    assert "no answer" in game_outcome(lucid, agent, start=lucid.parse(START)).reason
    wait_until_gone(int(pid_file.read_text()))


def test_a_chatty_program_is_not_blocked(lucid, external):
    body = """
def chat(message):
    os.write(2, b"thinking " * 50000)
    answer({"action": "end"})
games(chat)
"""
    assert game_outcome(lucid, external(body)).reason == "36 turns played"


def test_an_answer_in_pieces_is_put_together(lucid, external):
    body = """
def slowly(message):
    for letter in '{"action": "end"}\\n':
        os.write(1, letter.encode())
games(slowly)
"""
    assert game_outcome(lucid, external(body)).reason == "36 turns played"


def test_a_program_that_died_is_started_anew_for_the_next_game(lucid, external, tmp_path):
    flag = tmp_path / "was here"
    agent = external(f"""
if not os.path.exists({str(flag)!r}):
    open({str(flag)!r}, "w").close()
    ready(); read(); sys.exit("first time")
{GOOD}
""")
    start = lucid.parse(START)
    assert "first time" in game_outcome(lucid, agent, start=start).reason
    assert game_outcome(lucid, agent, start=start).reason == "36 turns played"


def test_a_program_that_ends_between_games_is_started_anew(lucid, external):
    agent = external("""
ready()
while (message := read())["type"] == "choose":
    answer({"action": "end"})
""")
    assert game_outcome(lucid, agent, 0).reason == "36 turns played"
    wait_until_gone(agent._program.process.pid)
    assert game_outcome(lucid, agent, 1).reason == "36 turns played"


def test_a_clock_outside_stops_the_program_too(lucid, external):
    agent = external("ready(); read(); time.sleep(60)")
    outcome = game_outcome(lucid, agent, start=lucid.parse(START), move_time=0.2)
    assert outcome.reason == "blue forfeits: no answer within 0.2 s"
    assert agent._program is None


def test_programs_that_cannot_be_started(lucid, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "lost").write_text("#!/no/such/interpreter\n")
    (tmp_path / "lost").chmod(0o755)
    (tmp_path / "empty").write_text("nonsense")
    (tmp_path / "empty").chmod(0o755)
    for command, reason in {
        "./missing": "cannot start './missing': there is no such program",
        "plain": "cannot start 'plain': it is not on the path; write ./plain",
        "./plain": r"cannot start './plain': it is not executable \(chmod \+x ./plain\)",
        "./lost": "cannot start './lost': there is no such program, or its first line names none",
        "./empty": "cannot start './empty': Exec format error",
    }.items():
        with pytest.raises(Forfeit, match=f"^{reason}"):
            External(command).begin(lucid, 0, Dice(1))
        with pytest.raises(UnreadableSpec, match=f"^external: {reason}"):
            External(command).check()


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("external", "needs the option 'command'"),
        ('external:"  "', "the command is empty"),
        ("external:./bot,seconds=0", "seconds is more than 0, got 0"),
        ("external:./bot,start_seconds=inf", "start_seconds is more than 0, got inf"),
        ("external:./bot 'x", "No closing quotation"),
    ],
)
def test_specs_that_make_no_sense(spec, problem):
    with pytest.raises(UnreadableSpec, match=problem):
        make_agent(spec)


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
