"""Games of experts at Operation Lucid, as files from which agents learn.

Such a file is one of records (JSON lines, docs/records.md): both players' turns are in it, and a
replay proves that it is sound. What makes it a file of expert games is one annotation on each:

    "expert": {"seat": "blue",
               "labels": {"3": {"a1 b1": ["approach"], "d2": ["approach", "linkUpGroups"]}},
               "corrected": {"3": ["d2"]}}

the seat whose play is worth learning, the categories of what each force group of Blue did in each
of Blue's turns (by the number of the turn, then by the nodes of the group), and which of them a
person has corrected. A game in which Red is the expert has no labels: the categories are Blue's.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sandtable.errors import BrokenRecord, SandtableError
from sandtable.games.lucid.agents.categories import CATEGORIES, OURS, check_labels, rule_labels
from sandtable.games.lucid.agents.force_groups import ForceGroup
from sandtable.games.lucid.rules import BLUE_SEAT, END, PLAYED, move_units
from sandtable.records.files import RecordFile
from sandtable.records.lines import one_line
from sandtable.records.record import Record
from sandtable.records.replay import Turn, replay, turns
from sandtable.registry import make_game
from sandtable.types import Position

BUNDLED_GAMES = Path(__file__).parent / "champion.jsonl"
KEY = "expert"
FIELDS = ("seat", "labels", "corrected")


@dataclass(frozen=True)
class LabelledGroup:
    """What one force group did in one turn."""

    group: ForceGroup
    labels: frozenset[str]
    by_person: bool = False  # somebody has corrected the labels of the rules

    @property
    def names(self) -> list[str]:
        """The labels in the order of the categories."""
        return [name for name in CATEGORIES if name in self.labels]


@dataclass(frozen=True)
class ExpertTurn:
    """One turn of either player."""

    number: int  # of the turn in the game, 1 to 36
    seat: int
    before: Position
    actions: tuple[int, ...]  # the movelets in their order, without END
    groups: tuple[LabelledGroup, ...] = ()  # of Blue's turns in games with labels

    @functools.cached_property
    def after(self) -> Position:
        """The position after the movelets, before the turn is closed."""
        position = np.array(self.before)
        for action in self.actions:
            move_units(position, action, 1)
        return position


@dataclass(frozen=True)
class ExpertGame:
    """One game with its turns."""

    record: Record
    seat: int  # of the expert
    turns: tuple[ExpertTurn, ...]


def check_expert_record(record: Record) -> None:
    """Refuse records that nothing can be learnt from."""
    if make_game(record.game).spec != "lucid":  # scenarios have other boards
        raise SandtableError(
            f"game {record.identity} is one of {record.game}, not of lucid as published"
        )
    if record.outcome is None:
        raise SandtableError(f"game {record.identity} was broken off; only finished games count")
    if record.outcome.forfeited_by is not None:
        raise SandtableError(f"game {record.identity} was forfeited; only finished games count")


def turn_of(turn: Turn) -> ExpertTurn:
    """Take a turn out of a replay."""
    before = np.array(turn.steps[0].before.position)
    actions = tuple(step.action for step in turn.steps if step.action != END)
    return ExpertTurn(int(before[PLAYED]) + 1, turn.seat, before, actions)


def turns_of(record: Record) -> list[ExpertTurn]:
    """Play a record again, which checks it, and return its turns."""
    return [turn_of(turn) for turn in turns(replay(record))]


def annotated(record: Record, seat: int, rule_set: str = OURS) -> Record:
    """Return a record as one of an expert in this seat, labelled by the rules."""
    check_expert_record(record)
    labels: dict[str, dict[str, list[str]]] = {}
    for turn in turns_of(record) if seat == BLUE_SEAT else ():
        if turn.seat == BLUE_SEAT:
            labelled = rule_labels(turn.before, turn.actions, rule_set)
            labels[str(turn.number)] = {
                group.key: LabelledGroup(group, names).names for group, names in labelled
            }
    name = make_game(record.game).seats[seat]
    note = {"seat": name, "labels": labels, "corrected": {}}
    return replace(record, annotations={**record.annotations, KEY: note})


def corrected(record: Record, turn: int, group: str, labels: Iterable[str]) -> Record:
    """Return a record with other labels for one group, marked as a person's."""
    note = note_of(record)
    known = note["labels"].get(str(turn))
    if known is None:
        raise SandtableError(f"game {record.identity} has no labels in turn {turn}")
    key = " ".join(sorted(group.lower().split(), key=lambda name: (name[1:], name)))
    if key not in known:
        names = ", ".join(f"'{name}'" for name in known)
        raise SandtableError(f"turn {turn} has no group '{group}'; there are {names}")
    chosen = check_labels(list(labels))
    ordered = [name for name in CATEGORIES if name in chosen]
    marks = note["corrected"]
    marked = sorted({*marks.get(str(turn), ()), key})
    note = {
        "seat": note["seat"],
        "labels": {**note["labels"], str(turn): {**known, key: ordered}},
        "corrected": {**marks, str(turn): marked},
    }
    return replace(record, annotations={**record.annotations, KEY: note})


