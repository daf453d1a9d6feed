"""Build the wheel and the source archive of a release, twice, and see that the bytes are the same.

    python scripts/release.py --out dist [--tag v0.2.0] [--client]

The second time it builds from a copy in another folder; with --client the browser client is made
anew there, which asks the package index of Node. Times in the files are the day of the release as
CHANGELOG.md has it, so that whoever builds this version gets the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
CLIENT = (Path("src/sandtable/server/static"), Path("src/sandtable/pages/built"))
KINDS = ("wheel", "sdist")


def version_of(root: Path) -> str:
    """Return the version that is built."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def release_day(changes: str, version: str) -> datetime:
    """Return the day of a version, as the changes tell it.

    >>> release_day("## 0.2.0 (2026-11-18)", "0.2.0").timestamp()
    1794960000.0
    """
    found = re.search(rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)$", changes, re.MULTILINE)
    if not found:
        sys.exit(f"error: CHANGELOG.md has no line '## {version} (YEAR-MONTH-DAY)'")
    return datetime.fromisoformat(found[1]).replace(tzinfo=UTC)


def build(root: Path, folder: Path, day: datetime) -> dict[str, bytes]:
    """Build both files; return them by their names."""
    settings = os.environ | {"SOURCE_DATE_EPOCH": str(int(day.timestamp()))}
    for kind in KINDS:
        command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
        done = subprocess.run(
            command, cwd=root, env=settings, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"error: the {kind} cannot be built:\n{done.stderr}")
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def copy_sources(folder: Path, client: bool) -> None:
    """Copy what git keeps, and unless it is to be made anew the client as it is built here."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)  # with the right to be executed
    for built in () if client else CLIENT:
        shutil.copytree(ROOT / built, folder / built)


def main() -> None:
    """Build, compare, and keep the files."""
    options = argparse.ArgumentParser(description="Build a release twice, and compare.")
    options.add_argument("--out", type=Path, default=Path("dist"))
    options.add_argument("--tag", help="the tag that is released; it must be v and the version")
    options.add_argument("--client", action="store_true", help="make the client anew, too")
    wanted = options.parse_args()
    version = version_of(ROOT)
    if wanted.tag not in (None, f"v{version}"):
        sys.exit(f"error: the tag {wanted.tag} is not that of version {version}")
    day = release_day((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first = build(ROOT, folder / "first", day)
        (folder / "copy").mkdir()
        copy_sources(folder / "copy", wanted.client)
        second = build(folder / "copy", folder / "second", day)
    different = [name for name in first if first[name] != second.get(name)]
    if different or first.keys() != second.keys():
        sys.exit(f"error: built twice, these differ: {', '.join(different) or 'their names'}")
    wanted.out.mkdir(parents=True, exist_ok=True)
    for name, data in first.items():
        (wanted.out / name).write_bytes(data)
        print(f"{hashlib.sha256(data).hexdigest()}  {name}  {len(data) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
