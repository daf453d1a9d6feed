"""What tests of pages without a server share: an exported page, and its engine outside of it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from sandtable.pages.export import PageOptions, page_of
from sandtable.registry import make_game
from sandtable.screens import BUILT_PAGES

ENGINE = Path(__file__).parent / "engine.mjs"


def needs_scripts():
    """Skip where the client is not built."""
    if not BUILT_PAGES.is_dir():
        pytest.skip("the scripts of pages are not built; 'make client' builds them")


def exported(folder: Path, spec: str = "skirmish", **options: str) -> Path:
    """Export a page; only the first time ever something is compiled."""
    path = folder / "page.html"
    path.write_text(page_of(make_game(spec), PageOptions(**options)), encoding="utf-8")
    return path


def answers(page: Path, requests: list) -> list:
    """Let the engine of a page answer requests, each a list of a method and its values."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node on this machine to run the page's engine")
    lines = "".join(f"{json.dumps(request)}\n" for request in requests)
    done = subprocess.run(
        [node, ENGINE, page], input=lines, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
