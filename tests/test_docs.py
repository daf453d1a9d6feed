"""What the documents promise: examples run, links lead somewhere, commands exist."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import pytest

from sandtable.cli.main import COMMANDS, PLUGGED_IN
from sandtable.registry import game_names, registered

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/*.md", "src/**/*.md", "results/*.md")
    for path in ROOT.glob(pattern)
)
HEADINGS = (
    "Summary",
    "Board and pieces",
    "Course of play",
    "Actions and notation",
    "Positions",
    "Views and planes",
    "Facts",
    "Options",
    "Published figures",
    "Differences from the papers",
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run_and_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    failed, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
    for command in re.findall(r"^(?:    |`)sandtable ([a-z]+)", text, re.MULTILINE):
        assert command in (*COMMANDS, *registered(PLUGGED_IN))


def test_the_examples_of_the_package_run():
    import sandtable

    failed, attempted = doctest.testmod(sandtable, optionflags=doctest.ELLIPSIS)
    assert attempted > 3
    assert failed == 0


@pytest.mark.parametrize("game", game_names())
def test_every_game_has_a_page_with_the_same_headings(game):
    page = ROOT / "src" / "sandtable" / "games" / game / "README.md"
    found = re.findall(r"^## (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert tuple(found) == HEADINGS


def test_the_table_in_the_notes_is_the_one_that_was_measured():
    notes = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    rows = json.loads((ROOT / "results" / "lucid.json").read_text())["rows"]
    played = [row for row in rows if row["ours"]]
    assert len(played) >= 2
    for row in played:
        ours, adjusted = row["ours"], row["adjusted"]
        shown = next(line for line in notes.splitlines() if line.startswith(f"| {row['label']} |"))
        assert f"{ours['mean']:.3f} ({ours['low']:.3f} to {ours['high']:.3f})" in shown
        assert f"{adjusted['mean']:.3f}" in shown
        assert f"{ours['games']:,}" in shown


def test_the_architecture_page_names_files_that_are_there():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+(?:/[a-z_]+)*\.py)`", text))
    assert len(named) > 25
    for name in named:
        assert any((place / name).exists() for place in (ROOT / "src" / "sandtable", ROOT)), name
