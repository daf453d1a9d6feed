"""What all tests share."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def journals_elsewhere(tmp_path_factory):
    """Keep the journals of stopped runs out of the home folder, also those of subprocesses."""
    before = os.environ.get("SANDTABLE_STATE")
    os.environ["SANDTABLE_STATE"] = str(tmp_path_factory.mktemp("state"))
    yield
    if before is None:
        del os.environ["SANDTABLE_STATE"]
    else:
        os.environ["SANDTABLE_STATE"] = before


GAMES = ("gravwell", "lucid", "skirmish", "stratego")


def subject(path: str) -> str:
    """Return the game that a file of tests is about; an empty word for everything else."""
    return next((game for game in GAMES if game in path), "")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Let workers that run side by side begin with different games.

    In the order of the folders, workers would reach each game together, and with an empty cache
    each would compile the same kernels. So the files go round: one of each game, then the next of
    each. xdist keeps to that with --no-loadscope-reorder.
    """
    if not hasattr(config, "workerinput"):
        return
    rounds: dict[str, int] = {}  # how many files of a subject have come so far
    place: dict[str, tuple[int, int]] = {}  # the round of a file, and its place there
    subjects = (*GAMES, "")
    for item in items:
        path = item.nodeid.partition("::")[0]
        if path not in place:
            about = subject(path)
            place[path] = (rounds.get(about, 0), subjects.index(about))
            rounds[about] = rounds.get(about, 0) + 1
    items.sort(key=lambda item: place[item.nodeid.partition("::")[0]])
