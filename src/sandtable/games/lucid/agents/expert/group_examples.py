"""Moves of force groups as examples to learn from: what a group saw, and what it did.

The labels are those stated in the file of expert games, or those of a set of rules; what a person
has corrected stays in either case. Moves of Red have no stated labels, only those of its rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.games.lucid.agents.categories import CATEGORIES, RULE_SETS, rule_labels
from sandtable.games.lucid.agents.expert.games import ExpertGame, ExpertTurn
from sandtable.games.lucid.agents.force_groups import FEATURE_SCALES, USUAL_PATHS, force_groups
from sandtable.games.lucid.agents.red_categories import RED_CATEGORIES, red_labels
from sandtable.games.lucid.rules import BLUE_SEAT

__all__ = ["LABELS", "STATED", "GroupExamples", "categories_of", "group_examples", "turn_labels"]

STATED = "stated"
LABELS = (STATED, *RULE_SETS)  # where labels can come from


@dataclass(frozen=True)
class GroupExamples:
    """The moves of all force groups of a seat."""

    features: NDArray[np.float64]  # [example, feature], scaled
    targets: NDArray[np.float64]  # [example, category] 0 or 1
    games: NDArray[np.int64]  # [example] the number of its game
    names: tuple[str, ...]  # [example] where it comes from, in words


def categories_of(seat: int) -> tuple[str, ...]:
    """Return the categories of a side.

    >>> len(categories_of(0)), len(categories_of(1))
    (12, 12)
    """
    return CATEGORIES if seat == BLUE_SEAT else RED_CATEGORIES


def turn_labels(turn: ExpertTurn, labels: str = STATED) -> Mapping[str, frozenset[str]]:
    """Return the categories of what each group did, by the group's nodes."""
    if turn.seat != BLUE_SEAT:
        return {group.key: names for group, names in red_labels(turn.before, turn.actions)}
    stated = {each.group.key: each for each in turn.groups}
    if labels == STATED:
        return {key: each.labels for key, each in stated.items()}
    by_rule = {group.key: names for group, names in rule_labels(turn.before, turn.actions, labels)}
    return {
        key: stated[key].labels if key in stated and stated[key].by_person else names
        for key, names in by_rule.items()
    }


def group_examples(
    games: Sequence[ExpertGame],
    seat: int = BLUE_SEAT,
    labels: str = STATED,
    paths: str = USUAL_PATHS,
) -> GroupExamples:
    """Take the moves of the experts of a seat out of their games."""
    features, targets, numbers, names = [], [], [], []
    for number, game in enumerate(games):
        for turn in game.turns:
            if not turn.seat == game.seat == seat:
                continue
            known = turn_labels(turn, labels)
            for group in force_groups(turn.before, seat, paths):
                features.append(group.features / FEATURE_SCALES)
                targets.append([float(name in known[group.key]) for name in categories_of(seat)])
                numbers.append(number)
                names.append(f"game {game.record.identity}, turn {turn.number}, {group.key}")
    return GroupExamples(
        np.array(features), np.array(targets), np.array(numbers, dtype=np.int64), tuple(names)
    )
