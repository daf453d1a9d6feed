"""Notes on a recorded game: words about a position, and turns that could have been played there.

They lie in the annotations of the record, under ``notes``: they go wherever the record goes, and
change nothing about the game. A note with actions is a variation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.records.record import Annotations, Record
from sandtable.records.replay import RecordedGame
from sandtable.types import OVER

__all__ = ["Note", "check_note", "notes_of", "with_note", "without_note"]

KEY = "notes"
MOST_NOTES = 200
LONGEST_TEXT = 2000
MOST_ACTIONS = 200


@dataclass(frozen=True)
class Note:
    """Words about the position after so many actions, and perhaps what could be played there.

    >>> Note.from_data({"ply": 3, "text": "Here it tips.", "actions": [5]})
    Note(ply=3, text='Here it tips.', actions=(5,))
    """

    ply: int
    text: str
    actions: tuple[int, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return it as it stands in a record."""
        return {"ply": self.ply, "text": self.text, "actions": list(self.actions)}

    @classmethod
    def from_data(cls, data: Any) -> Note | None:
        """Read a note from a record; None: somebody else has written there."""
        if not isinstance(data, dict):
            return None
        ply, text, actions = data.get("ply"), data.get("text"), data.get("actions", [])
        if not isinstance(ply, int) or isinstance(ply, bool) or ply < 0:
            return None
        if not isinstance(text, str) or not isinstance(actions, list):
            return None
        if not all(isinstance(action, int) and action >= 0 for action in actions):
            return None
        return cls(ply, text[:LONGEST_TEXT], tuple(actions[:MOST_ACTIONS]))


def notes_of(annotations: Annotations) -> list[Note]:
    """Return the notes among annotations, in the order in which they were written.

    >>> notes_of({"notes": [{"ply": 1, "text": "good"}, "something else"]})
    [Note(ply=1, text='good', actions=())]
    """
    kept = annotations.get(KEY)
    read = [Note.from_data(each) for each in kept] if isinstance(kept, list) else []
    return [note for note in read if note is not None]


def with_note(annotations: Annotations, note: Note) -> Annotations:
    """Return annotations with one more note; one that is there already is not added again.

    >>> with_note({}, Note(1, "good"))
    {'notes': [{'ply': 1, 'text': 'good', 'actions': []}]}
    """
    notes = notes_of(annotations)
    if note in notes:
        return annotations
    if len(notes) >= MOST_NOTES:
        raise SandtableError(f"a game has at most {MOST_NOTES} notes; remove one")
    return replaced(annotations, [*notes, note])


def without_note(annotations: Annotations, place: int) -> Annotations:
    """Return annotations without the note at a place, counted from 0.

    >>> without_note({"notes": [{"ply": 1, "text": "good", "actions": []}]}, 0)
    {'notes': []}
    """
    notes = notes_of(annotations)
    if not 0 <= place < len(notes):
        raise SandtableError("there is no such note")
    return replaced(annotations, notes[:place] + notes[place + 1 :])


def replaced(annotations: Annotations, notes: Iterable[Note]) -> dict[str, Any]:
    """Return annotations with other notes."""
    return {**annotations, KEY: [note.as_data() for note in notes]}


def check_note(record: Record, note: Note) -> None:
    """Raise a SandtableError if a note is about a position that is not there, or not legal.

    The actions of a variation are played with dice of their own: what falls after the end of a
    turn is no part of a variation.
    """
    if note.ply > len(record.actions):
        raise SandtableError(f"that game has {len(record.actions)} actions, not {note.ply}")
    if not note.text.strip() and not note.actions:
        raise SandtableError("write something, or choose moves for a variation")
    if len(note.text) > LONGEST_TEXT or len(note.actions) > MOST_ACTIONS:
        raise SandtableError(
            f"a note has at most {LONGEST_TEXT} characters and {MOST_ACTIONS} actions"
        )
    if note.actions:
        check_variation(record, note.ply, note.actions)


def check_variation(record: Record, ply: int, actions: Sequence[int]) -> None:
    """Raise IllegalAction at the first action that could not have been played."""
    game = RecordedGame(record)
    for number, action in enumerate(record.actions[:ply], start=1):
        game.play(number, action)
    state, dice = game.session.state, Dice(record.seed, "variation", ply)
    for action in actions:
        if state.turn == OVER:
            raise SandtableError("the game is over before the end of this variation")
        state = state.play(action, dice)
