"""Little programs for the tests of external agents, each with one fault or none."""

from __future__ import annotations

import sys
from pathlib import Path

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
