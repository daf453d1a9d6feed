"""What a browser is shown of a game: its board as data, its actions, its form and its questions.

A game that wants more than its drawing on the screen names a subclass of ``BoardScreen`` as an
entry point in the group ``sandtable.screens``, under the name of the game. Every method has a
default, so a screen says only what is different about its game.

A viewer is a seat, or None for somebody who sees all there is in the position given. What is shown
is made from what the viewer may see and from nothing else: positions come with whatever is hidden
taken out. Two methods get the whole position instead, and must not return what is hidden:
``public``, and ``public_details``, which gets the true dice too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from sandtable.dice import Dice
from sandtable.errors import SandtableError, UnreadableAction
from sandtable.registry import GAMES, load, module_folder, registered
from sandtable.types import OVER, Game, Position, State

if TYPE_CHECKING:
    from fastapi import APIRouter

__all__ = [
    "BUILT_PAGES",
    "BoardScreen",
    "Choice",
    "Data",
    "FormOption",
    "Preset",
    "Series",
    "choices",
    "screen_class",
    "screen_of",
]

GROUP = "sandtable.screens"  # entry points: a game's name -> its BoardScreen
BUILT_PAGES = Path(__file__).parent / "pages" / "built"  # made of web/src/games/<game>/page.ts
COLOURS = ("blue", "red", "green", "yellow", "#7a55a8", "#2a8f93", "#a8557d", "#6b6b6b")

Data: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Choice:
    """One of the values that an option can have.

    >>> Choice("true", "Yes").value
    'true'
    """

    value: str
    title: str


def choices(*pairs: tuple[str, str]) -> tuple[Choice, ...]:
    """Return choices from pairs of value and title.

    >>> choices(("true", "Yes"), ("false", "No"))[1].title
    'No'
    """
    return tuple(Choice(value, title) for value, title in pairs)


@dataclass(frozen=True)
class FormOption:
    """An option of a game in a form: what it is called, what it means, what can be chosen.

    >>> FormOption("size", "Size", "squares on a side", "8", least=4, most=12).as_data()["most"]
    12
    """

    name: str
    title: str
    meaning: str
    default: str
    choices: tuple[Choice, ...] | None = None  # None: a number or text
    least: int | None = None
    most: int | None = None

    def as_data(self) -> Data:
        """Return it as the browser gets it."""
        data = asdict(self)
        return data | {"choices": None if self.choices is None else list(data["choices"])}


@dataclass(frozen=True)
class Preset:
    """A game with options that a menu offers.

    >>> Preset("skirmish:level=2", "Level 2").title
    'Level 2'
    """

    spec: str
    title: str
    seats: tuple[str, ...] = ()  # who sits where: "you" or an agent; (): as the form proposes


@dataclass(frozen=True)
class Series:
    """Games against the same opponent, one after the other, whose mean stands beside a known one.

    >>> Series("ten", "Ten games", "lucid", ("you", "random"), 10).beside is None
    True
    """

    name: str
    title: str
    spec: str
    seats: tuple[str, ...]  # "you" or an agent
    games: int
    about: str = ""
    beside: float | None = None  # the mean of somebody else
    beside_low: float | None = None
    beside_high: float | None = None
    beside_name: str = ""
    luck_weights: tuple[float, ...] = ()  # what a unit of each luck term is worth to you

    def as_data(self) -> Data:
        """Return it as the browser gets it."""
        data = asdict(self) | {"seats": list(self.seats)}
        del data["luck_weights"]
        return data


class BoardScreen:
    """One game on the screen; the defaults show its drawing and name its actions.

    The default board is clickable as soon as it says what is where: every element of the SVG with
    an attribute ``data-place="..."`` can be chosen by mouse and keyboard, and an action whose
    ``from`` and ``to`` (see ``action``) are such places is played by choosing them one after the
    other; an action with only one of the two by choosing that place. Other actions are buttons.

    >>> from sandtable.registry import make_game
    >>> sorted(BoardScreen(make_game("lucid")).action(make_game("lucid").start().position, 0))
    ['from', 'kind', 'label', 'to']
    """

    options: ClassVar[tuple[FormOption, ...]] = ()
    presets: ClassVar[tuple[Preset, ...]] = ()  # none: the game without options
    series: ClassVar[tuple[Series, ...]] = ()
    seat_colours: ClassVar[tuple[str, ...]] = COLOURS  # by seat: one of our names, or #rrggbb
    seat_titles: ClassVar[tuple[str, ...]] = ()  # what people call the seats; (): as the game does
    questions: ClassVar[Mapping[str, str]] = {}  # name -> title; see answer_question
    # the folder of the scripts with which it is played without a server (see docs/static-page.md)
    page_scripts: ClassVar[Path | None] = None

    def __init__(self, game: Game) -> None:
        self.game = game

    # --- the board ----------------------------------------------------------------------------

    def board(self, position: Position, viewer: int | None) -> Data:
        """Return the board as data; ``game`` must be in it.

        With ``svg`` and ``text`` in it the browser needs no code for the game: it shows the SVG.
        """
        drawing = self.game.drawing
        return {
            "game": self.game.name,
            "svg": drawing.svg(position),
            "text": drawing.text(position),
        }

    def public(self, position: Position) -> Position | None:
        """Return a copy from which all is taken that some seat may hide; None: nothing is left."""
        return None if self.game.hidden else np.array(position)

    def action(self, view: Position, action: int) -> Data:
        """Return ``kind``, ``from``, ``to`` and ``label`` of an action the viewer can play.

        ``from`` and ``to`` are names of places or None.
        """
        closing = self.game.turn_ending_actions
        kind = "end" if closing is not None and action in closing else "play"
        label = self.game.notation.action_name(action)
        return {"kind": kind, "from": None, "to": None, "label": label}

    def forbidden_moves(self, view: Position) -> list[Data]:
        """Return moves that look possible and are not: ``from``, ``to`` and ``why``."""
        return []

    def why_not(self, view: Position, start: str, goal: str | None) -> str:
        """Say in one sentence why nothing goes from a place to another, or from it at all.

        It is for the seat to act and made from its view. Empty: there is nothing to explain.
        """
        if goal is None:
            return ""
        notation = self.game.notation
        try:
            action = notation.parse_action(f"{start}-{goal}")
        except UnreadableAction:
            return f"Nothing goes from {start} to {goal}."
        tell = getattr(notation, "why_illegal", None)
        rule = "" if tell is None else str(tell(view, action))
        return f"{rule[:1].upper()}{rule[1:]}." if rule else f"{start} to {goal} is not legal now."

    def public_details(self, position: Position, action: int, dice: Any) -> Any:
        """Return what everybody sees happen inside one action; ``events`` gets it.

        Position and dice are copies from before the action, which may be played on them. They are
        the whole position and the true dice, and what is returned is used for every viewer: it must
        hold nothing that some seat may not know.
        """
        return None

    def events(
        self, before: Position, seat: int, action: int | None, after: Position, details: Any
    ) -> list[Data]:
        """Tell what happened between two views, each with ``kind`` and ``text``.

        The action is None where the viewer does not know it.
        """
        lines = [] if action is None else self.game.drawing.events(before, action, after)
        events: list[Data] = [{"kind": "told", "text": line} for line in lines]
        if int(self.game.rules.turn(after)) == OVER:
            events.append({"kind": "over", "text": self.game.notation.reason(after)})
        return events

    # --- words --------------------------------------------------------------------------------

    def titles(self) -> list[str]:
        """Return what people call the seats.

        >>> from sandtable.registry import make_game
        >>> BoardScreen(make_game("lucid")).titles()
        ['Blue', 'Red']
        """
        own = list(self.seat_titles[: len(self.game.seats)])
        return own + [seat.capitalize() for seat in self.game.seats[len(own) :]]

    def with_titles(self, text: str) -> str:
        """Return a sentence in which seats are called as people call them.

        >>> from sandtable.registry import make_game
        >>> screen_of(make_game("skirmish")).with_titles("Second has no units left")
        'Red has no units left'
        """
        if not self.seat_titles:
            return text
        known = {
            seat.lower(): title for seat, title in zip(self.game.seats, self.titles(), strict=True)
        }
        words = "|".join(re.escape(seat) for seat in known)
        return re.sub(rf"\b(?:{words})\b", lambda one: known[one[0].lower()], text, flags=re.I)

    def turn_label(self, view: Position) -> str | None:
        """Return the number of the turn that is open, as a list of moves shows it.

        Actions in a row under the same label are shown as one turn. An empty label is for what
        comes before the first turn. None: the turns are counted.
        """
        return None

    def progress(self, view: Position) -> str:
        """Say how far the game is, for example ``turn 10 of 36``; empty: nothing to say."""
        return ""

    def ending(self, position: Position, luck: Sequence[float] | None) -> str:
        """Say of a game that has ended what its winner and its reason do not tell.

        ``luck`` is the sum of the terms of ``Game.luck`` over the whole game, where it has some.
        """
        return ""

    # --- beside the board ---------------------------------------------------------------------

    def rules_text(self) -> str:
        """Return the rules as Markdown: README.md beside the game's module, if there is one."""
        try:
            return (module_folder(GAMES, self.game.name) / "README.md").read_text("utf-8")
        except (OSError, KeyError, SandtableError):
            return ""

    def briefing(self, view: Position, seat: int) -> str:
        """Return what a reader who sees no picture should be told of a view besides its drawing.

        It is for language models and made from the view alone; empty: the drawing, the line and
        the data of the board say it all.
        """
        return ""

    def answer_question(self, name: str, state: State, question: Data, dice: Dice) -> Data:
        """Answer one of ``questions`` about a position that the asker may see whole.

        ``text`` and ``svg`` of an answer are shown by a browser without a panel for the question.
        """
        raise SandtableError(f"{self.game.name} does not answer the question '{name}'")

    @classmethod
    def routes(cls, server: Any) -> APIRouter | None:
        """Return routes of this game alone, which come under ``/api``, or None.

        ``server`` is the sandtable.server.application.Server. Import FastAPI inside: a screen is
        also used where the extra ``web`` is not installed.
        """
        return None


def screen_class(name: str) -> type[BoardScreen]:
    """Return the screen of the game of this name; games without one get the default."""
    if name not in registered(GROUP):
        return BoardScreen
    loaded = load(GROUP, "screen", name)
    if not (isinstance(loaded, type) and issubclass(loaded, BoardScreen)):
        raise SandtableError(f"the screen of '{name}' is not a subclass of BoardScreen")
    return loaded


def screen_of(game: Game) -> BoardScreen:
    """Return the screen of a game.

    >>> from sandtable.registry import make_game
    >>> screen_of(make_game("skirmish")).game.name
    'skirmish'
    """
    return screen_class(game.name)(game)
