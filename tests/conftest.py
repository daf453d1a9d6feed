"""What all tests share."""

from __future__ import annotations

import gc
import os
import signal
import sys

import pytest

collect_ignore = ["sandtable-connect-four"]  # tests/test_connect_four.py runs its tests


def pytest_configure():
    """Listen to Ctrl-C even where a shell has started the tests in the background.

    It has Ctrl-C ignored there, which every process inherits whose Ctrl-C is tested.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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


@pytest.fixture
def sandtable(monkeypatch, capsys):
    """Run a command line in this process, and return its exit code, output and errors."""
    from sandtable.cli.main import run

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["sandtable", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            run()
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return call


@pytest.fixture(scope="session")
def example_package(tmp_path_factory):
    """Install the example package once, also where several processes share the tests."""
    from example_plugin import install_once

    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    return install_once(shared / "example_package")


GAMES = "tests/games/"  # its folders are the games; each is done by one worker
BROWSER = "tests/browser/"  # all in one, so that one Chromium and one server are started
# Then comes what takes long otherwise, and the rest. Kills and browsers mostly wait: they are far
# apart, so that other workers compute meanwhile, and early, so that none is left alone at the end.
LONG = (
    "arena/test_kills", "server", "adapters", "browser", "learning", "test_conformance",
    "documents", "reproduce", "test_", "cli", "agents", "arena",
)  # fmt: skip


def subject(nodeid: str) -> str:
    """Return what one worker does as a whole: all files about a game or in a browser, or a file.

    >>> subject("tests/games/lucid/agents/test_champion.py::test_it")
    'tests/games/lucid/'
    >>> subject("tests/test_dice.py::test_it")
    'tests/test_dice.py'
    """
    path = nodeid.partition("::")[0]
    if path.startswith(BROWSER):
        return BROWSER
    game, slash, _ = path.removeprefix(GAMES).partition("/")
    return f"{GAMES}{game}/" if path.startswith(GAMES) and slash else path


def place(nodeid: str) -> int:
    """Return the place of a subject in the order of work: games, long files, short ones."""
    about = subject(nodeid)
    if about.startswith(GAMES):
        return 0
    inside = about.removeprefix("tests/")
    return 1 + next((rank for rank, name in enumerate(LONG) if inside.startswith(name)), len(LONG))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give all files about a game, or all in a browser, to one worker.

    With an empty cache, workers that met a game at the same time would each compile its kernels.
    Where it is filled, ``--dist loadfile`` divides a game as well: ``make check`` does that.
    """
    if config.getoption("dist") != "loadscope":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByGame(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return subject(nodeid)

    return ByGame(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Begin with what takes long, where workers share the tests, so that they end together."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: place(item.nodeid))


def pytest_collection_finish():
    """Keep what is loaded by now out of every collection of garbage to come, and make those rarer.

    Compiling makes many objects that stay; looking through them took four seconds of a hundred.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 10)
