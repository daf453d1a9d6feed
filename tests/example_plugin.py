"""The example package as somebody would have it: installed, apart from everything else."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandtable import registry

EXAMPLE = Path(__file__).parent / "example_package"
OPTIONS = "--quiet --no-deps --no-index --no-build-isolation --disable-pip-version-check"


def install(folder: Path, *packages: Path) -> None:
    """Install packages into a folder of their own."""
    command = [sys.executable, "-m", "pip", "install", *OPTIONS.split(), "--target", str(folder)]
    subprocess.run([*command, *map(str, packages)], check=True, capture_output=True)


@contextmanager
def installed_here(folder: Path) -> Iterator[None]:
    """Let this process, and those it starts, find what is installed in a folder."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), before]))
    sys.path.insert(0, str(folder))
    forget_plug_ins()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
        forget_plug_ins()


def forget_plug_ins() -> None:
    """Let entry points be looked for again."""
    importlib.invalidate_caches()
    registry.registered.cache_clear()
    registry.make_game.cache_clear()
    if "sandtable.server.routes.games" in sys.modules:
        sys.modules["sandtable.server.routes.games"].all_games.cache_clear()
