"""A record as one line of JSON, both ways; docs/records.md describes every field."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping
from typing import Any

from sandtable.errors import BrokenRecord, SandtableError
from sandtable.records.record import Record
from sandtable.registry import make_game
from sandtable.types import Game, Notation, Outcome

__all__ = [
    "FORMAT",
    "FORMAT_VERSION",
    "LARGEST_NUMBER",
    "READER",
    "WRITER",
    "one_line",
    "record_fields",
    "record_from_fields",
    "record_from_line",
    "record_to_line",
]

FORMAT = "sandtable-game"
FORMAT_VERSION = 1
LARGEST_NUMBER = 2**63 - 1  # what a database can count to
LONGEST_LINE = 1000  # characters of an error
LONGEST_QUOTE = 100  # characters of one foreign value in it

FIELDS = (  # in the order in which they are written: the id first, so that it is quickly found
    "format",
    "format_version",
    "id",
    "experiment",
    "game",
    "version",
    "seats",
    "seed",
    "number",
    "start",
    "actions",
    "final",
    "outcome",
    "seconds",
    "annotations",
)
OUTCOME_FIELDS = ("scores", "reason", "forfeited_by")


class Names(dict[int, str]):
    """The words of actions, each asked for once."""

    def __init__(self, notation: Notation) -> None:
        super().__init__()
        self.notation = notation

    def __missing__(self, action: int) -> str:
        name = self.notation.action_name(action)
        if self.notation.parse_action(name) != action or len(name.split()) != 1:
            raise BrokenRecord(f"action {action} is written '{name}', which means another action")
        self[action] = name
        return name


class Words(dict[str, int]):
    """The actions that words mean, each asked for once."""

    def __init__(self, notation: Notation) -> None:
        super().__init__()
        self.notation = notation

    def __missing__(self, word: str) -> int:
        self[word] = action = self.notation.parse_action(word)
        return action


@functools.cache
def names_of(game: str) -> Names:
    """Return the table of action names of a game."""
    return Names(make_game(game).notation)


@functools.cache
def words_of(game: str) -> Words:
    """Return the table of words of a game."""
    return Words(make_game(game).notation)


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    """Return foreign text so that it can be shown: in one line, not too long, no control codes."""
    if len(text) > longest:
        text = text[:longest] + "..."
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def record_fields(record: Record) -> dict[str, Any]:
    """Return the fields of a record in their order, as JSON knows them."""
    try:
        experiment = record.experiment
        fields = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "id": f"{experiment}-{record.number}",
            "experiment": experiment,
            "game": record.game,
            "version": record.version,
            "seats": list(record.seats),
            "seed": int(record.seed),
            "number": int(record.number),
            "start": record.start,
            "actions": " ".join(map(names_of(record.game).__getitem__, record.actions)),
            "final": record.final,
            "outcome": outcome_fields(record.outcome),
            "seconds": [float(seconds) for seconds in record.seconds],
            "annotations": dict(record.annotations),
        }
        checked_parts(fields, make_game(record.game))  # what cannot be read is not written
        return fields
    except (SandtableError, TypeError, ValueError) as problem:
        number = record.number
        raise BrokenRecord(f"game {number} cannot be written: {one_line(str(problem))}") from None


def outcome_fields(outcome: Outcome | None) -> dict[str, Any] | None:
    """Return the fields of an outcome."""
    if outcome is None:
        return None
    return {
        "scores": [float(score) for score in outcome.scores],
        "reason": outcome.reason,
        "forfeited_by": outcome.forfeited_by,
    }


def record_to_line(record: Record) -> str:
    """Write a record as one line of JSON, without the line's end."""
    try:
        return WRITER.encode(record_fields(record))
    except (TypeError, ValueError, RecursionError) as problem:
        detail = one_line(str(problem))
        raise BrokenRecord(f"game {record.identity} cannot be written: {detail}") from None


def record_from_line(line: str, where: str) -> Record:
    """Read a record and check every field; ``where`` (file:line) begins the error if one is bad."""
    try:
        fields = READER.decode(line)
    except (BrokenRecord, ValueError, RecursionError) as problem:
        raise BrokenRecord(
            f"{where}: this is not a line of JSON: {one_line(str(problem))}"
        ) from None
    return record_from_fields(fields, where)


def record_from_fields(fields: object, where: str) -> Record:
    """Build a record from its fields and check every one of them."""
    try:
        if not isinstance(fields, dict):
            raise BrokenRecord(f"a record is a JSON object, got {shown(fields)}")
        check_names(fields)
        return checked_record(fields)
    except SandtableError as problem:
        raise BrokenRecord(f"{where}: {one_line(str(problem))}") from None


def check_names(fields: Mapping[str, Any]) -> None:
    """Check format, version and that exactly the known fields are there."""
    if fields.get("format") != FORMAT:
        raise BrokenRecord(f"'format' must be '{FORMAT}', got {shown(fields.get('format'))}")
    version = fields.get("format_version")
    if version != FORMAT_VERSION or type(version) is not int:
        raise BrokenRecord(
            f"this is format version {shown(version)}; "
            f"this version of Sandtable reads version {FORMAT_VERSION}"
        )
    same_names(fields, FIELDS, "record")


