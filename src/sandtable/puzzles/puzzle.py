"""A puzzle and its file: a line of JSON each, beside the game's module or wherever it was mined.

The position is what the seat to move may know, and nothing else: whatever is hidden from it is not
in the file. Values are expectations over dice and over all positions that the seat cannot tell
apart.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sandtable.agents.level.ladder import file_beside
from sandtable.errors import DAMAGED, SandtableError
from sandtable.files import write_whole
from sandtable.registry import make_game
from sandtable.types import Game, State

__all__ = [
    "FILE_NAME",
    "Judgement",
    "Puzzle",
    "bundled_puzzles",
    "closing_action",
    "line_from_puzzle",
    "position_text",
    "puzzle_from_line",
    "read_puzzles",
    "write_puzzles",
]

FILE_NAME = "puzzles.jsonl"  # beside the game's module
FORMAT, FORMAT_VERSION = "sandtable-puzzle", 1
CELLS = "cells:"  # before a position whose line of text would lose something
UNITS = ("chance", "score")
ROUNDED = 1e-3  # values are kept with four digits


@dataclass(frozen=True)
class Judgement:
    """What one judge found: how much the best move is ahead of the next one.

    >>> Judgement("random", 100, 0.3, 0.1, 0.5).holds
    True
    """

    by: str
    samples: int  # how often each move was tried
    margin: float
    low: float  # the ends of its interval
    high: float

    @property
    def holds(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0


@dataclass(frozen=True)
class Puzzle:
    """A position with one move that is clearly best."""

    game: str  # spec
    version: int  # of the rules
    position: str  # the view of the seat, see ``position_text``
    seat: int
    closes: bool  # the turn ends with the move
    task: str  # what is asked for, in words: "find the best move"
    unit: str  # of the values: chance to win, or score
    best: str
    second: str
    values: Mapping[str, float]  # of every move, to the seat
    judgements: tuple[Judgement, ...]  # the first is the one the values are from
    source: Mapping[str, Any]  # agents, seed, number of the game, ply

    @property
    def identity(self) -> str:
        """A short name that stays the same wherever the puzzle is kept."""
        known = f"{self.game} {self.version} {self.position} {self.seat} {self.closes}"
        return hashlib.blake2b(known.encode(), digest_size=6).hexdigest()

    @property
    def margin(self) -> float:
        """How much the best move is better than the next one."""
        return self.values[self.best] - self.values[self.second]

    @property
    def state(self) -> State:
        """What the seat to move sees."""
        return view_from_text(make_game(self.game), self.position, self.seat)

    def actions(self, name: str) -> tuple[int, ...]:
        """Return the actions that a move stands for: itself, and what ends the turn with it."""
        return move_of(self.state, make_game(self.game).notation.parse_action(name), self.closes)


# --- positions and moves -------------------------------------------------------------------------


def position_text(view: State) -> str:
    """Return a view as text from which exactly the same view can be made.

    That is its line of notation; where a line leaves something out, the cells themselves.

    >>> from sandtable.dice import Dice
    >>> position_text(make_game("lucid").start(Dice(1)).view(0))
    'r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -'
    """
    line = view.line
    try:
        if np.array_equal(view.game.parse(line).position, view.position):
            return line
    except (SandtableError, ValueError):
        pass
    cells = np.array(view.position, dtype="<i2").tobytes()
    return CELLS + base64.b64encode(cells).decode()


def view_from_text(game: Game, text: str, seat: int) -> State:
    """Return the view that a text stands for.

    >>> game = make_game("lucid")
    >>> view_from_text(game, "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -", 0).seat
    0
    """
    if not text.startswith(CELLS):
        return State(game, game.parse(text).position, seat)
    cells = np.frombuffer(base64.b64decode(text[len(CELLS) :], validate=True), dtype="<i2")
    if len(cells) != game.position_size:
        raise SandtableError(f"{len(cells)} cells, not {game.position_size}")
    return State(game, cells.astype(np.int16), seat)


def closing_action(game: Game) -> int | None:
    """Return the one action that ends a turn of many; None: there is no such thing.

    >>> game = make_game("lucid")
    >>> game.notation.action_name(closing_action(game))
    'end'
    """
    ending = game.turn_ending_actions
    return next(iter(ending)) if ending is not None and len(ending) == 1 else None


def move_of(state: State, action: int, closes: bool) -> tuple[int, ...]:
    """Return the actions that are played for a move."""
    closing = closing_action(state.game)
    return (action, closing) if closes and closing is not None and action != closing else (action,)


# --- files ---------------------------------------------------------------------------------------


def line_from_puzzle(puzzle: Puzzle) -> str:
    """Write a puzzle as a line of JSON."""
    data = asdict(puzzle)
    data["values"] = {move: round(value, 4) for move, value in puzzle.values.items()}
    for judgement in data["judgements"]:
        judgement |= {key: round(judgement[key], 4) for key in ("margin", "low", "high")}
    data["margin"] = round(data["values"][puzzle.best] - data["values"][puzzle.second], 4)
    return json.dumps(
        {"format": FORMAT, "format_version": FORMAT_VERSION} | data, separators=(",", ":")
    )


def puzzle_from_line(line: str, where: str) -> Puzzle:
    """Read a puzzle and check that it can be one; ``where`` is told with what is wrong.

    >>> puzzle_from_line("{}", "here")
    Traceback (most recent call last):
    sandtable.errors.SandtableError: here: this is no puzzle (no format 'sandtable-puzzle')
    """
    try:
        data = json.loads(line)
        json.dumps(data, ensure_ascii=False).encode()  # half letters are no text
    except DAMAGED as problem:
        raise SandtableError(f"{where}: no JSON ({problem})") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise SandtableError(f"{where}: this is no puzzle (no format '{FORMAT}')")
    if data.get("format_version") != FORMAT_VERSION:
        raise SandtableError(
            f"{where}: format version {data.get('format_version')!r}; this Sandtable reads "
            f"{FORMAT_VERSION}"
        )
    try:
        puzzle = Puzzle(
            game=str(data["game"]),
            version=int(data["version"]),
            position=str(data["position"]),
            seat=int(data["seat"]),
            closes=bool(data["closes"]),
            task=str(data["task"]),
            unit=str(data["unit"]),
            best=str(data["best"]),
            second=str(data["second"]),
            values={str(move): float(value) for move, value in data["values"].items()},
            judgements=tuple(judgement_from(each) for each in data["judgements"]),
            source=dict(data["source"]),
        )
        told = float(data["margin"])
    except KeyError as problem:
        raise SandtableError(f"{where}: there is no {problem}") from None
    except DAMAGED as problem:
        raise SandtableError(f"{where}: {problem}") from None
    problem_found = fault(puzzle, told)
    if problem_found:
        raise SandtableError(f"{where}: {problem_found}")
    return puzzle


def judgement_from(data: dict[str, Any]) -> Judgement:
    """Return a judgement from its data."""
    low, high = float(data["low"]), float(data["high"])
    return Judgement(str(data["by"]), int(data["samples"]), float(data["margin"]), low, high)


def fault(puzzle: Puzzle, told: float) -> str:
    """Say what is wrong with a puzzle as it is written; empty: nothing."""
    game = make_game(puzzle.game)
    if puzzle.version != game.version:
        return f"made for version {puzzle.version} of the rules of {game.name}, not {game.version}"
    try:
        state = puzzle.state
    except (SandtableError, *DAMAGED) as problem:
        return f"the position cannot be read: {problem}"
    if not 0 <= puzzle.seat < len(game.seats) or state.turn != puzzle.seat:
        return f"seat {puzzle.seat} is not to move"
    if not np.array_equal(state.view(puzzle.seat).position, state.position):
        return "the position tells what its seat may not know"
    if puzzle.closes and closing_action(game) is None:
        return f"no action ends a turn of {game.name}"
    names = set(state.legal_names)
    for move in (puzzle.best, puzzle.second, *puzzle.values):
        if move not in names:
            return f"'{move}' is not legal there"
    missing = names - set(puzzle.values)
    if missing:
        return f"no value of '{sorted(missing)[0]}'"
    return fault_of_values(puzzle, told)


def fault_of_values(puzzle: Puzzle, told: float) -> str:
    """Say what is wrong with the figures of a puzzle; empty: nothing."""
    values = puzzle.values
    if puzzle.unit not in UNITS:
        return f"the unit is one of {', '.join(UNITS)}, not '{puzzle.unit}'"
    if not all(math.isfinite(value) for value in values.values()):
        return "a value is not a number"
    others = max((value for move, value in values.items() if move != puzzle.best), default=math.inf)
    if puzzle.second == puzzle.best or values[puzzle.second] < others - ROUNDED:
        return f"'{puzzle.second}' is not the next best move"
    if abs(puzzle.margin - told) > ROUNDED:
        return f"the margin is {puzzle.margin:.4f}, not {told:.4f}"
    if not puzzle.judgements or not all(each.holds for each in puzzle.judgements):
        return "no judge has found a margin that excludes zero"
    return ""


def read_puzzles(path: Path) -> list[Puzzle]:
    """Read a file of puzzles; the first line that is wrong is told."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError:
        raise SandtableError(f"{path} is no text") from None
    except OSError as problem:
        raise SandtableError(f"cannot read {path}: {problem.strerror}") from None
    return [
        puzzle_from_line(line, f"{path}, line {number}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]


def write_puzzles(path: Path, puzzles: Sequence[Puzzle]) -> None:
    """Write a file of puzzles, whole or not at all."""
    write_whole(path, "".join(f"{line_from_puzzle(each)}\n" for each in puzzles).encode())


@functools.cache
def bundled_puzzles(name: str) -> tuple[Puzzle, ...]:
    """Return the puzzles that come with a game, by the name of the game; () if there are none.

    >>> bundled_puzzles("no such game")
    ()
    """
    path = file_beside(name, FILE_NAME)
    return tuple(read_puzzles(path)) if path is not None and path.is_file() else ()
