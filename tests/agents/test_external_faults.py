"""Programs as agents: every way in which the conversation can go wrong."""

from __future__ import annotations

import re
import time

import pytest

from agents.programs import GOOD, START, game_outcome, wait_until_gone
from sandtable.agents.external.program import Program
from sandtable.types import Outcome

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
        "unknown action: 'a1-z9': 'z9' is no node; nodes are a1 to e5",
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
        f"'a5-goal' is not legal in {START}",
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


def test_a_program_is_ended_whole_however_long_that_takes(lucid, external, monkeypatch):
    """The clock outside rings again and again; it must not break into the ending of a program."""
    ended = []
    stop = Program.stop

    def stop_slowly(self, *how):
        time.sleep(0.7)  # as on a busy machine with many processes
        stop(self, *how)
        ended.append(self.process.pid)

    monkeypatch.setattr(Program, "stop", stop_slowly)
    agent = external("ready(); read(); time.sleep(60)")
    outcome = game_outcome(lucid, agent, start=lucid.parse(START), move_time=0.2)
    assert outcome.reason == "blue forfeits: no answer within 0.2 s"
    assert len(ended) == 1
    wait_until_gone(ended[0])
