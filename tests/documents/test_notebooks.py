"""The notebooks run from top to bottom, and print what they were saved with.

SANDTABLE_UPDATE_NOTEBOOKS=1 saves what they print now.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
WIDGET = "application/vnd.jupyter.widget-view+json"
# Rules written in a notebook would be compiled in every run; as plain Python they are the same.
PLAIN_PYTHON = ("add-a-game",)
# What is learned rests on the last bits of a machine's arithmetic: there numbers are not compared.
LEARNING = ("train-and-measure",)


def run(path: Path, folder: Path, monkeypatch) -> nbformat.NotebookNode:
    """Run a notebook in a folder of its own, with a kernel of its own."""
    if path.stem in PLAIN_PYTHON:
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(folder / "ipython"))
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the machinery around kernels, none of ours
        nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()
    return notebook


def cleaned(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Take out what differs from run to run: ids of widgets, numbers of executions, times."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(WIDGET, None)
            if "execution_count" in output:
                output["execution_count"] = None
        if "execution_count" in cell:
            cell["execution_count"] = None
            cell.outputs = joined(cell.outputs)
    return notebook


def joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Put together what was printed in one go; in how many pieces it comes is a matter of time."""
    found: list[nbformat.NotebookNode] = []
    for output in outputs:
        before = found[-1] if found else {}
        if output.get("name") and before.get("name") == output["name"]:
            before["text"] += output["text"]
        else:
            found.append(output)
    return found


def told(cell: nbformat.NotebookNode, path: Path) -> str:
    """Return all that a cell has printed and drawn, as text."""
    text = json.dumps(cell.get("outputs"), sort_keys=True)
    return re.sub(r"\d+(\.\d+)?", "0", text) if path.stem in LEARNING else text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_prints_what_it_was_saved_with(path, tmp_path, monkeypatch):
    fresh = cleaned(run(path, tmp_path, monkeypatch))
    if os.environ.get("SANDTABLE_UPDATE_NOTEBOOKS"):
        nbformat.write(fresh, path)
    saved = nbformat.read(path, as_version=4)
    for now, then in zip(fresh.cells, saved.cells, strict=True):
        assert told(now, path) == told(then, path), now.source


def test_saved_notebooks_are_small_and_hold_no_paths():
    assert len(NOTEBOOKS) >= 3
    for path in NOTEBOOKS:
        text = path.read_text(encoding="utf-8")
        assert len(text) < 150_000, path.name
        assert "/tmp/" not in text, path.name
        assert str(Path.home()) not in text, path.name
