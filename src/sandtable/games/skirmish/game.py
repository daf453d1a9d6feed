"""Skirmish: the facts and the options."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from sandtable.errors import UnreadableSpec, suggestion
from sandtable.games.skirmish import layout, rules
from sandtable.games.skirmish.drawing.text import SkirmishDrawing
from sandtable.games.skirmish.levels import (
    PUBLISHED,
    Level,
    UnreadableLevel,
    check_level,
    format_level,
    parse_level,
)
from sandtable.games.skirmish.notation import (
    BOTH_EMPTY_WORDS,
    MOST_TURNS,
    PASSES_WORDS,
    SkirmishNotation,
)
from sandtable.games.skirmish.planes import ACTION_FRAMES, PLANE_NAMES, encode
from sandtable.types import Game, Rules

__all__ = ["level_named", "playable_level", "skirmish"]

START_WORDS = {"full": layout.FULL, "town-only": layout.TOWN_ONLY, "random": layout.RANDOM}
GENERATED = re.compile("random-([0-9]{1,18})")
DEFAULTS = {
    "level": "1",
    "start": "full",
    "both_empty": "draw",
    "max_turns": 0,
    "passes": "none",
}


def skirmish(
    level: str = "1",
    start: str = "full",
    both_empty: str = "draw",
    max_turns: int = 0,
    passes: str = "none",
) -> Game:
    """Skirmish: towns raise workers, workers build barracks, soldiers clear the map.

    ``level`` is a published level (1 to 7), a level in one line of text, or ``random-`` and the
    seed of the generator; ``start`` full, town-only or random; ``both_empty`` draw or second (who
    wins when nobody is left); ``max_turns`` ends the game with a draw after that many turns of
    both (0 never); ``passes`` none, first, second or both (who may pass although it has moves, as
    the published search does). Anything else raises UnreadableSpec or UnreadableLevel.

    >>> print(skirmish(level="2", max_turns=100).spec)
    skirmish:level=2,max_turns=100
    """
    if not 0 <= max_turns <= MOST_TURNS:
        raise UnreadableSpec(f"skirmish:max_turns is 0 to {MOST_TURNS}, got {max_turns}")
    cells = {
        layout.START: meaning("start", start, START_WORDS),
        layout.BOTH_EMPTY: meaning("both_empty", both_empty, BOTH_EMPTY_WORDS),
        layout.MAX_TURNS: max_turns,
        layout.FREE_PASS: meaning("passes", passes, PASSES_WORDS),
    }
    board = playable_level(level)
    written = format_level(board) if "/" in level else level
    chosen = (written, start, both_empty, max_turns, passes)
    pairs = zip(DEFAULTS.items(), chosen, strict=True)
    return Game(
        name="skirmish",
        title="Skirmish",
        version=1,
        seats=("first", "second"),
        rules=Rules.of(rules, encode),
        notation=SkirmishNotation(
            cells[layout.BOTH_EMPTY], cells[layout.MAX_TURNS], cells[layout.FREE_PASS]
        ),
        drawing=SkirmishDrawing(),
        position_size=layout.POSITION_SIZE,
        action_count=layout.ACTIONS,
        plane_names=PLANE_NAMES,
        board_shape=(layout.SIDE, layout.SIDE),
        score_bounds=((-1.0, 1.0), (-1.0, 1.0)),
        max_actions=min(layout.LONGEST, 2 * max_turns or layout.LONGEST),
        chance=start == "random",
        hidden=False,
        zero_sum=True,
        has_winner=True,
        options={name: value for (name, default), value in pairs if value != default},
        initial_cells=blank_position(board, cells),
        action_frames=ACTION_FRAMES,
    )


def meaning(option: str, word: str, words: dict[str, int]) -> int:
    """Return what a word of an option stands for.

    >>> meaning("start", "town-only", START_WORDS)
    1
    """
    if word not in words:
        raise UnreadableSpec(
            f"skirmish:{option} is one of {', '.join(words)}, got '{word}'."
            + suggestion(word, words)
        )
    return words[word]


def level_named(text: str) -> Level:
    """Return a published level by its number, generate one, or read one, fair or not.

    >>> print(level_named("2"))
    6xx/xx1t3x/x7/1x6/5xxx/1xx5/4T3/1xx2xx1
    """
    if text in PUBLISHED:
        return parse_level(PUBLISHED[text])
    if match := GENERATED.fullmatch(text):
        from sandtable.games.skirmish.generator import generate_level

        return generate_level(int(match[1]))
    if "/" not in text:
        raise UnreadableLevel(
            f"there is no level '{text}'; levels are 1 to {len(PUBLISHED)}, random-17 (17 being "
            f"any seed), or rows such as {PUBLISHED['1']}"
        )
    return parse_level(text)


def playable_level(text: str) -> Level:
    """Return the level of this name or text; UnreadableLevel says why it cannot be played.

    >>> playable_level("random-17") == level_named("random-17")
    True
    """
    level = level_named(text)
    problems = check_level(level)
    if problems:
        raise UnreadableLevel(f"'{text}' cannot be played: {'; '.join(problems)}")
    return level


def blank_position(level: Level, cells: dict[int, Any]) -> tuple[int, ...]:
    """Write the map, its towns and the options into the array that ``start`` wants to find."""
    position = np.zeros(layout.POSITION_SIZE, dtype=np.int16)
    position[layout.LAND : layout.LAND + layout.SQUARES] = level.land
    for seat, towns in enumerate(level.towns):
        for square in towns:
            position[layout.UNITS + square] = layout.TOWN if seat == layout.FIRST else -layout.TOWN
            position[layout.AGES + square] = 1
    for cell, value in cells.items():
        position[cell] = value
    return tuple(map(int, position))
