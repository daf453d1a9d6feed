"""A turn as a person types it: words to actions, bit by bit, with a way back."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Sequence

from sandtable.dice import Dice
from sandtable.errors import IllegalAction, SandtableError, UnreadableAction, suggestion
from sandtable.session import Session
from sandtable.types import Game, State

__all__ = ["TurnInProgress", "compact", "split_words"]

COUNTED = re.compile(r"(?P<before>\d{1,4})\*(?P<word>.+)|(?P<plain>.+)\*(?P<after>\d{1,4})")


def split_words(line: str) -> list[str]:
    """Split a line at spaces and commas, as ``Game.parse_actions`` does."""
    return line.replace(",", " ").split()


def compact(game: Game, actions: Iterable[int]) -> str:
    """Write actions in a row, equal ones with a count: ``a1-a2*3 b1-b2 end``."""
    words = []
    for action, group in itertools.groupby(actions):
        count = len(list(group))
        name = game.notation.action_name(action)
        words.append(name if count == 1 else f"{name}*{count}")
    return " ".join(words)


class TurnInProgress:
    """The actions taken so far, played on a copy of the view.

    The action that closes the turn is checked and kept, but not played: it throws the dice of the
    game, which are not ours.
    """

    def __init__(self, view: State, hint: str = " ('moves' lists what is)") -> None:
        self._hint = hint  # for whoever tries what is not legal, if no rule is known
        self._session = Session(view.game, Dice.fresh(), view, keep_history=True)
        self._seat = view.seat
        self.actions: list[int] = []
        self.closed = False

    @property
    def view(self) -> State:
        """The view after the actions taken so far."""
        return State(self._session.game, self._session.position, self._seat)

    @property
    def text(self) -> str:
        """The actions taken so far, in notation."""
        return compact(self._session.game, self.actions)

    def closes(self, action: int) -> bool:
        """Say whether an action ends the turn."""
        closing = self._session.game.turn_ending_actions
        return closing is None or action in closing

    def add(self, action: int) -> None:
        """Take one action; IllegalAction leaves everything as it was."""
        session = self._session
        seat = session.turn
        try:
            if self.closes(action):
                session.check(action)
                self.closed = True
            else:
                session.play(action)
                self.closed = session.turn != seat
        except IllegalAction as problem:
            after = " after what you have moved" if self.actions else ""
            why = f": {problem.rule}" if problem.rule else self._hint
            raise IllegalAction(f"{problem.name} is not legal now{after}{why}") from None
        self.actions.append(action)

    def undo(self, count: int) -> str:
        """Take back the last actions; return them in notation."""
        kept = max(len(self.actions) - count, 0)
        taken_back = self.actions[kept:]
        del self.actions[kept:]
        self._session.cut(kept)
        return compact(self._session.game, taken_back)

    def parse(self, word: str) -> tuple[int, int]:
        """Return the action of a word and how often it is meant: ``a1-a2*3``, ``3*a1-a2``."""
        parse_action = self._session.game.notation.parse_action
        match = COUNTED.fullmatch(word)
        try:
            return parse_action(word), 1
        except UnreadableAction:
            if not match:
                raise
        count = int(match["before"] or match["after"])
        if count == 0:
            raise UnreadableAction(f"'{word}': a count is 1 or more")
        return parse_action(match["word"] or match["plain"]), count

    def take(self, words: Sequence[str], commands: Collection[str] = ()) -> str | None:
        """Take words up to the first bad one; return what is wrong with it, or None.

        An action that closes the turn must be the last word: what follows it would be a mistake,
        and a closed turn cannot be taken back.
        """
        before = len(self.actions)
        for index, word in enumerate(words):
            try:
                action, count = self.parse(word)
            except UnreadableAction as problem:
                if word.lower() in commands:
                    text = f"'{word}' is a command; commands stand at the beginning of a line."
                else:
                    text = f"{problem}.{suggestion(word, [*commands, *self.view.legal_names])}"
                return self._complaint(text, before, words[index:])
            for repetition in range(count):
                more = repetition < count - 1 or index < len(words) - 1
                if more and self.closes(action):
                    name = self._session.game.notation.action_name(action)
                    problem_text = f"'{name}' ends the turn, so it must come last."
                    return self._complaint(problem_text, before, words[index:])
                try:
                    self.add(action)
                except SandtableError as problem:
                    return self._complaint(f"{problem}.", before, words[index:])
        return None

    def _complaint(self, problem: str, before: int, left: Sequence[str]) -> str:
        taken = compact(self._session.game, self.actions[before:])
        if not taken and len(left) == 1:
            return problem
        return f"{problem} Taken: {taken or 'nothing'}. Not taken: {' '.join(left)}."

    def completions(self, line_before: str, start: str, commands: Iterable[str]) -> list[str]:
        """Return the words that can stand here: legal after the words before them on the line."""
        words = split_words(line_before)
        trial = TurnInProgress(self.view)
        trial.take(words)
        count = re.match(r"\d{1,4}\*", start)
        prefix = count[0] if count else ""
        names = [f"{prefix}{name}" for name in trial.view.legal_names] if not trial.closed else []
        found = [*names, *(commands if not words else ())]
        return [word for word in found if word.startswith(start.lower())]
