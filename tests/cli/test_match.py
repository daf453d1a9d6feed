"""``sandtable match`` as its user meets it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.race import register

COMMAND = str(Path(sys.executable).with_name("sandtable"))
PATIENCE = 300  # seconds; only what hangs shall end by it, however busy the machine is
PAIRING = ["lucid", "lucid/simple-blue", "lucid/axes-red"]


def test_the_table_and_the_file(sandtable, tmp_path):
    path = tmp_path / "result.json"
    code, out, err = sandtable("match", *PAIRING, "--games", 2000, "--seed", 7, "--json", path)
    assert code == 0, err
    data = json.loads(path.read_text())
    assert (data["games"], data["seed"]) == (2000, 7)
    blue = data["seats"][0]
    assert f"{blue['mean']:.3f}" in out
    assert f"{blue['low']:.3f} to {blue['high']:.3f}" in out
    assert f"{blue['adjusted_mean']:.3f}" in out
    assert "games per second" in out


def test_same_bytes_for_any_number_of_jobs(sandtable, tmp_path):
    texts = []
    for jobs in (1, 2):
        path = tmp_path / f"{jobs}.json"
        sandtable("match", *PAIRING, "-n", 300, "-j", jobs, "--json", path)
        texts.append(path.read_text().partition('"timing"')[0])
    assert texts[0] == texts[1]
    assert len(texts[0]) > 300


PROGRAM = """import json, sys
for line in sys.stdin:
    message = json.loads(line)
    {body}
"""


def external(tmp_path, body):
    path = tmp_path / "bot.py"
    path.write_text(PROGRAM.format(body=body))
    return f'external:"{sys.executable} {path}",seconds=0.5,start_seconds=0.5'


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("sys.exit(5)", "5"),
        ("import time; time.sleep(60)", "0.5 s"),
        ("print('hello', flush=True)", "hello"),
    ],
)
def test_programs_that_fail_forfeit(sandtable, tmp_path, body, reason):
    spec = external(tmp_path, body)
    code, _, err = sandtable("match", "lucid", spec, "lucid/axes-red", "-n", 2, "--move-time", 5)
    assert code == 3
    assert "2 of 2 games were forfeited" in err
    assert reason in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lucif", "random", "random"], "error: there is no game 'lucif'. Did you mean 'lucid'?"),
        (
            ["lucid", "randon", "random"],
            "error: there is no agent 'randon'. Did you mean 'random'?",
        ),
        (["lucid", "random"], "error: lucid needs 2 agents, in the order blue, red; got 1"),
        (["lucid", "random:", "random"], "error: 'random:' ends in a colon"),
        (
            ["lucid", "external:./bot", "random"],
            "error: external: cannot start './bot': there is no",
        ),
        ([*PAIRING, "--json", "/proc/none/x.json"], "error: cannot write /proc/none/x.json"),
        ([*PAIRING, "--archive", "/proc/none/x.db"], "error: "),
    ],
)
def test_mistakes_are_one_line(sandtable, arguments, words):
    code, out, err = sandtable("match", *arguments, "--games", 5)
    assert code == 1
    assert err.startswith(words)
    assert len(err.strip().splitlines()) == 1
    assert out == ""


def test_ctrl_c_keeps_what_was_finished(sandtable, tmp_path):
    archive = tmp_path / "games.jsonl"
    arguments = [COMMAND, "match", *PAIRING, "-n", "100000000", "--archive", str(archive)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + PATIENCE
        while not (archive.exists() and archive.stat().st_size > 100_000):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert "stopped after" in err and "Traceback" not in err
    assert "games kept in" in out
    code, _, err = sandtable("replay", archive, "--check")
    assert code == 0, err


RACE = ["race", "race/bold", "random", "random", "random"]


def test_measures_and_ratings_of_fixed_seats(sandtable, monkeypatch, tmp_path):
    register(monkeypatch)
    path = tmp_path / "result.json"
    code, out, err = sandtable("match", *RACE, "-n", 500, "--json", path)
    assert (code, err) == (0, "")
    seats = json.loads(path.read_text())["seats"]
    assert [seat["seat"] for seat in seats] == ["red", "green", "blue", "white"]
    rows = [line.split() for line in out.splitlines()]
    tile = seats[0]["measures"]["end tile"]
    assert ["end", "tile", f"{tile['mean']:.3f}", f"{tile['sd']:.2f}"] == rows[6][:4]
    assert rows[6][4:] == [f"{tile['low']:.3f}", "to", f"{tile['high']:.3f}"]
    low, high = seats[0]["rating_low"], seats[0]["rating_high"]
    assert ["rating", f"{seats[0]['rating']:+.0f}", f"{low:+.0f}", "to", f"{high:+.0f}"] in rows
    assert out.count("end tile ") == out.count("bold steps ") == out.count("rating  ") == 4


def test_rotated_seats_tell_of_agents(sandtable, monkeypatch, tmp_path):
    register(monkeypatch)
    path = tmp_path / "result.json"
    code, out, err = sandtable("match", *RACE, "-n", 398, "--rotate", "--json", path)
    assert (code, err) == (0, "")
    assert "race, 400 games (100 deals in 4 rotations), seed 0" in out
    assert "random (each of 3 seats)" in out
    assert "seat " not in out and "green" not in out
    data = json.loads(path.read_text())
    assert f"{100 * data['agents'][0]['win_share']:.1f}%" in out
    assert out.count("rating  ") == out.count("games won ") == 2


def test_rotation_is_refused_where_agents_cannot_rotate(sandtable):
    code, out, err = sandtable("match", *PAIRING, "--rotate", "-n", 5)
    assert (code, out) == (1, "")
    assert err == (
        "error: every agent must be able to take every seat to rotate them: 'lucid/axes-red' plays "
        "red, not blue; the order of the seats is blue, red; leave --rotate out\n"
    )
