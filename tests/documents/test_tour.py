"""The tour of the README and the tutorial, line by line, in a real terminal of 80 columns.

Each begins in an empty folder. Lines run after each other, as they stand: what one line needs,
those before it have made. What plays for minutes has a process of its own and is stopped with
Ctrl-C once it is under way, which must end it quietly; what asks a person is answered.
"""

from __future__ import annotations

import itertools
import os
import re
import sys
import time
from pathlib import Path

import pytest

from documents.blocks import ROOT, blocks_of, commands_of

pexpect = pytest.importorskip("pexpect")

DRIVER = """
import shlex, sys
from sandtable.cli.main import run
for line in open(sys.argv[1], encoding="utf-8"):
    sys.argv = shlex.split(line)
    code = None
    print("[begins]", flush=True)
    try:
        run()
    except SystemExit as ended:
        code = ended.code or 0
    except KeyboardInterrupt:
        code = 130
    print(f"\\n[ended with {code}]", flush=True)
"""
COLUMNS = 80
# What is stopped, after how many seconds; and what is not run here, and why.
STOPPED = {"demo": 1.0, "reproduce": 1.0, "bench": 1.0, "train": 1.0}
NOT_RUN = {
    r"source |make |pip ": "not a command of Sandtable",
    r".*--install-completion": "changes the settings of a shell",
    r".*(skirmish|stratego|gravwell)/champion|.*stratego/baseline|.*q-learning": (
        "compiles for a minute where nothing is kept; tests of their games play them"
    ),
    r"sandtable check": "takes a while; tests/test_conformance.py does the same",
    r"sandtable curves": "needs a run of a minute; tests/cli/test_authors.py has some",
    r"sandtable explain": "needs networks; tests/cli/test_explain.py explains",
}
PROMPT = r"\r?\n?[a-z0-9 ()]+> $"
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def tour() -> list[str]:
    """Return the lines of the tour, without those that are not run here."""
    (block,) = [each for each in blocks_of(ROOT / "README.md") if "sandtable games" in each.text]
    lines = [command.text for command in commands_of(block)]
    assert len(lines) > 30
    return [line for line in lines if not any(re.match(rule, line) for rule in NOT_RUN)]


def test_every_line_works_in_order_from_an_empty_folder(tmp_path):
    folder = run_in_a_terminal(tour(), tmp_path)
    assert {"games.db", "board.svg", "grid.tex", "network.svg"} <= {
        path.name for path in folder.iterdir()
    }


def test_the_tutorial_works_in_order_from_an_empty_folder(tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    blocks = blocks_of(ROOT / "docs" / "tutorial.md")
    for block in blocks:
        if block.title:
            (folder / block.title).write_text(block.text, encoding="utf-8")
    installed = folder / "my_agents-0.1.0.dist-info"  # as pip would leave it
    installed.mkdir()
    (installed / "METADATA").write_text("Name: my-agents\nVersion: 0.1.0\n", encoding="utf-8")
    (installed / "entry_points.txt").write_text(
        "[sandtable.agents]\nlucid/gatherer = my_agents:Gatherer\n", encoding="utf-8"
    )
    console = [block for block in blocks if block.language == "console"]
    lines = [command.text for block in console for command in commands_of(block)]
    own = [line for line in lines if line.startswith("sandtable ")]
    assert len(own) >= 9
    run_in_a_terminal(own, tmp_path)
    assert (folder / "games.db").is_file()


def run_in_a_terminal(lines: list[str], tmp_path: Path) -> Path:
    """Run lines one after the other in a folder that nothing else has touched; return it."""
    folder, state = tmp_path / "empty", tmp_path / "state"
    folder.mkdir(exist_ok=True)
    # A process that was stopped in the middle of an import is good for nothing afterwards.
    for _, together in itertools.groupby(lines, lambda line: line if is_stopped(line) else ""):
        process = list(together)
        script = tmp_path / "lines"
        script.write_text("".join(f"{line}\n" for line in process), encoding="utf-8")
        child = pexpect.spawn(
            sys.executable,
            ["-c", DRIVER, str(script)],
            cwd=str(folder),
            env={**os.environ, "SANDTABLE_STATE": str(state), "TERM": "xterm", "NO_COLOR": "1"},
            encoding="utf-8",
            timeout=300,
            dimensions=(24, COLUMNS),
        )
        try:
            for line in process:
                check_line(child, line)
        finally:
            child.close(force=True)
    return folder


def is_stopped(line: str) -> bool:
    return line.split()[1] in STOPPED


def check_line(child, line: str) -> None:
    """Wait for the end of one line, answer what it asks, and look at what it has shown."""
    name = line.split()[1]
    child.expect_exact("[begins]")
    if is_stopped(line):
        time.sleep(STOPPED[name])
        child.sendintr()
    shown, answers = "", 0
    while child.expect([r"\[ended with (\w+)\]\r\n", PROMPT]):
        shown += child.before
        answers += 1
        assert answers < 5, f"{line}: {shown[-500:]}"
        child.sendline("quit")
    shown += child.before
    code = child.match[1]
    assert code in (("0", "1", "130") if is_stopped(line) else ("0",)), f"{line}: {code}\n{shown}"
    assert "Traceback" not in shown, f"{line}\n{shown}"
    if not is_stopped(line):
        assert "error:" not in shown, f"{line}\n{shown}"
    plain = ANSI.sub("", shown)
    assert "…" not in plain, f"{line} cuts something:\n{plain}"
    assert not re.search(r"\b1 (games|deals|experiments)\b", plain), line
