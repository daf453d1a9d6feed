"""Little programs for the tests of external agents, each with one fault or none."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from sandtable.arena.play.game_loop import play_game
from sandtable.registry import make_agent
from sandtable.types import Outcome

START = "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -"

HEADER = """\
import json, os, signal, subprocess, sys, time

def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)

def answer(message):
    print(json.dumps(message), flush=True)

def ready(**more):
    message = read()
    assert message["type"] == "begin", message
    answer({"ready": True, **more})
    return message

def games(choose):
    while True:
        message = read()
        if message["type"] == "begin":
            answer({"ready": True})
        elif message["type"] == "choose":
            choose(message)
        elif message["type"] == "quit":
            sys.exit(0)
"""

GOOD = "games(lambda message: answer({'actions': ['end']}))"


def write_program(folder: Path, body: str, name: str = "bot.py") -> str:
    """Write a program and return the command that starts it quickly."""
    path = folder / name
    path.write_text(HEADER + body + "\n")
    return f"'{sys.executable}' -S -E '{path}'"


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


def wait_for_text(path: Path) -> str:
    """Wait until a program has written a file."""
    deadline = time.monotonic() + 20
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return path.read_text()
