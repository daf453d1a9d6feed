"""Which tests ``make check`` runs for which change."""

import doctest
import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "changed_tests.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("changed_tests", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_its_examples(script):
    result = doctest.testmod(script)
    assert result.attempted >= 4
    assert result.failed == 0


@pytest.mark.parametrize(
    ("changed", "concerned", "apart"),
    [
        ("src/sandtable/dice.py", "tests/test_dice.py", "tests/games/"),
        ("src/sandtable/records/store.py", "tests/records/test_store.py", "tests/games/"),
        ("src/sandtable/games/lucid/notation.py", "tests/games/lucid/test_notation.py",
         "tests/games/skirmish/"),
        ("tests/games/lucid/plain.py", "tests/games/lucid/test_twin.py", "tests/arena/"),
        ("docs/archive.md", "tests/documents/test_examples.py", "tests/games/"),
        ("pyproject.toml", "tests/test_packaging.py", "tests/games/"),
    ],
)  # fmt: skip
def test_what_concerns_a_change(changed, concerned, apart, script):
    found = script.tests_of([changed])
    assert concerned in found
    assert not [name for name in found if name.startswith(apart)]


def test_what_is_imported_concerns_the_importer(script):
    assert "tests/test_plugins.py" not in script.tests_of(["src/sandtable/records/store.py"])
    assert "tests/documents/test_examples.py" in script.tests_of(["src/sandtable/specs.py"])


def test_every_game_has_tests_of_its_own(script):
    for folder in (script.ROOT / script.PACKAGE / "games").glob("*/game.py"):
        assert script.inside(script.PurePosixPath("tests/games") / folder.parent.name)
    for name in script.LONG:
        assert (script.ROOT / name).exists(), name
