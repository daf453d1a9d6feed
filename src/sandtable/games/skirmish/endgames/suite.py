"""Positions drawn from the tables in which a wrong move can be played, sorted by difficulty.

``horizon`` is how many half-turns somebody who only counts must see ahead to tell right from
wrong: until the win, where one is there; where only a draw is left, until the last of the wrong
moves has lost. Positions are drawn so that each map, each side to move and each level of
difficulty gets the same share, as far as the tables have as many.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import stream_key
from sandtable.errors import SandtableError
from sandtable.files import write_whole
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.endgames import table as tables
from sandtable.games.skirmish.endgames.check import move_values, result_of
from sandtable.games.skirmish.endgames.files import sorted_keys
from sandtable.games.skirmish.endgames.maps import EndgameMap, blank_position
from sandtable.games.skirmish.endgames.table import SolvedTable
from sandtable.games.skirmish.notation import SkirmishNotation

__all__ = [
    "BUNDLED",
    "LEVELS",
    "EndgameQuestion",
    "draw_questions",
    "level_of",
    "mixed",
    "read_suite",
    "write_suite",
]

BUNDLED = Path(__file__).parent / "suite.jsonl.gz"
LAST_HORIZONS = (4, 12, 30, 2 * layout.LONGEST)  # of each band
LEVELS = tuple(
    f"{band}, {right}"
    for band in ("1 to 4", "5 to 12", "13 to 30", "over 30")
    for right in ("several right", "one right")
)
NO_CHOICE = -1
DRAWS_AT_ONCE = 20_000
MOST_DRAWS = 2_000_000  # from one table; levels that are rarer than that stay short


@dataclass(frozen=True)
class EndgameQuestion:
    """A position and its right moves, by perfect play."""

    map: str
    position: str  # in one line
    right: tuple[str, ...]  # moves that keep the value
    moves: int  # legal moves
    value: str  # win or draw
    horizon: int  # half-turns

    @property
    def seat(self) -> int:
        """The side to move."""
        return layout.FIRST if self.position.split()[1] == "f" else layout.SECOND

    @property
    def level(self) -> int:
        """Its difficulty, a place in LEVELS."""
        return level_of(self.horizon, len(self.right))


@kernel
def level_of(horizon: int, right: int) -> int:
    """Return the level of difficulty, a place in LEVELS.

    >>> LEVELS[level_of(4, 2)], LEVELS[level_of(31, 1)]
    ('1 to 4, several right', 'over 30, one right')
    """
    band = 0
    while horizon > LAST_HORIZONS[band]:
        band += 1
    return 2 * band + (1 if right == 1 else 0)


@kernel
def difficulty(values: NDArray[np.int64], count: int) -> tuple[int, int]:
    """Return the horizon of a position by its moves' values, and how many of these are right.

    Without a wrong move the horizon is NO_CHOICE.
    """
    best, worst, last_loss, right = values[0], values[0], 0, 0
    for index in range(count):
        best, worst = max(best, values[index]), min(worst, values[index])
    for index in range(count):
        right += result_of(values[index]) == result_of(best)
        if values[index] < 0:
            last_loss = max(last_loss, tables.WON + values[index])
    if result_of(worst) == result_of(best):
        return NO_CHOICE, right
    return (tables.WON - best if best > 0 else last_loss), right


@kernel
def levels_of_keys(
    table: SolvedTable,
    blank: NDArray[np.int16],
    keys: NDArray[np.uint64],
    levels: NDArray[np.int64],
) -> None:
    """Write the level of difficulty of each position, or NO_CHOICE."""
    position, after = blank.copy(), np.empty_like(blank)
    moves = np.empty(layout.ACTIONS, dtype=np.int16)
    values = np.empty(layout.ACTIONS, dtype=np.int64)
    dice = np.zeros(4, dtype=np.uint64)
    for index in range(len(keys)):
        tables.position_of(keys[index], layout.FIRST, position)
        count = move_values(table, position, moves, values, after, dice)
        horizon, right = difficulty(values, count)
        levels[index] = NO_CHOICE if horizon == NO_CHOICE else level_of(horizon, right)


def draw_questions(
    table: SolvedTable,
    endgame_map: EndgameMap,
    each: int,
    seed: int,
    progress: Callable[[int], None] = lambda questions: None,
) -> list[EndgameQuestion]:
    """Draw so many positions of each level for each side, in an order that mixes them.

    >>> from sandtable.games.skirmish.endgames.solve import solve
    >>> small = EndgameMap("small", "3xxxxx" + "/xxxxxxxx" * 7, 3)
    >>> questions = draw_questions(solve(small, 1 << 12, least_age=75), small, 1, seed=0)
    >>> questions[0].right, questions[0].moves, questions[0].value, questions[0].horizon
    (('b8-c8',), 2, 'win', 1)
    """
    numbers = np.random.Generator(np.random.PCG64(stream_key(seed, f"endgames {endgame_map.name}")))
    keys, blank = sorted_keys(table), blank_position(endgame_map)
    order = numbers.permutation(len(keys))[:MOST_DRAWS]
    chosen: list[list[np.uint64]] = [[] for _ in LEVELS]
    levels = np.empty(DRAWS_AT_ONCE, dtype=np.int64)
    for first in range(0, len(order), DRAWS_AT_ONCE):
        drawn = keys[order[first : first + DRAWS_AT_ONCE]]
        levels_of_keys(table, blank, drawn, levels)
        for level, group in enumerate(chosen):
            wanted = 2 * each - len(group)
            found = drawn[np.flatnonzero(levels[: len(drawn)] == level)[:wanted]]
            group.extend(found)
            progress(len(found))
        if all(len(group) == 2 * each for group in chosen):
            break
    pairs = [(key, place % 2) for group in chosen for place, key in enumerate(group)]
    return [
        question(table, endgame_map, *pairs[place]) for place in numbers.permutation(len(pairs))
    ]


def mixed(questions: Sequence[EndgameQuestion], seed: int) -> list[EndgameQuestion]:
    """Shuffle questions of several maps, so that the first of them are a sample of all."""
    numbers = np.random.Generator(np.random.PCG64(stream_key(seed, "endgames mixed")))
    return [questions[place] for place in numbers.permutation(len(questions))]


def question(
    table: SolvedTable, endgame_map: EndgameMap, key: np.uint64, seat: int
) -> EndgameQuestion:
    """Write a position of the table with its right moves."""
    position, notation = blank_position(endgame_map), SkirmishNotation()
    tables.position_of(key, seat, position)
    oldest = int(position[layout.AGES : layout.AGES + layout.SQUARES].max())
    position[layout.PLAYED] = oldest + (oldest + seat) % 2  # as many half-turns as that takes
    moves = np.empty(layout.ACTIONS, dtype=np.int16)
    values = np.empty(layout.ACTIONS, dtype=np.int64)
    count = move_values(
        table, position, moves, values, np.empty_like(position), np.zeros(4, dtype=np.uint64)
    )
    best = max(values[:count])
    right = tuple(
        notation.action_name(int(moves[index]))
        for index in range(count)
        if result_of(values[index]) == result_of(best)
    )
    return EndgameQuestion(
        map=endgame_map.name,
        position=notation.position_line(position),
        right=right,
        moves=count,
        value="win" if best > 0 else "draw",
        horizon=difficulty(values, count)[0],
    )


def write_suite(questions: Iterable[EndgameQuestion], path: Path) -> None:
    """Write questions, one a line, compressed; the same questions give the same bytes."""
    lines = [json.dumps(asdict(question), separators=(",", ":")) for question in questions]
    write_whole(path, gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))


def read_suite(path: Path = BUNDLED) -> list[EndgameQuestion]:
    """Read questions, or say in one line what is wrong with the file.

    >>> {question.map for question in read_suite()} == {"pillars", "ring"}
    True
    """
    try:
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        rows = [json.loads(line) for line in lines]
        return [EndgameQuestion(**{**row, "right": tuple(row["right"])}) for row in rows]
    except FileNotFoundError:
        raise SandtableError(f"there is no file of questions {path}") from None
    except (OSError, EOFError, ValueError, TypeError, KeyError) as problem:
        raise SandtableError(f"cannot read questions from {path}: {problem}") from problem
