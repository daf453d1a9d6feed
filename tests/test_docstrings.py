"""The examples in docstrings run, and everything that is promised has one."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import sandtable
from sandtable.errors import MissingExtra

SOURCE = Path(sandtable.__file__).parent
PROMPT = ">>> "
OPTIONS = doctest.ELLIPSIS
HOLDERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def examples_of(path: Path) -> Iterator[tuple[str, int, str]]:
    """Return the docstrings of a file that have examples: name, line, text.

    They are read from the source: kernels and properties hide theirs from a look at the module.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        text = ast.get_docstring(node) if isinstance(node, HOLDERS) else None
        if text and PROMPT in text:
            yield getattr(node, "name", path.stem), node.body[0].lineno, text


def module_name(path: Path) -> str:
    """Return the name by which a file is imported."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


WITH_EXAMPLES = [
    path for path in sorted(SOURCE.rglob("*.py")) if PROMPT in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=module_name)
def test_the_examples_of_a_module_run(path):
    try:
        module = importlib.import_module(module_name(path))
    except (ImportError, MissingExtra) as problem:
        pytest.skip(str(problem))
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    told: list[str] = []
    for name, line, text in examples_of(path):
        test = doctest.DocTestParser().get_doctest(text, dict(vars(module)), name, str(path), line)
        runner.run(test, out=told.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(told)


def has_example(thing: object) -> bool:
    """Say whether something, or one of its own methods, has an example."""
    members = vars(thing).values() if inspect.isclass(thing) else ()
    texts = [inspect.getdoc(thing), *(getattr(member, "__doc__", "") for member in members)]
    return any(PROMPT in (text or "") for text in texts)


# Constants and what only tells of a result that another promised function returns.
WITHOUT_EXAMPLE = {"OVER", "PlayedGame"}


def test_everything_that_is_promised_has_an_example():
    missing = {name for name in sandtable.__all__ if not has_example(getattr(sandtable, name))}
    assert missing <= WITHOUT_EXAMPLE


def test_examples_of_kernels_and_properties_are_found():
    found = {name for name, _, _ in examples_of(SOURCE / "dice.py")}
    assert {"below", "coin", "uniform", "Dice"} <= found
    assert len(WITH_EXAMPLES) > 30
