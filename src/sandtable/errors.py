"""Every mistake a person can make, each with one line that says what, where and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "DISTRIBUTION",
    "ArchiveError",
    "BrokenRecord",
    "Forfeit",
    "IllegalAction",
    "MissingExtra",
    "SandtableError",
    "StopGame",
    "UnknownName",
    "UnreadableAction",
    "UnreadablePosition",
    "UnreadableSpec",
    "WrongSeats",
    "install_command",
    "suggestion",
]

# What the package index calls us: the plain name belongs to somebody else. The import and the
# command are ``sandtable``. pyproject.toml says the same, and a test holds the two together.
DISTRIBUTION = "sandtable-games"


class SandtableError(Exception):
    """The parent of all errors below; the command line prints it as one line.

    >>> issubclass(UnknownName, SandtableError)
    True
    """


class UnreadableAction(SandtableError):
    """The text is not an action in this game's notation.

    >>> import sandtable
    >>> sandtable.make_game("lucid").start().play("nowhere")
    Traceback (most recent call last):
    ...
    sandtable.errors.UnreadableAction: ...
    """


class IllegalAction(SandtableError):
    """The action is well written, but the rules do not allow it in this position.

    >>> import sandtable
    >>> sandtable.make_game("lucid").start(sandtable.Dice(1)).play("a3-a4")
    Traceback (most recent call last):
    ...
    sandtable.errors.IllegalAction: ...
    """

    def __init__(self, line: str, name: str = "", rule: str = "") -> None:
        super().__init__(line)
        self.name = name  # of the action, as a reader meets it: 'a1-a2', or action 1000
        self.rule = rule  # that forbids it, in a few words; empty if the game cannot tell


class UnreadablePosition(SandtableError):
    """The text is not a position in this game's notation.

    >>> import sandtable
    >>> sandtable.make_game("lucid").parse("r2")
    Traceback (most recent call last):
    ...
    sandtable.errors.UnreadablePosition: ...
    """


class UnreadableSpec(SandtableError):
    """A spec string such as ``random`` or ``external:./bot,seconds=2`` makes no sense.

    >>> import sandtable
    >>> sandtable.make_agent("random:")
    Traceback (most recent call last):
    ...
    sandtable.errors.UnreadableSpec: ...
    """


class UnknownName(SandtableError):
    """No game or agent of that name is installed.

    >>> import sandtable
    >>> sandtable.make_agent("randon")
    Traceback (most recent call last):
    ...
    sandtable.errors.UnknownName: there is no agent 'randon'. Did you mean 'random'? ...
    """


class WrongSeats(SandtableError):
    """The number of agents, or the seat one of them was given, does not fit the game.

    >>> import sandtable
    >>> sandtable.make_plan("lucid", ["random"], games=1, seed=0)
    Traceback (most recent call last):
    ...
    sandtable.errors.WrongSeats: lucid needs 2 agents, in the order blue, red; got 1
    """


class BrokenRecord(SandtableError):
    """A record cannot be read, or does not replay to the result it states."""


class ArchiveError(SandtableError):
    """The archive cannot be opened, read or written."""


class Forfeit(SandtableError):
    """An agent cannot go on (crash, time, nonsense); the game ends with this reason.

    >>> str(Forfeit("no answer within 2 s"))
    'no answer within 2 s'
    """


class StopGame(Exception):
    """Raised by an agent or a watcher to break a game off; what was played is kept."""


class MissingExtra(SandtableError):
    """An optional dependency is not installed; the message says how to get it.

    >>> str(MissingExtra("drawing a PNG", "png"))
    "drawing a PNG needs the extra 'png': pip install 'sandtable-games[png]'"
    """

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(f"{purpose} needs the extra '{extra}': {install_command(extra)}")


def install_command(extra: str) -> str:
    """Return the command that installs an extra.

    >>> install_command("web")
    "pip install 'sandtable-games[web]'"
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?`` for the nearest known word, or an empty string.

    >>> suggestion("randon", ["random", "human"])
    " Did you mean 'random'?"
    >>> suggestion("xyz", ["random", "human"])
    ''
    """
    nearest = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f" Did you mean '{nearest[0]}'?" if nearest else ""
