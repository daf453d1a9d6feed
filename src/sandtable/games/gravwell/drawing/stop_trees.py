"""The trees of Emergency Stops (figures 1 and 2 of the report): who can still stop, by turn."""

from __future__ import annotations

import itertools

from sandtable.games.gravwell.drawing.trees import Branch, TreeNode, forest_svg

__all__ = ["counted_stops", "named_stops", "stop_trees_svg"]


def counted_stops(able: int, turns: int) -> TreeNode:
    """Return how the number of those who can still stop may go down.

    >>> [branch.node.words for branch in counted_stops(2, 1).branches]
    ['2', '1', '0']
    """
    if turns == 0:
        return TreeNode(str(able))
    after = (counted_stops(left, turns - 1) for left in range(able, -1, -1))
    return TreeNode(str(able), tuple(Branch("", node) for node in after))


def named_stops(able: str, turns: int) -> TreeNode:
    """Return the same with regard to who it is: T can still stop, F cannot.

    >>> [branch.node.words for branch in named_stops("TT", 1).branches]
    ['TT', 'TF', 'FT', 'FF']
    """
    if turns == 0:
        return TreeNode(able)
    choices = itertools.product(*("TF" if letter == "T" else "F" for letter in able))
    after = (named_stops("".join(letters), turns - 1) for letters in choices)
    return TreeNode(able, tuple(Branch("", node) for node in after))


def stop_trees_svg() -> str:
    """Draw both figures."""
    trees = [
        (f"{players} players, two turns: how many can still stop", counted_stops(players, 2))
        for players in (2, 3, 4)
    ]
    trees.append(("2 players, three turns: who can (T) still stop", named_stops("TT", 3)))
    return forest_svg(trees)
