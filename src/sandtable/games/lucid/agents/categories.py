"""The twelve categories of Blue's moves in Operation Lucid, and rules that recognise them.

The experts of the report named the intent of each move of a force group (table 4.1). For games
whose players cannot be asked, the rules below read it off the move; a person can correct them
(``sandtable label``). A move may belong to several categories. There are two sets of rules: ours,
by which a move that is after nothing in particular has no category, and a literal one, by which
every move has one or more, as the experts' moves had.

A group is large, and in most moves some unit of it does something else than the others; a rule
asks for what the group as a whole is after. Its *spearhead* are the foremost of its units that are
free to move and south of the top row. What the rules say of the units that stood in the group:

- approach: one of the spearhead goes north to a node without Red
- ensureSupply: somebody moves, and then some stand on row 1 and others further north
- breakSupply: some stood on row 1 and others further north, and then nobody stands on row 1
- attack: one enters a node that only Red held
- reinforceCombat: one enters a node with combat
- continueCombat: some fight, and none of their combats is left or reinforced
- outflank: of the spearhead, at least half of the group goes from under an exit that Red holds to
  under one that it does not, or back
- goToGoal: one enters the goal
- concentrateForces: those still on the board stand on at most half as many nodes as before
- splitIntoGroups: those still on the board belong to several groups, and of at least two of these
  four or more units are theirs
- linkUpGroups: at least half of them step onto nodes where units of another group stand then
- stayInPosition: nobody of four or more units moves

The literal rules differ in what follows:

- outflank: of the spearhead some go sideways or back, at least as many as go north
- stayInPosition: nobody moves
- if no rule holds, the move is approach where a unit goes north, and outflank otherwise
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from sandtable.errors import SandtableError, suggestion
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.force_groups import ForceGroup, find_groups, force_groups
from sandtable.types import Position

__all__ = [
    "CATEGORIES",
    "LITERAL",
    "OURS",
    "RULE_SETS",
    "GroupMove",
    "check_labels",
    "group_moves",
    "rule_labels",
]

CATEGORIES = (
    "approach",
    "ensureSupply",
    "breakSupply",
    "attack",
    "reinforceCombat",
    "continueCombat",
    "outflank",
    "goToGoal",
    "concentrateForces",
    "splitIntoGroups",
    "linkUpGroups",
    "stayInPosition",
)

OURS, LITERAL = "ours", "literal"
RULE_SETS = (OURS, LITERAL)
OUTFLANKING = 2  # one in so many units of the group at least
WORTH_THE_NAME = 4  # units of a group that is more than a straggler


def check_labels(labels: Sequence[str]) -> frozenset[str]:
    """Return the labels as a set; SandtableError names one that is no category of Blue's.

    >>> sorted(check_labels(["outflank", "attack"]))
    ['attack', 'outflank']
    """
    for label in labels:
        if label not in CATEGORIES:
            known = ", ".join(CATEGORIES)
            hint = suggestion(str(label), CATEGORIES)
            raise SandtableError(f"there is no category '{label}'.{hint} Known are {known}.")
    return frozenset(labels)


class GroupMove:
    """A move of a side as seen by one group: where each of its units began and where it ended."""

    def __init__(
        self,
        before: Position,
        after: Position,
        group: ForceGroup,
        seat: int = rules.BLUE_SEAT,
    ) -> None:
        self.seat = seat
        self.own, self.enemy = rules.own_board(seat), rules.own_board(1 - seat)
        self.before = before
        self.after = after  # the movelets played, the turn not closed
        self.group = group
        self.steps: Counter[tuple[int, int]] = Counter()  # (node, end): units that took this step
        self.stayed: Counter[int] = Counter(dict(zip(group.nodes, group.units, strict=True)))

    def add(self, node: int, end: int) -> None:
        """Let one unit of the group take a step."""
        self.steps[node, end] += 1
        self.stayed[node] -= 1

    @property
    def ends(self) -> set[int]:
        """The nodes on which the group's units stand after the move."""
        return set(self.placed)

    @property
    def origins(self) -> set[int]:
        """The nodes from which those came that are still on the board."""
        stayed = {node for node, units in self.stayed.items() if units > 0}
        return stayed | {node for node, end in self.steps if end != rules.TO_GOAL}

    @property
    def placed(self) -> Counter[int]:
        """How many of the group's units stand on each node after the move."""
        standing = Counter({node: units for node, units in self.stayed.items() if units > 0})
        for (_, end), units in self.steps.items():
            if end != rules.TO_GOAL:
                standing[end] += units
        return standing

    @property
    def spearhead(self) -> set[int]:
        """The nodes of the foremost units that are free to move and can still approach."""
        free = {
            node
            for node in self.group.nodes
            if node < rules.FIRST_OF_TOP_ROW
            and self.before[rules.ATTACKER + node] != rules.BLUE_ATTACKS
        }
        return set(front(free)) if free else set()

    @property
    def combats(self) -> list[int]:
        """The nodes where the group fought before the move."""
        return [node for node in self.group.nodes if self.before[self.enemy + node] > 0]

    def enters(self, with_own: bool) -> bool:
        """Say whether a unit enters a node of the enemy, who is alone there or fights own units."""
        return any(
            end != rules.TO_GOAL
            and self.before[self.enemy + end] > 0
            and (self.before[self.own + end] > 0) == with_own
            for _, end in self.steps
        )

    def continues_combat(self, moves: Sequence[GroupMove]) -> bool:
        """Say whether it fights, and none of its combats is left or reinforced by any group."""
        fought, left = set(self.combats), {node for node, _ in self.steps}
        entered = {end for other in moves for _, end in other.steps}
        return bool(fought) and not fought & (left | entered)

    @property
    def concentrates(self) -> bool:
        """Whether those still on the board stand on at most half as many nodes as before."""
        return bool(self.steps) and 2 * len(self.ends) <= len(self.origins)


