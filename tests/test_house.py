"""The floor plan: generic code names no game, and a name means one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "sandtable"
OUR_GAMES = sorted(
    path.name for path in (SOURCE / "games").iterdir() if (path / "game.py").exists()
)
MOST_FILES_OF_A_CLASS = 3

MODULES = sorted(SOURCE.rglob("*.py"))
GENERIC = [path for path in MODULES if "games" not in path.relative_to(SOURCE).parts[:1]]

# Texts in which a game may stand as an example. Docstrings are shown by --help and the reference,
# where an example without a game would say nothing; the same holds for a help text that says
# "for example".
EXAMPLE_MARK = "for example"
HELP_ARGUMENTS = ("help",)


def named(text: str) -> list[str]:
    """Return the games of ours that a text names."""
    return [game for game in OUR_GAMES if game in text.lower()]


def docstrings(tree: ast.Module) -> set[ast.AST]:
    """Return the string constants of a module that are docstrings."""
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, holders) and node.body and isinstance(node.body[0], ast.Expr)
    }


def examples(tree: ast.Module) -> set[ast.AST]:
    """Return the help texts of a module that name something as an example."""
    return {
        word.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for word in node.keywords
        if word.arg in HELP_ARGUMENTS
        and isinstance(word.value, ast.Constant)
        and EXAMPLE_MARK in str(word.value.value)
    }


def words_of(node: ast.AST) -> Iterator[str]:
    """Return the identifiers, imports and strings of one node."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, (ast.Attribute, ast.alias, ast.arg, ast.keyword)):
        yield getattr(node, "attr", None) or getattr(node, "name", None) or node.arg or ""
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.ImportFrom):
        yield node.module or ""


def game_names_in(text: str) -> list[str]:
    """Return where code names a game of ours, other than in docstrings and examples."""
    tree = ast.parse(text)
    allowed = docstrings(tree) | examples(tree)
    return [
        f"line {node.lineno}: {word}"
        for node in ast.walk(tree)
        if node not in allowed
        for word in words_of(node)
        if named(word)
    ]


def imports_of(path: Path) -> Iterator[str]:
    """Return the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_the_four_games_are_found():
    assert OUR_GAMES == ["gravwell", "lucid", "skirmish", "stratego"]
    assert len(GENERIC) > 100


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ('"""Play lucid."""', 0),
        ('option(help="A game, for example lucid.")', 0),
        ('option(help="Only lucid.")', 1),
        ('if name == "lucid":\n    pass', 1),
        ("from sandtable.games.lucid import game", 1),
        ("def lucid_score(gravwell): ...", 2),
        ("played.stratego = f'{skirmish} games'", 2),
    ],
)
def test_names_of_games_are_noticed(code, lines):
    assert len(game_names_in(code)) == lines


def test_generic_code_names_no_game():
    named_in = {
        str(path.relative_to(SOURCE)): lines
        for path in GENERIC
        if (lines := game_names_in(path.read_text(encoding="utf-8")))
    }
    assert named_in == {}


def test_generic_modules_import_no_game():
    importers = {
        str(path.relative_to(SOURCE)): module
        for path in GENERIC
        for module in imports_of(path)
        if module.startswith("sandtable.games")
    }
    assert importers == {}


def test_no_class_name_stands_in_four_files():
    homes: defaultdict[str, set[Path]] = defaultdict(set)
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].add(path)
    crowded = {name: files for name, files in homes.items() if len(files) > MOST_FILES_OF_A_CLASS}
    assert crowded == {}
