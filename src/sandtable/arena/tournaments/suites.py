"""Suites: the levels, set-ups or numbers of players that every pairing meets."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sandtable.errors import SandtableError
from sandtable.registry import make_game
from sandtable.specs import parse_spec

__all__ = ["MOST_GAMES", "make_suite", "read_suite"]

RANGE = re.compile(r"(.*?)(\d+)\.\.(\d+)")
MOST_GAMES = 10_000  # of a suite; more is a slip of the pen


def make_suite(game: str, variations: Sequence[str]) -> list[str]:
    """Return the spec strings of a game with all combinations of some options.

    A variation is ``option=value,value,...``; a value such as ``random-0..19`` stands for twenty.
    """
    spec = parse_spec(game)
    choices = []
    for variation in variations:
        option, equals, words = variation.partition("=")
        values = [value for word in words.split(",") for value in values_of(word.strip())]
        if not equals or not option or not all(values) or not values:
            raise SandtableError(
                f"'{variation}' does not say what varies; write option=value,value,... "
                "or option=random-0..19"
            )
        choices.append([(option.strip(), value) for value in values])
    count = 1
    for each in choices:
        count *= len(each)
    if count > MOST_GAMES:
        raise SandtableError(f"a suite of {count:,} games is too large (at most {MOST_GAMES:,})")
    made = [
        str(replace(spec, options={**spec.options, **dict(chosen)}))
        for chosen in itertools.product(*choices)
    ]
    return [make_game(each).spec for each in made]


def values_of(word: str) -> list[str]:
    """Return the values that a word stands for."""
    found = RANGE.fullmatch(word)
    if not found:
        return [word]
    first, last = int(found[2]), int(found[3])
    if not first <= last or last - first >= MOST_GAMES:
        raise SandtableError(f"'{word}' is no range; write for example random-0..19")
    return [f"{found[1]}{number}" for number in range(first, last + 1)]


def read_suite(path: Path, game: str) -> list[str]:
    """Read the spec strings of a suite from a file: one in a line, # for comments.

    All must be of the same game as ``game``.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not text"
        raise SandtableError(f"cannot read the suite {path}: {reason}") from problem
    name = parse_spec(game).name
    found = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.partition("#")[0].strip()
        if not line:
            continue
        if parse_spec(line).name != name:
            raise SandtableError(f"{path}, line {number}: '{line}' is not a game of {name}")
        try:
            found.append(make_game(line).spec)
        except SandtableError as problem:
            raise SandtableError(f"{path}, line {number}: {problem}") from problem
    if not found:
        raise SandtableError(f"the suite {path} names no games")
    return found
