"""The example package as somebody would have it: installed, apart from everything else."""

from __future__ import annotations

import fcntl
import importlib
import os
import shutil
import subprocess
import sys
import tomllib
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


def install_once(folder: Path) -> Path:
    """Install the example into a folder that processes share, unless another one has done it."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "installed").exists():
            install(folder / "packages", EXAMPLE)
            (folder / "installed").touch()
    return folder / "packages"


def copy_package(folder: Path, package: Path) -> None:
    """Put a package into a folder with the entry points of its pyproject.toml, without pip."""
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shutil.copytree(package / "src", folder, dirs_exist_ok=True)
    described = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    described.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (described / "METADATA").write_text(metadata, encoding="utf-8")
    points = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in named.items())
        for group, named in project["entry-points"].items()
    ]
    (described / "entry_points.txt").write_text("".join(points), encoding="utf-8")


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
        sys.modules["sandtable.server.routes.games"].games_as_text.cache_clear()
        sys.modules["sandtable.server.routes.games"].agents_as_text.cache_clear()
