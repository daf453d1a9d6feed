"""Prints the test files that concern what has changed, for ``make check``.

    python scripts/changed_tests.py              since the branch left main, and not committed yet
    python scripts/changed_tests.py --game lucid all of one game

The tests mirror the sources: a change in src/sandtable/arena/ concerns tests/arena/, one in a game
its tests/games/<game>/, and a module those files that import it. Tests that take long are left to
``make test``, unless they have changed themselves; standard error says which.
"""

from __future__ import annotations

import argparse
import ast
import functools
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = PurePosixPath("src/sandtable")
LONG = (
    "tests/adapters/",
    "tests/arena/test_kills.py",
    "tests/browser/",
    "tests/cli/test_new.py",
    "tests/documents/test_notebooks.py",
    "tests/documents/test_site.py",
    "tests/test_packaging.py",
)


def main() -> None:
    """Print the files, one a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="")
    game = parser.parse_args().game
    if game:
        if not (ROOT / "tests" / "games" / game).is_dir():
            sys.exit(f"error: there is no folder tests/games/{game}")
        print(f"tests/games/{game}")
        return
    changed = changed_files()
    concerned = tests_of(changed)
    left = {name for name in concerned - set(changed) if name.startswith(LONG)}
    if left:
        print(f"left to make test: {', '.join(sorted(left))}", file=sys.stderr)
    print("\n".join(sorted(concerned - left)))


def changed_files() -> list[str]:
    """Return what differs from where this branch left main, also what is not committed yet."""
    known = git("rev-parse", "--verify", "--quiet", "main")
    base = git("merge-base", "main", "HEAD") if known else ["HEAD"]
    return [*git("diff", "--name-only", *base), *git("ls-files", "--others", "--exclude-standard")]


def git(*words: str) -> list[str]:
    """Return the lines that git prints; none where it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


def tests_of(changed: Iterable[str]) -> set[str]:
    """Return the test files that concern these files, all of them relative to the repository.

    >>> sorted(tests_of(["tests/test_dice.py", "LICENSE"]))
    ['tests/test_dice.py']
    """
    found: set[str] = set()
    for name in changed:
        path = PurePosixPath(name)
        if path.is_relative_to("tests"):
            found |= {name} if path.name.startswith("test_") else inside(path.parent)
        elif path.is_relative_to(PACKAGE):
            found |= mirrored(path.relative_to(PACKAGE)) | importers(module_of(path))
        elif path.suffix == ".md":
            found |= {"tests/test_docs.py", "tests/documents/test_examples.py"}
        elif path.is_relative_to("docs"):
            found |= inside(PurePosixPath("tests/documents"))
        elif name in ("pyproject.toml", "hatch_build.py"):
            found.add("tests/test_packaging.py")
    if any(PurePosixPath(name).is_relative_to(PACKAGE) for name in changed):
        found.add("tests/test_house.py")  # it reads all sources and imports none
    return {name for name in found if (ROOT / name).is_file()}


def inside(folder: PurePosixPath) -> set[str]:
    """Return the test files of a folder and of those in it; of tests/ itself none."""
    if folder == PurePosixPath("tests"):
        return set()
    return {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("test_*.py")}


def mirrored(path: PurePosixPath) -> set[str]:
    """Return the tests that stand where a file of the package does: a game's, a folder's, its own.

    >>> mirrored(PurePosixPath("dice.py"))
    {'tests/test_dice.py'}
    """
    if len(path.parts) == 1:
        tests = ROOT.glob(f"tests/test_{path.stem}*.py")
        return {test.relative_to(ROOT).as_posix() for test in tests}
    depth = 2 if path.parts[0] == "games" and len(path.parts) > 2 else 1
    return inside(PurePosixPath("tests").joinpath(*path.parts[:depth]))


def module_of(path: PurePosixPath) -> str:
    """Return the name of a module by its file.

    >>> module_of(PurePosixPath("src/sandtable/batch/__init__.py"))
    'sandtable.batch'
    """
    parts = path.relative_to("src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def importers(module: str) -> set[str]:
    """Return the test files outside tests/games that import a module, or something from it.

    Of what every game rests on, the games' own tests would be most of ``make test``.
    """
    return {
        name
        for name, imported in imports().items()
        if any(each == module or each.startswith(f"{module}.") for each in imported)
    }


@functools.cache
def imports() -> dict[str, set[str]]:
    """Return what each test file outside tests/games imports from the package."""
    found = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith("tests/games/"):
            found[name] = set(imported_names(ast.parse(path.read_text(encoding="utf-8"))))
    return found


def imported_names(tree: ast.AST) -> Iterable[str]:
    """Return the full names that a file imports, at its top or later.

    >>> list(imported_names(ast.parse("from sandtable.dice import Dice")))
    ['sandtable.dice', 'sandtable.dice.Dice']
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sandtable."):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("sandtable."))


if __name__ == "__main__":
    main()
