"""Making files of expert games: recording them, importing them, correcting their labels.

What such a file holds is described in ``sandtable.games.lucid.agents.expert.games``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sandtable.arena.play.game_loop import play_game
from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.categories import CATEGORIES, OURS
from sandtable.games.lucid.agents.expert.games import (
    ExpertGame,
    annotated,
    check_expert_record,
    seat_of,
)
from sandtable.games.lucid.rules import BLUE_SEAT
from sandtable.learning.checkpoints import make_folder, write_whole
from sandtable.records.lines import record_to_line
from sandtable.records.record import Record
from sandtable.records.store import Store
from sandtable.registry import check_seats, make_agent, make_game

__all__ = ["counts", "importable", "record_games", "relabelled", "unseen_seed", "write_games"]

GAME = "lucid"
SEEDS_OF_EXPERTS = 2  # the bundled games have the seed 0, those behind the bundled networks 1


def unseen_seed(seed: int) -> int:
    """Return a seed with whose dice no expert game of ours was played.

    Game 3 of a seed has the same dice whoever plays it. One who imitates the expert's game 3 in it
    would find the expert's own positions and luck again, and score what the expert did.

    >>> unseen_seed(0), unseen_seed(1)
    (2, 3)
    """
    return seed + SEEDS_OF_EXPERTS


def record_games(
    agent: str, opponent: str, seat: int, numbers: Iterable[int], seed: int
) -> Iterator[Record]:
    """Let an agent play games as an expert, and yield them with labels, one by one."""
    game = make_game(GAME)
    specs = [agent, opponent] if seat == BLUE_SEAT else [opponent, agent]
    specs = check_seats(game, specs)
    agents = [make_agent(spec) for spec in specs]
    for number in numbers:
        played = play_game(game, agents, specs=specs, seed=seed, number=number)
        yield annotated(replace(played.record, seconds=()), seat)  # the same file on any machine


def importable(store: Store, seat: int) -> tuple[list[Record], list[str]]:
    """Return the games of a store as games of an expert in a seat, and why others are left out.

    Games that are an expert's already keep their labels.
    """
    taken, left_out = [], []
    for finding in store.scan():
        if finding.record is None:
            left_out.append(str(finding.problem))
            continue
        try:
            taken.append(as_expert(finding.record, seat))
        except SandtableError as problem:
            left_out.append(f"{finding.where}: {problem}")
    return taken, left_out


def as_expert(record: Record, seat: int) -> Record:
    """Return a record annotated for an expert in a seat, unless it is already."""
    check_expert_record(record)
    if "expert" in record.annotations and seat_of(record) == seat:
        return record
    return annotated(record, seat)


def relabelled(record: Record, keep_corrected: bool = True, rule_set: str = OURS) -> Record:
    """Return a record labelled by the rules once more; what a person has corrected may stay."""
    seat = seat_of(record)
    fresh = annotated(record, seat, rule_set)
    if not keep_corrected:
        return fresh
    old, new = record.annotations["expert"], fresh.annotations["expert"]
    for number, keys in old["corrected"].items():
        for key in keys:
            new["labels"][number][key] = old["labels"][number][key]
    new["corrected"] = dict(old["corrected"])
    return fresh


def write_games(path: Path, records: Sequence[Record]) -> None:
    """Write a whole file of games, all or nothing."""
    make_folder(path.parent)
    write_whole(path, "".join(record_to_line(record) + "\n" for record in records).encode())


def counts(games: Sequence[ExpertGame]) -> dict[str, int]:
    """Count how many moves of force groups belong to each category, and all of them."""
    groups = [group for game in games for turn in game.turns for group in turn.groups]
    label_counts = Counter(name for group in groups for name in group.labels)
    corrected = sum(group.by_person for group in groups)
    totals = {"moves of force groups": len(groups), "corrected by a person": corrected}
    return totals | {name: label_counts[name] for name in CATEGORIES}
