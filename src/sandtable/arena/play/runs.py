"""Where the journals of unfinished runs are, and what makes two runs the same."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sandtable import registry
from sandtable.arena.play.journal import Journal, plan_data
from sandtable.arena.play.plan import MatchPlan
from sandtable.arena.play.program import source_key

__all__ = ["open_journal", "run_name", "runs_folder"]


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
    words = json.dumps([data, versions, source_key(games, specs), note])
    return hashlib.blake2b(words.encode(), digest_size=10).hexdigest()