def note_of(record: Record) -> dict[str, Any]:
    """Return the annotation of an expert game if it has the right shape."""
    note = record.annotations.get(KEY)
    if note is None:
        raise SandtableError(
            f"game {record.identity} is not marked as an expert's; 'sandtable label import' does so"
        )
    if not isinstance(note, dict) or tuple(sorted(note)) != tuple(sorted(FIELDS)):
        raise SandtableError(
            f"game {record.identity}: 'expert' must be an object with {', '.join(FIELDS)}"
        )
    for name, inner in (("labels", dict), ("corrected", list)):
        shaped = isinstance(note[name], dict) and all(
            isinstance(value, inner) for value in note[name].values()
        )
        if not shaped:
            raise SandtableError(
                f"game {record.identity}: '{name}' of the expert does not go by turns and groups"
            )
    return note


def seat_of(record: Record) -> int:
    """Return the seat of the expert."""
    return make_game(record.game).seat_number(str(note_of(record)["seat"]))


def expert_game(record: Record) -> ExpertGame:
    """Play an annotated record again, and check that its labels fit what was played."""
    check_expert_record(record)
    note, seat = note_of(record), seat_of(record)
    played = turns_of(record)
    if seat != BLUE_SEAT:
        return ExpertGame(record, seat, tuple(played))
    labelled = {str(turn.number) for turn in played if turn.seat == BLUE_SEAT}
    for name in ("labels", "corrected"):
        for number in note[name].keys() - labelled:
            raise SandtableError(
                f"game {record.identity}: '{name}' has turn {number}, which is not one of Blue's"
            )
    for number in sorted(labelled - note["labels"].keys(), key=int):
        raise SandtableError(f"game {record.identity} has no labels for turn {number}")
    with_groups = [
        turn
        if turn.seat != BLUE_SEAT
        else replace(turn, groups=groups_of(record, turn, note["labels"][str(turn.number)], note))
        for turn in played
    ]
    return ExpertGame(record, seat, tuple(with_groups))


def groups_of(
    record: Record, turn: ExpertTurn, labels: dict[str, list[str]], note: dict[str, Any]
) -> tuple[LabelledGroup, ...]:
    """Put the stated labels of a turn to its groups, which must be the same."""
    groups = {group.key: group for group, _ in rule_labels(turn.before, turn.actions)}
    by_person = note["corrected"].get(str(turn.number), ())
    for key in [*labels, *by_person]:
        if key not in groups:
            names = ", ".join(f"'{name}'" for name in groups)
            raise SandtableError(
                f"game {record.identity}, turn {turn.number}: there is no group '{key}' "
                f"(there are {names})"
            )
    labelled = []
    for key, group in groups.items():
        if not isinstance(labels.get(key), list):
            raise SandtableError(
                f"game {record.identity}, turn {turn.number}: no labels for group '{key}'"
            )
        labelled.append(LabelledGroup(group, check_labels(labels[key]), key in by_person))
    return tuple(labelled)


def read_expert_games(path: Path) -> list[ExpertGame]:
    """Read a file of expert games; whatever is wrong in it is one line with the place."""
    games = []
    for finding in RecordFile(path, create=False).scan():
        if finding.record is None:
            raise finding.problem or BrokenRecord(f"{finding.where}: unreadable")
        try:
            games.append(expert_game(finding.record))
        except SandtableError as problem:
            raise BrokenRecord(f"{finding.where}: {one_line(str(problem))}") from None
    if not games:
        raise SandtableError(f"{path} holds no games")
    return games
