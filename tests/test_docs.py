"""What the documents promise: examples run, links lead somewhere, commands exist."""

from __future__ import annotations

import doctest
import json
import pkgutil
import re
from importlib.metadata import entry_points
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


SOURCES = ROOT / "src" / "sandtable"
PLACES = (ROOT, SOURCES, SOURCES / "arena", *(SOURCES / "games" / game for game in game_names()))
PATH = re.compile(r"(?<![\w./<>*-])(?:(?:src|tests|docs)/[\w./-]*|[\w./-]+\.py)(?![\w/<>*-])")
MODULE = re.compile(r"(?<![\w./-])sandtable(?:\.\w+)+")
GUIDES = [
    page
    for page in PAGES
    if page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md") or ROOT / "docs" in page.parents
]


def code_spans(text):
    """Return what stands in single backticks outside blocks, but for commands about old commits."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return [span for span in re.findall(r"`([^`]+)`", prose) if not span.startswith("git show")]


def missing_paths(text):
    """Return the paths of sources in backticks that lead nowhere.

    >>> missing_paths("`tests/test_docs.py`, `cli/main.py`, `agents/nobody.py`, `file:bot.py:Bot`")
    ['agents/nobody.py']
    """
    spans = [re.sub(r"\bfile:\S+", "", span) for span in code_spans(text)]  # a reader's own file
    paths = [path for span in spans for path in PATH.findall(span)]
    return [path for path in paths if not any((place / path).exists() for place in PLACES)]


def missing_modules(text):
    """Return the dotted names in backticks that are no module, entry-point group or attribute.

    >>> missing_modules("`sandtable.dice`, `sandtable.games`, `sandtable.nobody`")
    ['sandtable.nobody']
    """
    names = [name for span in code_spans(text) for name in MODULE.findall(span)]
    groups = {group for group in entry_points().groups if group.startswith("sandtable.")}
    return [name for name in names if name not in groups and not resolves(name)]


def resolves(name):
    """Say whether a dotted name can be found."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def test_paths_and_modules_that_do_not_exist_are_found():
    assert missing_paths(
        "`server/room.py`, `old/room.py:12`, `src/gone/`, `games/<game>/x.py`"
    ) == [
        "old/room.py",
        "src/gone/",
    ]
    assert missing_paths("`git show 4656e16:src/gone.onnx > FILE`") == []
    assert missing_modules(
        "`sandtable.recipes`, `sandtable.dice.Dice`, `sandtable.arena.gone`"
    ) == ["sandtable.arena.gone"]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_name_sources_that_are_there(page):
    text = page.read_text(encoding="utf-8")
    assert missing_paths(text) == []
    assert missing_modules(text) == []


def test_the_architecture_page_names_files_that_are_there():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+(?:/[a-z_]+)*\.py)`", text))
    assert len(named) > 25
    for name in named:
        assert any((place / name).exists() for place in (ROOT / "src" / "sandtable", ROOT)), name
