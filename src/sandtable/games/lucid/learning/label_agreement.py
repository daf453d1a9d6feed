"""How far two sources of labels agree: rules and a person, two persons, two sets of rules.

For every category: in how many moves both gave it, one of them, or neither; the share on which they
agree; and Cohen's kappa (Educational and Psychological Measurement 20, 1960), which is 0 if they
agree no more often than chance would have it and 1 if always. A rare category is left out by both
in nearly every move, so the share alone flatters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sandtable.arena.statistics.intervals import Estimate, estimate_share
from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.categories import CATEGORIES, rule_labels
from sandtable.games.lucid.agents.expert.games import ExpertGame

__all__ = ["CategoryAgreement", "LabelAgreement", "by_rules_and_person", "by_two_files"]

Labels = frozenset[str]


@dataclass(frozen=True)
class CategoryAgreement:
    """How often two sources gave one category.

    >>> found = CategoryAgreement("attack", both=4, first=1, second=1, neither=14)
    >>> found.share, round(found.kappa, 3)
    (0.9, 0.733)
    """

    name: str
    both: int
    first: int  # only the first source
    second: int  # only the second
    neither: int

    @property
    def moves(self) -> int:
        """All moves."""
        return self.both + self.first + self.second + self.neither

    @property
    def share(self) -> float:
        """In which share of the moves they agree."""
        return (self.both + self.neither) / self.moves

    @property
    def kappa(self) -> float:
        """Cohen's kappa; not a number where chance alone explains everything."""
        first, second = self.both + self.first, self.both + self.second
        chance = first * second + (self.moves - first) * (self.moves - second)
        chance_share = chance / self.moves**2
        return (self.share - chance_share) / (1 - chance_share) if chance_share < 1 else math.nan


@dataclass(frozen=True)
class LabelAgreement:
    """How far two sources agree on the labels of the same moves."""

    pairs: tuple[tuple[Labels, Labels], ...]

    @property
    def same(self) -> Estimate:
        """The share of moves with exactly the same labels, with its 95% interval."""
        return estimate_share(
            sum(one == other for one, other in self.pairs) / len(self.pairs), len(self.pairs)
        )

    @property
    def categories(self) -> list[CategoryAgreement]:
        """The agreement on each category."""
        return [self.agreement_on(name) for name in CATEGORIES]

    @property
    def share(self) -> float:
        """The share of all yes and no of all categories on which they agree."""
        return sum(each.share for each in self.categories) / len(CATEGORIES)

    def agreement_on(self, name: str) -> CategoryAgreement:
        """Count one category."""
        given = [(name in one, name in other) for one, other in self.pairs]
        return CategoryAgreement(
            name,
            both=given.count((True, True)),
            first=given.count((True, False)),
            second=given.count((False, True)),
            neither=given.count((False, False)),
        )


def agreement_of(pairs: Iterable[tuple[Labels, Labels]], missing: str) -> LabelAgreement:
    """Return the agreement, or say why there is nothing to compare."""
    known = tuple(pairs)
    if not known:
        raise SandtableError(missing)
    return LabelAgreement(known)


def by_rules_and_person(games: Sequence[ExpertGame], rule_set: str) -> LabelAgreement:
    """Compare what rules say with what a person said, where a person did."""
    pairs = [
        (by_rule[group.group.key], group.labels)
        for game in games
        for turn in game.turns
        if any(group.by_person for group in turn.groups)
        for by_rule in [
            {each.key: names for each, names in rule_labels(turn.before, turn.actions, rule_set)}
        ]
        for group in turn.groups
        if group.by_person
    ]
    return agreement_of(
        pairs,
        "no move of this file has been labelled by a person; 'sandtable label correct' does so, "
        "or compare it with another file",
    )


def by_two_files(
    games: Sequence[ExpertGame], others: Sequence[ExpertGame], by_person: bool = False
) -> LabelAgreement:
    """Compare the labels of the same moves in two files, or only those a person gave in both."""
    labels = labels_by_move(games, by_person)
    other_labels = labels_by_move(others, by_person)
    who = "that a person labelled in both" if by_person else "in common"
    return agreement_of(
        ((names, other_labels[key]) for key, names in labels.items() if key in other_labels),
        f"the two files have no moves {who}",
    )


def labels_by_move(
    games: Sequence[ExpertGame], by_person: bool
) -> dict[tuple[str, int, str], Labels]:
    """Return the labels by game, turn and group."""
    return {
        (game.record.identity, turn.number, group.group.key): group.labels
        for game in games
        for turn in game.turns
        for group in turn.groups
        if group.by_person or not by_person
    }
