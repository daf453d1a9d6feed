"""Builds the browser client (web/) into the package, so that an installed wheel needs no Node.

The client is built again only if its sources have changed: a digest of them lies beside the built
files. An editable install goes on without the client if there is no Node; a wheel does not.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by itself, before anything is installed
    BuildHookInterface = object

STATIC = Path("src", "sandtable", "server", "static")
PAGES = Path("src", "sandtable", "pages", "built")  # the same build: pages without a server
DIGEST = "built-from.txt"
SOURCES = (
    "src/**/*", "public/**/*", "index.html", "package.json", "package-lock.json", "vite.config.ts",
    "svelte.config.js", "pages.mjs",
)  # fmt: skip


class ClientBuild(BuildHookInterface):  # type: ignore[type-arg,misc]
    """Runs before a wheel, a source archive or an editable install is made."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the client where that is needed and possible, and nobody else does it now."""
        if version == "editable" and os.environ.get("SANDTABLE_CLIENT") == "beside":
            return
        try:
            bring_up_to_date(Path(self.root))
        except OSError as error:
            if version != "editable":
                raise RuntimeError(f"the browser client cannot be built: {error}") from error
            self.app.display_warning(f"The browser client is not built: {error}")


def bring_up_to_date(root: Path) -> None:
    """Build the client if its sources are here and have changed since the last time."""
    sources, static = root / "web", root / STATIC
    if not sources.is_dir() or (up_to_date(sources, static) and (root / PAGES).is_dir()):
        return
    npm = shutil.which("npm")
    if npm is None:
        raise OSError("npm is not there; install Node 20 or newer")
    build(npm, sources)
    (static / DIGEST).write_text(digest(sources) + "\n", encoding="utf-8")


def up_to_date(sources: Path, static: Path) -> bool:
    """Say whether the built files were made from these sources."""
    mark = static / DIGEST
    return mark.is_file() and mark.read_text(encoding="utf-8").strip() == digest(sources)


def digest(sources: Path) -> str:
    """Return the digest of everything the built files depend on."""
    found = {path for pattern in SOURCES for path in sources.glob(pattern) if path.is_file()}
    total = hashlib.sha256()
    for path in sorted(found):
        total.update(path.relative_to(sources).as_posix().encode())
        total.update(path.read_bytes())
    return total.hexdigest()


def build(npm: str, sources: Path) -> None:
    """Install what the build needs, exactly as locked, if it is not there yet, and build."""
    lock, installed = sources / "package-lock.json", sources / "node_modules/.package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < lock.stat().st_mtime:
        run(npm, sources, "ci", "--no-audit", "--no-fund")
    run(npm, sources, "run", "build")


def run(npm: str, sources: Path, *arguments: str) -> None:
    """Run npm; if it fails, say so with the first line that tells why."""
    done = subprocess.run(
        [npm, *arguments], cwd=sources, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip() and "warn" not in line]
        told = [line for line in lines if not line.startswith("npm error code")]
        raise OSError(f"npm {arguments[0]} failed: {told[0].strip() if told else 'no word why'}")


if __name__ == "__main__":
    try:
        bring_up_to_date(Path(__file__).parent)
    except OSError as problem:
        sys.exit(f"error: the browser client cannot be built: {problem}")
