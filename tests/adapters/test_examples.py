"""The examples of docs/examples that use other libraries, each run at a small size."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent.parent / "docs" / "examples"


def example(name: str):
    """Import an example by its path."""
    found = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_openspiel_solves_the_last_turns_of_gravwell(capsys):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra interop)")
    solver = example("openspiel_cfr")
    rough = solver.main(["--cards", "2", "--iterations", "1"])
    close = solver.main(["--cards", "2", "--iterations", "40"])
    assert 0.0 <= close < 0.01 < rough
    assert "first card: " in capsys.readouterr().out


def test_openspiel_searches_better_than_chance(capsys):
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra interop)")
    score = example("openspiel_mcts").main(["--simulations", "6", "--games", "4"])
    assert score > 0.0
    assert "mean score of the search in 4 games" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_maskable_ppo_learns(capsys):
    pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed (extra examples)")
    before, after = example("maskable_ppo").main(["--steps", "1536", "--games", "50"])
    assert after > before
    assert "after 1,536 decisions" in capsys.readouterr().out