def group_moves(
    before: Position, actions: Sequence[int], seat: int = rules.BLUE_SEAT
) -> list[GroupMove]:
    """Split a turn of a side into the moves of its groups; END may close it or be left out."""
    after, own = np.array(before), rules.own_board(seat)
    steps = [
        (action // rules.DIRECTIONS, int(rules.DESTINATION[action]))
        for action in actions
        if action != rules.END
    ]
    for node, end in steps:
        after[own + node] -= 1
        if end != rules.TO_GOAL:
            after[own + end] += 1
    moves = [GroupMove(before, after, group, seat) for group in force_groups(before, seat)]
    of_node = {node: move for move in moves for node in move.group.nodes}
    for node, end in steps:
        of_node[node].add(node, end)
    return moves


def rule_labels(
    before: Position, actions: Sequence[int], rule_set: str = OURS
) -> list[tuple[ForceGroup, frozenset[str]]]:
    """Return the groups of a turn of Blue's with the categories of what each does."""
    moves = group_moves(before, actions)
    label = literal_labels_of if rule_set == LITERAL else labels_of
    return [(move.group, label(move, moves)) for move in moves]


def literal_labels_of(move: GroupMove, moves: Sequence[GroupMove]) -> frozenset[str]:
    """Apply the literal rules to one group: one or more categories, never none."""
    if not move.steps:
        return labels_of(move, moves) | {"stayInPosition"}
    labels = labels_of(move, moves) - {"outflank"}
    north, aside = 0, 0
    for (node, end), units in move.steps.items():
        if node in move.spearhead and end == node + rules.SIDE:
            north += units
        elif node in move.spearhead:
            aside += units
    if aside and aside >= north:
        labels |= {"outflank"}
    if not labels:
        onward = any(end == node + rules.SIDE for node, end in move.steps)
        labels |= {"approach" if onward else "outflank"}
    return labels


def labels_of(move: GroupMove, moves: Sequence[GroupMove]) -> frozenset[str]:
    """Apply the rules to one group; ``moves`` are those of all groups, this one included."""
    ends = move.ends
    rule_results = {
        "approach": any(
            end == node + rules.SIDE
            and move.before[rules.RED + end] == 0
            and node in move.spearhead
            for node, end in move.steps
            if end != rules.TO_GOAL
        ),
        "ensureSupply": bool(move.steps) and has_rear(ends),
        "breakSupply": has_rear(set(move.group.nodes)) and bool(ends) and min(ends) >= rules.SIDE,
        "attack": move.enters(with_own=False),
        "reinforceCombat": move.enters(with_own=True),
        "continueCombat": move.continues_combat(moves),
        "outflank": outflanks(move),
        "goToGoal": any(end == rules.TO_GOAL for _, end in move.steps),
        "concentrateForces": move.concentrates,
        "splitIntoGroups": splits(move),
        "linkUpGroups": links_up(move, moves),
        "stayInPosition": not move.steps and sum(move.group.units) >= WORTH_THE_NAME,
    }
    return frozenset(name for name, holds in rule_results.items() if holds)


def outflanks(move: GroupMove) -> bool:
    """Say whether a good part of the group evades at its head."""
    evading = sum(
        units
        for (node, end), units in move.steps.items()
        if node in move.spearhead and evades(move, node, end)
    )
    return 0 < sum(move.group.units) <= OUTFLANKING * evading


def splits(move: GroupMove) -> bool:
    """Say whether the group has become several, at least two of them worth the name."""
    number = group_after(move.after, move.seat)
    sizes: Counter[int] = Counter()
    for node, units in move.placed.items():
        sizes[number[node]] += units
    return sum(units >= WORTH_THE_NAME for units in sizes.values()) > 1


def links_up(move: GroupMove, moves: Sequence[GroupMove]) -> bool:
    """Say whether at least half of the group goes to join another."""
    others = {node for other in moves if other is not move for node in other.ends}
    joining = sum(units for (_, end), units in move.steps.items() if end in others)
    return 0 < sum(move.group.units) <= 2 * joining


def group_after(after: Position, seat: int) -> list[int]:
    """Return the number of the group of a side that holds each node."""
    numbers = np.empty(rules.NODES, dtype=np.int64)
    find_groups(after, seat, numbers)
    return [int(number) for number in numbers]


def evades(move: GroupMove, node: int, end: int) -> bool:
    """Say whether a step goes from under an exit that is held to under an open one, or back."""
    if end in (rules.TO_GOAL, node + rules.SIDE) or move.before[rules.RED + end]:
        return False
    if end == node - rules.SIDE:
        return True
    exits = move.before[rules.RED + rules.FIRST_OF_TOP_ROW :]
    return bool(exits[end % rules.SIDE] == 0 and exits[node % rules.SIDE] > 0)


def front(nodes: set[int]) -> list[int]:
    """Return the northernmost of some nodes."""
    top = max(node // rules.SIDE for node in nodes)
    return [node for node in nodes if node // rules.SIDE == top]


def has_rear(nodes: set[int]) -> bool:
    """Say whether some of the nodes lie on row 1, where supply begins, and others further north."""
    return any(node < rules.SIDE for node in nodes) and any(node >= rules.SIDE for node in nodes)
