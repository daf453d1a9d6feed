"""Where the journals of unfinished runs are, and what makes two runs the same."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sandtable import registry
from sandtable.arena.play.journal import Journal, plan_data
from sandtable.arena.play.plan import MatchPlan
from sandtable.compiled import PACKAGE_FOLDER
from sandtable.specs import parse_spec

__all__ = ["open_journal", "program_digest", "run_name", "runs_folder"]

# Of this package: what decides results.
PROGRAM_PARTS = (
    "adapters",
    "games",
    "agents",
    "*.py",
    *(f"arena/{name}.py" for name in ("chunks", "loop", "compiled_games")),
)
COMPUTED_WITH = ("numpy", "numba", "onnxruntime", "open_spiel")
NOT_PROGRAM = ("__pycache__", ".md")  # folders and endings


def runs_folder() -> Path:
    """Return the folder of the journals; ``SANDTABLE_STATE`` names another one.

    A home that cannot be written falls back to a temporary folder, as the cache of kernels does.
    """
    chosen = os.environ.get("SANDTABLE_STATE")
    if chosen:
        return Path(chosen) / "runs"
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    folder = Path(base) / "sandtable" / "runs"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    if os.access(folder, os.W_OK):
        return folder
    return Path(tempfile.gettempdir()) / f"sandtable-{os.getuid()}" / "runs"


def open_journal(plans: Sequence[MatchPlan], note: str = "", *, fresh: bool = False) -> Journal:
    """Open the journal of a run, with what an earlier run of the same name has finished.

    ``note`` is whatever else makes a run another one, such as the place of its archive. With
    ``fresh`` what is known is forgotten.
    """
    run = run_name(plans, note)
    path = runs_folder() / f"{run}.jsonl"
    if fresh:
        path.unlink(missing_ok=True)
    return Journal(path, plans, run)


def run_name(plans: Sequence[MatchPlan], note: str) -> str:
    """Return the name of a run: the same plans, the same program, the same note."""
    data = [plan_data(plan) for plan in plans]
    versions = [registry.make_game(plan.game).version for plan in plans]
    specs = {spec for plan in plans for spec in plan.agents}
    games = {plan.game for plan in plans}
    words = json.dumps([data, versions, program_digest(games, specs), note])
    return hashlib.blake2b(words.encode(), digest_size=10).hexdigest()


def program_digest(games: Iterable[str], agents: Iterable[str]) -> str:
    """Return a digest of whatever decides the moves of these agents, as far as it can be known.

    These are the sources and weights of this package and of the packages the agents and games come
    from, files that are named in their options, and the versions of what they compute with. So a
    run never goes on with games that another version of an agent has played.
    """
    digest = hashlib.blake2b(digest_size=12)
    numbers = " ".join(f"{name} {version_of(name)}" for name in COMPUTED_WITH)
    digest.update(f"{sys.version_info[:2]} {numbers}".encode())
    roots = {PACKAGE_FOLDER}
    for group, specs in ((registry.GAMES, games), (registry.AGENTS, agents)):
        for text in specs:
            spec = parse_spec(text)
            roots |= package_of(registry.module_of(group, spec.name))
            for word in " ".join([spec.argument or "", *spec.options.values()]).split():
                if Path(word).is_file():
                    digest.update(word.encode() + Path(word).read_bytes())
    for root in sorted(roots):
        digest.update(folder_digest(root))
    return digest.hexdigest()


def version_of(package: str) -> str:
    """Return the version of a package, if it is installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def package_of(module: str) -> set[Path]:
    """Return the folder of the outermost package of a module, or its file."""
    found = importlib.util.find_spec(module.partition(".")[0])
    if found is None or found.origin is None:
        return set()
    path = Path(found.origin).resolve()
    return {path.parent if path.name == "__init__.py" else path}


@functools.cache
def folder_digest(root: Path) -> bytes:
    """Hash the files of a package that can decide games."""
    patterns = PROGRAM_PARTS if root == PACKAGE_FOLDER else ("*",)
    digest = hashlib.blake2b(digest_size=16)
    found = {path for pattern in patterns for path in root.glob(pattern)} or {root}
    files = {file for path in found for file in (path.rglob("*") if path.is_dir() else [path])}
    for file in sorted(files):
        if file.is_file() and not set(NOT_PROGRAM) & {*file.parts, file.suffix}:
            digest.update(str(file.relative_to(root.parent)).encode())
            digest.update(hashlib.blake2b(file.read_bytes()).digest())
    return digest.digest()
