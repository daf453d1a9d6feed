"""Finding the actions in what a language model wrote.

The line asked for is ``MOVE: ...``. Models also write it in bold, as JSON, or as nothing but the
move; what is meant without doubt is taken. A wrong or half answer is never guessed at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from sandtable.agents.human.turn import TurnInProgress
from sandtable.errors import SandtableError, UnreadableAction
from sandtable.types import State

__all__ = ["Judged", "judged", "without_thoughts", "words_of"]

THOUGHTS = re.compile(r"<(think|thinking|thought|reasoning)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.I)
MOVE_LINE = re.compile(
    r"^[\W_]*(?:my |the )?(?:final |next |chosen )?(?:moves?|actions?)[*_`\s]*[:=](.*)$", re.I
)
NAMES_IN_JSON = ("actions", "moves", "action", "move")
MARKS = "*_`\"'.,;()[]<>"  # round a word or a line; inside they belong to the word
MOST_OBJECTS = 50  # that are looked at in one answer
LONGEST_WORD = 100  # characters that are quoted


class Judged:
    """An answer that was read: the actions it means, or what is wrong with it.

    >>> Judged((3,), "").legal
    True
    """

    def __init__(self, actions: tuple[int, ...], problem: str, kind: str = "") -> None:
        self.actions, self.problem = actions, problem
        self.kind = kind  # of problem: "unreadable" or "illegal"

    @property
    def legal(self) -> bool:
        """Whether it can be played."""
        return not self.problem


def without_thoughts(text: str) -> tuple[str, str]:
    """Divide what was written into answer and thoughts, which some models write between marks.

    >>> without_thoughts("<think>Red is weak.</think>MOVE: a1-a2")
    ('MOVE: a1-a2', 'Red is weak.')
    """
    thoughts = [match[2].strip() for match in THOUGHTS.finditer(text)]
    return THOUGHTS.sub("", text).strip(), "\n\n".join(each for each in thoughts if each)


def words_of(text: str) -> list[str]:
    """Return the words that stand where the move should be; none: there is no such place.

    >>> words_of("I attack.\\n**MOVE: a1-a2*2, end**")
    ['a1-a2*2', 'end']
    >>> words_of('{"actions": ["a1-a2", "end"]}')
    ['a1-a2', 'end']
    """
    lines = [line for line in text.splitlines() if line.strip().strip(MARKS)]
    for place in range(len(lines) - 1, -1, -1):
        found = MOVE_LINE.match(lines[place].strip())
        if found and '"' not in lines[place][: found.start(1)]:
            rest = found[1].strip()
            if not rest.strip(MARKS) and place + 1 < len(lines):
                rest = lines[place + 1]
            return words_of_json(rest) or split(rest)
    return words_of_json(text)


def split(line: str) -> list[str]:
    """Return the words of a line without the marks round them."""
    words = (word.strip(MARKS) for word in re.split(r"[\s,;]+", line))
    return [word for word in words if word]


def words_of_json(text: str) -> list[str]:
    """Return the words of the last object in a text that names actions, or of a list."""
    for found in reversed(list(objects_in(text))):
        if isinstance(found, dict):
            named = next((found[name] for name in NAMES_IN_JSON if name in found), None)
        else:
            named = found
        if isinstance(named, str):
            return split(named)
        if isinstance(named, list) and named and all(isinstance(each, str) for each in named):
            return [word for each in named for word in split(each)]
    return []


def objects_in(text: str) -> Iterator[Any]:
    """Return the whole objects and lists of JSON in a text, outermost ones, in their order."""
    decoder, place, count = json.JSONDecoder(), 0, 0
    while count < MOST_OBJECTS and (start := re.compile(r"[{\[]").search(text, place)):
        count += 1
        try:
            found, place = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            place = start.start() + 1
        else:
            yield found


def judged(view: State, text: str) -> Judged:
    """Read an answer and try it on the view: its actions, or why they cannot be played.

    >>> from sandtable.registry import make_game
    >>> state = make_game("lucid").parse("r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -")
    >>> len(judged(state.view(0), "MOVE: a1-a2*2 end").actions)
    3
    >>> judged(state.view(0), "MOVE: a3-a4").kind
    'illegal'
    """
    words = words_of(text)
    turn = TurnInProgress(view, hint="")
    if not words:
        words = bare_move(turn, text)
    if not words:
        return Judged((), "there is no line that begins with MOVE:", "unreadable")
    if len(words) > view.game.max_actions:
        return Judged((), f"{len(words)} words after MOVE: are too many", "unreadable")
    for word in words:
        if turn.closed:
            return Judged((), f"the turn is over before '{shortened(word)}'", "illegal")
        try:
            action, count = read(turn, word)
        except SandtableError:
            return Judged((), f"'{shortened(word)}' is no action in this notation", "unreadable")
        if len(turn.actions) + count > view.game.max_actions:
            return Judged((), f"'{shortened(word)}' is too often", "illegal")
        problem = taken(turn, action, count)
        if problem:
            return Judged((), problem, "illegal")
    return Judged(tuple(turn.actions), "")


def taken(turn: TurnInProgress, action: int, count: int) -> str:
    """Take an action so often; return what is wrong with that, or nothing."""
    for _ in range(count):
        if turn.closed:
            return "the turn is over before the last of these actions"
        try:
            turn.add(action)
        except SandtableError as problem:
            return str(problem)
    return ""


def read(turn: TurnInProgress, word: str) -> tuple[int, int]:
    """Return the action of a word and how often it is meant; capitals may be wrong."""
    try:
        return turn.parse(word)
    except UnreadableAction:
        return turn.parse(word.lower())


def bare_move(turn: TurnInProgress, text: str) -> list[str]:
    """Return the words of an answer whose last line is nothing but actions."""
    lines = [line for line in text.splitlines() if line.strip()]
    words = split(lines[-1]) if lines else []
    try:
        for word in words:
            read(turn, word)
    except SandtableError:
        return []
    return words


def shortened(word: str) -> str:
    """Return a word so that it can be quoted."""
    printable = "".join(each if each.isprintable() else "?" for each in word)
    return printable if len(printable) <= LONGEST_WORD else f"{printable[:LONGEST_WORD]}..."
