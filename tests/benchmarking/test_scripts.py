"""What ``make bench`` runs can be run: each script takes --json and wants no words besides."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    path
    for path in (ROOT / "benchmarks").glob("*.py")
    if "__main__" in path.read_text(encoding="utf-8")
)


def arguments_of(script: Path) -> set[str]:
    """Return the names of options and the words that a script declares."""
    return {
        node.args[0].value
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "add_argument"
    }


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_of_make_bench_want_nothing_but_a_file(script):
    listed = re.search(r"^WITH_WORDS := (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.M)[1]
    arguments = arguments_of(script)
    words = {name for name in arguments if not name.startswith("-")}
    if script.relative_to(ROOT).as_posix() in listed.split():
        assert words
    else:
        assert "--json" in arguments
        assert not words
