"""A game in words, for a reader who has nothing but text: a language model, or its user.

Everything is made from the contract, so that it holds for every game: the rules from the page of
the game, the notation with examples from a game played at random, the view as text and as data,
what has happened since the reader last looked. A game can tell more through its screen
(``BoardScreen.briefing``). Only views go in, never positions: what a seat may not know cannot come
out. The same view and the same happenings give the same text, letter by letter.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from sandtable.agents.human.rules_text import rules_text
from sandtable.agents.human.turn import compact
from sandtable.dice import Dice
from sandtable.registry import GAMES, game_factory, module_of, registered
from sandtable.screens import screen_of
from sandtable.types import OVER, Game, State

__all__ = [
    "Chronicle",
    "action_examples",
    "goal_text",
    "legal_text",
    "notation_text",
    "rules_of",
    "view_data",
    "view_text",
]

TEXT_WIDTH = 100
MOST_EXAMPLES = 8
FEWEST_EXAMPLES = 4
EXAMPLE_PLIES = 120  # of the game from which examples are taken
PICTURES = ("svg", "text")  # of a board's data: drawings, which view_text shows already
EXAMPLES: dict[tuple[str, int, int], tuple[str, ...]] = {}  # by spec, version, actions
MOST_GAMES = 200  # whose examples are kept
MOST_HAPPENINGS = 200  # the latest of them are told


# --- what does not change in a game ---------------------------------------------------------------


def rules_of(game: Game) -> str:
    """Return the rules of a game as plain text, with the options this one is played with.

    A game without a page of its own is described by what its authors wrote in its code.

    >>> from sandtable.registry import make_game
    >>> rules_of(make_game("lucid")).splitlines()[0]
    'OPERATION LUCID'
    >>> rules_of(make_game("gravwell:players=2")).splitlines()[-1]
    'This game is played with the options players=2.'
    """
    more = ("options",) if game.options else ()
    text = rules_text(game, TEXT_WIDTH, more) or documented(game)
    if game.options:
        given = ", ".join(f"{name}={value}" for name, value in game.options.items())
        text += f"\n\nThis game is played with the options {given}."
    return text


def documented(game: Game) -> str:
    """Return what the code says about a game: its function, and the module of its rules."""
    texts = [game.title]
    if game.name in registered(GAMES) or "." in game.name:
        texts += [inspect.getdoc(game_factory(game.name)) or ""]
        texts += [getattr(sys.modules.get(module_of(GAMES, game.name)), "__doc__", "") or ""]
    legal = game.rules.legal
    module = getattr(getattr(legal, "py_func", legal), "__module__", "")
    texts += [getattr(sys.modules.get(module), "__doc__", "") or ""]
    cleaned = [inspect.cleandoc(text).strip() for text in texts]
    return "\n\n".join(dict.fromkeys(text for text in cleaned if text))


def goal_text(game: Game, seat: int) -> str:
    """Say who the reader is and what it plays for.

    >>> from sandtable.registry import make_game
    >>> print(goal_text(make_game("skirmish"), 1))
    You are the seat second. The seats: first, second.
    At the end every seat has a score; yours is between -1 and 1. The highest score wins.
    """
    low, high = game.score_bounds[seat]
    aim = "The highest score wins." if game.has_winner else "Make yours as high as you can."
    return (
        f"You are the seat {game.seats[seat]}. The seats: {', '.join(game.seats)}.\n"
        f"At the end every seat has a score; yours is between {low:g} and {high:g}. {aim}"
    )


def notation_text(game: Game) -> str:
    """Say how actions are written, with examples, and what makes up a turn.

    >>> from sandtable.registry import make_game
    >>> print(notation_text(make_game("lucid")).splitlines()[1])
    A turn is one action or several in a row; it is over with: end.
    """
    examples = ", ".join(action_examples(game))
    lines = [f"An action is one word without spaces. Examples from other positions: {examples}."]
    ending = game.turn_ending_actions
    if ending is None:
        lines.append("A turn is one action.")
    elif len(ending) <= MOST_EXAMPLES:
        names = ", ".join(game.notation.action_name(action) for action in sorted(ending))
        lines.append(f"A turn is one action or several in a row; it is over with: {names}.")
    else:
        lines.append("A turn is one action or several in a row, as the rules say.")
    return "\n".join(lines)


def action_examples(game: Game) -> tuple[str, ...]:
    """Return a few actions of different forms, from a game that is played at random.

    They are the same for every game of that spec, so they tell nothing about the one in progress.

    >>> from sandtable.registry import make_game
    >>> "end" in action_examples(make_game("lucid"))
    True
    """
    key = game.spec, game.version, game.action_count
    if key not in EXAMPLES:
        if len(EXAMPLES) >= MOST_GAMES:  # a server is asked for ever new ones
            EXAMPLES.clear()
        EXAMPLES[key] = found_examples(game)
    return EXAMPLES[key]


def found_examples(game: Game) -> tuple[str, ...]:
    """Look for examples of actions."""
    dice = Dice(0, "examples")
    state = game.start(dice)
    forms: dict[str, str] = {}
    others: dict[str, None] = {}
    for _ in range(EXAMPLE_PLIES):
        if state.turn == OVER or len(forms) >= MOST_EXAMPLES:
            break
        legal = state.legal
        chosen = legal[dice.below(len(legal))]
        for action in (chosen, legal[0], legal[-1]):
            name = game.notation.action_name(action)
            if forms.setdefault(form_of(name), name) != name:
                others[name] = None
        state = state.play(chosen, dice)
    found = list(forms.values())
    return (*found, *list(others)[: max(FEWEST_EXAMPLES - len(found), 0)])


def form_of(name: str) -> str:
    """Return the form of a word: which letters and digits there are does not matter.

    >>> form_of("a1-b12") == form_of("c2-d3"), form_of("a1-b2") == form_of("end")
    (True, False)
    """
    return re.sub(r"[a-z]", "a", re.sub(r"\d+", "0", name.lower()))


# --- what a seat sees -----------------------------------------------------------------------------


def view_text(view: State) -> str:
    """Return a view as a person in a terminal sees it, its line, and what the game adds.

    >>> from sandtable.registry import make_game
    >>> view = make_game("lucid").start(Dice(1)).view(0)
    >>> print(view_text(view).splitlines()[-1])
    In one line: r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -
    """
    seat = seat_of(view)
    words = screen_of(view.game).briefing(np.array(view.position), seat).strip()
    parts = [str(view).strip("\n"), words, f"In one line: {view.line}"]
    return "\n\n".join(part for part in parts if part)


def view_data(view: State) -> dict[str, Any]:
    """Return a view as data that JSON can write: what a browser would be shown, without pictures.

    >>> from sandtable.registry import make_game
    >>> view_data(make_game("lucid").start(Dice(1)).view(0))["to_move"]
    'blue'
    """
    game, seat, turn = view.game, seat_of(view), view.turn
    screen = screen_of(game)
    position = np.array(view.position)  # writable, or kernels are compiled again
    board = screen.board(position, seat)
    data: dict[str, Any] = {
        "game": game.spec,
        "you": game.seats[seat],
        "to_move": None if turn == OVER else game.seats[turn],
        "position": view.line,
        "progress": screen.progress(position),
        "board": {name: value for name, value in board.items() if name not in (*PICTURES, "game")},
    }
    plain = json.dumps({name: value for name, value in data.items() if value}, default=as_plain)
    found: dict[str, Any] = json.loads(plain)
    return found


def as_plain(value: Any) -> Any:
    """Return numbers and arrays of NumPy, sets and the like as JSON knows them.

    >>> as_plain(np.int16(3)), as_plain(frozenset({2, 1}))
    (3, [1, 2])
    """
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return str(value)


def legal_text(view: State, most: int) -> str:
    """List the legal actions of a view, evenly chosen ones if they are more than ``most``.

    >>> from sandtable.registry import make_game
    >>> legal_text(make_game("lucid").start(Dice(1)).view(0), 3)
    '3 of the 6 legal actions: a1-a2 c1-c2 end'
    """
    names = view.legal_names
    if len(names) <= most:
        return f"All {len(names)} legal actions: {' '.join(names)}"
    places = np.linspace(0, len(names) - 1, most).round().astype(int)
    shown = " ".join(names[place] for place in places)
    return f"{most} of the {len(names)} legal actions: {shown}"


def seat_of(view: State) -> int:
    """Return whose view it is; of a whole position, who is to move."""
    return max(view.turn, 0) if view.seat is None else view.seat


# --- what has happened ----------------------------------------------------------------------------


class Chronicle:
    """What a seat has learnt of the actions since its last decision, its own turn first, in words.

    It is fed with what an agent watches: the view after every action of any seat, and the action,
    or None where the seat may not know it. ``look`` tells it the view before the first of them.

    >>> from sandtable.registry import make_game
    >>> state = make_game("skirmish").start(Dice(1))
    >>> chronicle = Chronicle(state.game, 1)
    >>> chronicle.look(state.view(1))
    >>> after = state.play(state.legal[0], Dice(1))
    >>> chronicle.note(after.view(1), state.legal[0])
    >>> chronicle.text().startswith("first played ")
    True
    >>> chronicle.clear()
    >>> chronicle.text()
    ''
    """

    def __init__(self, game: Game, seat: int) -> None:
        self.game, self.seat = game, seat
        self.before: State | None = None
        self.happenings: list[tuple[int | None, list[int | None], list[str]]] = []
        self.closed = True  # the next action begins a new line

    def look(self, view: State) -> None:
        """Note what the seat sees now: what comes next is told as a change of it."""
        self.before = view

    def note(self, view: State, action: int | None) -> None:
        """Note an action of any seat, by the view after it."""
        before, self.before = self.before, view
        mover = None if before is None else before.turn
        events = [] if before is None else self.events(before, mover, action, view)
        last = self.happenings[-1] if self.happenings else None
        goes_on = last is not None and last[0] == mover and not self.closed
        if mover == self.seat and not goes_on:
            self.happenings.clear()  # what was before this turn of its own, it knew when it chose
        alike = last is not None and (last[1][0] is None) == (action is None)
        if last is not None and goes_on and alike and not last[2]:
            last[1].append(action)
            last[2].extend(events)
        else:
            self.happenings.append((mover, [action], events))
        ending = self.game.turn_ending_actions
        self.closed = ending is None or action in ending or view.turn != mover

    def events(
        self, before: State, mover: int | None, action: int | None, after: State
    ) -> list[str]:
        """Tell what happened between two views, as far as the seat may know it."""
        earlier, later = np.array(before.position), np.array(after.position)
        if action is not None:
            return list(self.game.drawing.events(earlier, action, later))
        try:
            told = screen_of(self.game).events(earlier, mover or 0, None, later, None)
        except (TypeError, ValueError, LookupError):  # a screen that needs what no seat knows
            return []
        return [str(event.get("text", "")) for event in told if event.get("text")]

    @property
    def turn_goes_on(self) -> bool:
        """Whether the seat has begun a turn that its last action did not end."""
        last = self.happenings[-1] if self.happenings else None
        open_turn = last is not None and last[0] == self.seat and not self.closed
        return open_turn and self.before is not None and self.before.turn == self.seat

    def text(self) -> str:
        """Return what has happened, a line for each turn and under it what came of it."""
        lines: list[str] = []
        for mover, actions, events in self.happenings[-MOST_HAPPENINGS:]:
            lines.append(f"{self.named(mover)} {self.played(actions)}")
            lines += [f"  - {event}" for event in events]
        left_out = len(self.happenings) - MOST_HAPPENINGS
        return "\n".join([f"({left_out} turns before that)", *lines] if left_out > 0 else lines)

    def named(self, mover: int | None) -> str:
        """Name a seat as the reader is told."""
        if mover is None:
            return "somebody"
        return "you" if mover == self.seat else self.game.seats[mover]

    def played(self, actions: Sequence[int | None]) -> str:
        """Tell what was played in a turn, or that it is not known."""
        known = [action for action in actions if action is not None]
        if known:
            return f"played {compact(self.game, known)}"
        times = f" ({len(actions)} actions)" if len(actions) > 1 else ""
        return f"acted{times}, which you cannot see"

    def clear(self) -> None:
        """Forget what has happened: the seat knows it now. The view stays."""
        self.happenings.clear()
        self.closed = True
