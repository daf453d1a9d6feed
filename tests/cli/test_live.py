"""The live view: a table on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import signal
import sys

import pexpect
import pytest

from sandtable.cli import progress


def test_without_a_terminal_it_tells_in_lines(monkeypatch, capsys):
    now = iter([0.0, 1.0, 31.0, 32.0, 70.0, 71.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    with progress.live_view("a test", 400, lambda: "a picture", lambda: "A +12 ±5") as advance:
        for _ in range(4):
            advance(50)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "a test: 100 of 400 games, about 3 min to go; so far: A +12 ±5",
        "a test: 200 of 400 games, about 2 min to go; so far: A +12 ±5",
    ]


def test_pictures_take_a_small_part_of_the_time(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])

    def slow():
        clock[0] += 2.0
        return "drawn"

    pictures = progress.Pictures(slow)
    assert pictures.next() == "drawn"
    clock[0] += 30
    assert pictures.next() is None  # 2 s of drawing want 40 s of playing
    clock[0] += 11
    assert pictures.next() == "drawn"


@pytest.fixture
def terminal(tmp_path):
    words = ["-m", "sandtable", "tournament", "lucid"]
    words += ["lucid/simple-blue", "lucid/one-axis-blue", "lucid/axes-red"]
    words += ["-n", "2000000", "--json", str(tmp_path / "t.json")]
    child = pexpect.spawn(
        sys.executable,
        words,
        encoding="utf-8",
        timeout=300,
        dimensions=(40, 120),
        env={**os.environ, "TERM": "xterm"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # not ignored, as in jobs
    )
    yield child
    child.close(force=True)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_on_a_terminal_standings_are_drawn_and_ctrl_c_keeps_what_is_finished(terminal, tmp_path):
    terminal.expect("in progress")
    terminal.expect("games|[0-9]+/4000000")
    terminal.sendintr()
    terminal.expect("stopped after [0-9,]+ of 4,000,000 games; the same command goes on from there")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 130
    assert not (tmp_path / "t.json").exists()