def same_names(fields: Mapping[str, Any], wanted: tuple[str, ...], what: str) -> None:
    """Check that a JSON object has these fields and no others."""
    if len(fields) == len(wanted) and all(map(fields.__contains__, wanted)):
        return
    missing = [name for name in wanted if name not in fields]
    if missing:
        raise BrokenRecord(f"the field '{missing[0]}' of the {what} is missing")
    unknown = next(name for name in fields if name not in wanted)
    raise BrokenRecord(f"a {what} has no field {shown(unknown)}")


def checked_record(fields: Mapping[str, Any]) -> Record:
    """Check the fields one by one, then that the id fits them."""
    spec = text(fields, "game")
    parts = checked_parts(fields, make_game(spec))
    words = text(fields, "actions").split()
    record = Record(game=spec, actions=tuple(map(words_of(spec).__getitem__, words)), **parts)
    experiment = record.experiment
    for name, right in (("experiment", experiment), ("id", f"{experiment}-{record.number}")):
        if fields[name] != right:
            raise BrokenRecord(
                f"'{name}' is {shown(fields[name])}, but game, version, seats, seed, number "
                f"and start make it '{right}'"
            )
    return record


def checked_parts(fields: Mapping[str, Any], game: Game) -> dict[str, Any]:
    """Return what a record is built of, but for its game and actions, all checked."""
    return {
        "version": whole_number(fields, "version", 0, LARGEST_NUMBER),
        "seats": checked_seats(fields, game),
        "seed": whole_number(fields, "seed"),
        "number": whole_number(fields, "number", 0, LARGEST_NUMBER),
        "outcome": checked_outcome(fields["outcome"], game),
        "final": text(fields, "final"),
        "start": None if fields["start"] is None else text(fields, "start"),
        "seconds": numbers(fields, "seconds", (0, len(game.seats)), lowest=0.0),
        "annotations": checked_annotations(fields["annotations"]),
    }


def checked_seats(fields: Mapping[str, Any], game: Game) -> tuple[str, ...]:
    """Return the agents, one for each seat of the game."""
    seats = fields["seats"]
    if type(seats) is not list or len(seats) != len(game.seats):
        raise BrokenRecord(
            f"'seats' must be a list of {len(game.seats)} agents, got {shown(seats)}"
        )
    return tuple(text({"seats": seat}, "seats") for seat in seats)


def checked_outcome(fields: object, game: Game) -> Outcome | None:
    """Return the outcome, or None for a game that was broken off."""
    if fields is None:
        return None
    if not isinstance(fields, dict):
        raise BrokenRecord(f"'outcome' must be an object or null, got {shown(fields)}")
    same_names(fields, OUTCOME_FIELDS, "outcome")
    forfeited_by = fields["forfeited_by"]
    if forfeited_by is not None:
        forfeited_by = whole_number(fields, "forfeited_by", 0, len(game.seats) - 1)
    scores = numbers(fields, "scores", (len(game.seats),))
    return Outcome(scores, text(fields, "reason"), forfeited_by)


def checked_annotations(value: object) -> dict[str, Any]:
    """Return the annotations, which may hold anything that JSON can write."""
    if not isinstance(value, dict):
        raise BrokenRecord(f"'annotations' must be an object, got {shown(value)}")
    try:
        if value:
            json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as problem:
        raise BrokenRecord(f"'annotations' cannot be kept: {problem}") from None
    return value


def text(fields: Mapping[str, Any], name: str) -> str:
    """Return a field that is a text."""
    value = fields[name]
    if type(value) is not str:
        raise BrokenRecord(f"'{name}' must be a text, got {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a pair of UTF-16 codes, which no file could keep
        raise BrokenRecord(f"'{name}' is not proper text: {shown(value)}") from None
    return value


def whole_number(
    fields: Mapping[str, Any], name: str, low: int | None = None, high: int | None = None
) -> int:
    """Return a field that is a whole number within bounds."""
    value = fields[name]
    if type(value) is not int:
        raise BrokenRecord(f"'{name}' must be a whole number, got {shown(value)}")
    if (low is not None and value < low) or (high is not None and value > high):
        raise BrokenRecord(f"'{name}' must be from {low} to {high}, got {shown(value)}")
    return value


def numbers(
    fields: Mapping[str, Any], name: str, lengths: tuple[int, ...], lowest: float = -math.inf
) -> tuple[float, ...]:
    """Return a field that is a list of finite numbers of one of these lengths."""
    values = fields[name]
    if type(values) is not list or len(values) not in lengths:
        allowed = " or ".join(str(length) for length in lengths)
        raise BrokenRecord(f"'{name}' must be a list of {allowed} numbers, got {shown(values)}")
    for value in values:
        if type(value) not in (int, float) or not lowest <= value or not finite(value):
            raise BrokenRecord(f"'{name}' holds {shown(value)}, which it cannot")
    return tuple(float(value) for value in values)


def finite(value: float) -> bool:
    """Say whether a number fits into a float."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def refuse(constant: str) -> None:
    """Refuse what Python's reader takes for a number but JSON does not know."""
    raise BrokenRecord(f"'{constant}' is no number")


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object, and refuse one that gives a field twice."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise BrokenRecord("a field is given twice")
    return fields


def shown(value: object) -> str:
    """Quote a value of any kind in an error."""
    try:
        return one_line(repr(value), LONGEST_QUOTE)
    except (ValueError, RecursionError):  # a number of thousands of digits, or a deep nest
        return f"something strange ({type(value).__name__})"


READER = json.JSONDecoder(parse_constant=refuse, object_pairs_hook=unique)
WRITER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
