"""Every mistake a person can make, each with one line that says what, where and what to do."""

from __future__ import annotations

import difflib
import re
import traceback
from collections.abc import Iterable
from pathlib import Path

__all__ = [
    "DAMAGED",
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
    "failure_line",
    "install_command",
    "suggestion",
]

# What the package index calls us: the plain name belongs to somebody else. The import and the
# command are ``sandtable``. pyproject.toml says the same, and a test holds the two together.
DISTRIBUTION = "sandtable-games"

# What reading data from a damaged file, or from a stranger, can raise: fields that lack
# or are of another kind, numbers of hundreds of digits, nests of thousands of brackets.
DAMAGED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

# Whose code has failed: that of libraries is never the place to look at first.
PACKAGE_PLACE = str(Path(__file__).parent)
GAMES_PLACE = str(Path(__file__).parent / "games")
LIBRARIES = re.compile(r"site-packages|dist-packages|[/\\]lib[/\\]python3|^<frozen")
ANSI = re.compile(r"\x1b\[[0-9;]*m")
COMPILER_NOISE = re.compile(r"Failed in|During:|File \"|\^|There are|>>>|- Of which|def |<source")
COMPILER_PLACE = re.compile(r'File "([^"]+)", line (\d+):')


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


def failure_line(problem: BaseException, *, ours: bool = True) -> str:
    """Return in one line what somebody's code has raised, with the file and line it comes from.

    Without ``ours`` a place in Sandtable itself, which only called that code, is left out.

    >>> try:
    ...     {}["key"]
    ... except KeyError as problem:
    ...     line = failure_line(problem)
    >>> line.startswith("KeyError: 'key' (")
    True
    """
    kind, text = type(problem).__name__, ANSI.sub("", str(problem))
    if type(problem).__module__.startswith("numba."):
        return compiler_line(kind, text)
    first = (text.strip().splitlines() or [""])[0]
    place = "" if isinstance(problem, SyntaxError) else failure_place(problem, ours)
    return (f"{kind}: {first}" if first else kind) + (f" ({place})" if place else "")


def failure_place(problem: BaseException, ours: bool = True) -> str:
    """Return file and line of the code that failed: that of an author before that of a library."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [each for each in frames if not LIBRARIES.search(each.filename)]
    authors = [each for each in own if not each.filename.startswith(PACKAGE_PLACE)]
    games = [each for each in own if GAMES_PLACE in each.filename]
    chosen = (authors or games or (own if ours else []))[-1:]
    return "".join(f"{Path(each.filename).name} line {each.lineno}" for each in chosen)


def compiler_line(kind: str, text: str) -> str:
    """Return what the compiler of kernels says, without the passes it went through.

    >>> compiler_line("TypingError", 'Failed in pass one\\nNameError: no x\\nFile "a.py", line 3:')
    'a kernel cannot be compiled: NameError: no x (a.py line 3)'
    """
    lines = [line.strip() for line in text.splitlines()]
    said = [line for line in lines if line and not COMPILER_NOISE.match(line)]
    places = COMPILER_PLACE.findall(text)
    where = f" ({places[-1][0]} line {places[-1][1]})" if places else ""
    return f"a kernel cannot be compiled: {said[0] if said else kind}{where}"
