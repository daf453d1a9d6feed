"""The agent that plays from a table: an action for everything its seat can come to know.

``sandtable exploit`` writes such a table where a game is small enough: see docs/methods/exploit.md.
What a seat knows is what it sees now; in games with secrets also what it saw after every action so
far, and which of those actions it was told.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from sandtable.agent import Agent
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.types import Game, State

__all__ = ["NOTHING", "Table", "TablePlayer", "after_action", "knowledge", "read_table"]

FORMAT, FORMAT_VERSION = "sandtable-table", 1
KEY_BYTES = 16
NOTHING = b""  # what a seat has seen before the first action


def after_action(seen: bytes, view: State, action: int | None) -> bytes:
    """Return what a seat has seen after one more action; None is one that it may not know.

    In a game without secrets the position says everything, so nothing is remembered.

    >>> from sandtable.registry import make_game
    >>> after_action(NOTHING, make_game("lucid").start(), 0)
    b''
    """
    if not view.game.hidden:
        return NOTHING
    told = b"?" if action is None else str(action).encode()
    return hashlib.blake2b(
        seen + told + b":" + view.position.tobytes(), digest_size=KEY_BYTES
    ).digest()


def knowledge(seen: bytes, view: State) -> str:
    """Return the key of all that a seat knows when it is to act.

    >>> from sandtable.registry import make_game
    >>> len(knowledge(NOTHING, make_game("lucid").start()))
    32
    """
    return hashlib.blake2b(seen + view.position.tobytes(), digest_size=KEY_BYTES).hexdigest()


@dataclass(frozen=True)
class Table:
    """What to play in one seat of one game.

    >>> Table("lucid", 0, "lucid/axes-red", {"00": 3}).text()[:28]
    '{"format": "sandtable-table"'
    """

    game: str  # spec strings
    seat: int
    against: str
    actions: Mapping[str, int]  # by knowledge

    def text(self) -> str:
        """Return the table as a file has it."""
        data = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "game": self.game,
            "seat": self.seat,
            "against": self.against,
            "actions": dict(sorted(self.actions.items())),
        }
        return json.dumps(data) + "\n"


def read_table(path: Path) -> Table:
    """Read a table from its file.

    >>> read_table(Path("nowhere.json"))
    Traceback (most recent call last):
    ...
    sandtable.errors.SandtableError: cannot read the table nowhere.json: No such file or directory
    """
    try:
        data = json.loads(path.read_text("utf-8"))
        if data["format"] != FORMAT or data["format_version"] != FORMAT_VERSION:
            raise ValueError("it is of another format")
        actions = {str(key): int(action) for key, action in data["actions"].items()}
        return Table(str(data["game"]), int(data["seat"]), str(data["against"]), actions)
    except OSError as problem:
        raise SandtableError(f"cannot read the table {path}: {problem.strerror}") from problem
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise SandtableError(f"{path} is not a table that 'sandtable exploit' wrote") from problem


class TablePlayer(Agent):
    """Any small game; plays the table that ``sandtable exploit`` wrote for one seat of it."""

    meanings: ClassVar[Mapping[str, str]] = {
        "weights": "a table that 'sandtable exploit' has written (needed)",
    }

    def __init__(self, weights: Path | None = None) -> None:
        """Play the table in a file, ``weights``."""
        if weights is None:
            raise SandtableError("'table' needs a table: table:weights=FILE")
        self.weights = Path(weights)
        self.table: Table | None = None
        self.seat, self.seen = 0, NOTHING

    def weight_files(self) -> Sequence[Path]:
        """Return the file it plays with."""
        return (self.weights,)

    def check(self) -> None:
        """Find out whether the table can be read."""
        self.table = read_table(self.weights)

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Open the table, and forget the game before."""
        table = self.table = self.table or read_table(self.weights)
        if (table.game, table.seat) != (game.spec, seat):
            raise SandtableError(
                f"{self.weights} is for seat {table.seat} of {table.game}, not {seat} of "
                f"{game.spec}"
            )
        self.seat, self.seen = seat, NOTHING

    def watch(self, view: State, action: int | None) -> None:
        """Remember what was seen."""
        self.seen = after_action(self.seen, view, action)

    def choose(self, view: State, dice: Dice) -> int:
        """Return what the table says; where it says nothing, any legal action."""
        assert self.table is not None, "a game begins before anybody chooses"
        action = self.table.actions.get(knowledge(self.seen, view))
        legal = view.legal
        return action if action in legal else legal[dice.below(len(legal))]
