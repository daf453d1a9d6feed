"""Trees as SVG drawings: questions with their answers, and ways in which something can go on."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sandtable.pictures import INK, box, line, moved_to, tag, text

__all__ = ["FONTS", "PAPER", "Branch", "TreeNode", "forest_svg"]

FONTS = "Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
PAPER, FAINT = "#f6f2e7", "#9d9580"
INNER_FILL, LEAF_FILL, MARKED = "#fbf9f1", "#e3ead2", "#b5462f"
SIZE, LINE, LETTER = 12.0, 15.0, 6.3  # of the letters, between lines, width of a letter
ACROSS, DOWN, EDGE, TITLE = 14.0, 34.0, 24.0, 30.0
WRAP = 18  # letters in a line of a box


@dataclass(frozen=True)
class TreeNode:
    """A box with words and what comes below it.

    >>> TreeNode("stuck?", (Branch("yes", TreeNode("any card")),)).branches[0].label
    'yes'
    """

    words: str
    branches: tuple[Branch, ...] = ()
    marked: bool = False  # on the way that was taken


@dataclass(frozen=True)
class Branch:
    """The line from a box to one below it."""

    label: str
    node: TreeNode


@dataclass(frozen=True)
class Sized:
    """A node with the room it takes; ``middle`` is where its box stands, from the left."""

    node: TreeNode
    lines: tuple[str, ...]
    parts: tuple[Sized, ...]
    width: float
    middle: float

    @property
    def box_width(self) -> float:
        """The width of the box."""
        return box_width(self.lines)

    @property
    def box_height(self) -> float:
        """The height of the box."""
        return len(self.lines) * LINE + 8

    @property
    def height(self) -> float:
        """The height with all below it."""
        return self.box_height + max((DOWN + part.height for part in self.parts), default=0.0)


def box_width(lines: Sequence[str]) -> float:
    """Return how wide a box with these lines is."""
    return max(len(each) for each in lines) * LETTER + 16


def sized(node: TreeNode) -> Sized:
    """Find out how much room a node and all below it take."""
    lines = tuple(textwrap.wrap(node.words, WRAP)) or ("",)
    parts = tuple(sized(branch.node) for branch in node.branches)
    own = box_width(lines)
    below = sum(part.width for part in parts) + ACROSS * max(0, len(parts) - 1)
    width = max(own, below)
    if not parts:
        return Sized(node, lines, parts, width, width / 2)
    begin = (width - below) / 2
    first = begin + parts[0].middle
    last = begin + below - parts[-1].width + parts[-1].middle
    return Sized(node, lines, parts, width, min(max((first + last) / 2, own / 2), width - own / 2))


def stroke(marked: bool) -> dict[str, Any]:
    """Return how a line is drawn, strongly on the way that was taken."""
    return {"stroke": MARKED if marked else FAINT, "stroke_width": 2.4 if marked else 1.0}


def drawn(tree: Sized, x: float, y: float) -> list[str]:
    """Draw a node whose room begins at this corner, its lines first."""
    bottom, middle = y + tree.box_height, x + tree.middle
    found = []
    below = sum(part.width for part in tree.parts) + ACROSS * max(0, len(tree.parts) - 1)
    left = x + (tree.width - below) / 2
    for part, branch in zip(tree.parts, tree.node.branches, strict=True):
        there, top = left + part.middle, bottom + DOWN
        taken = tree.node.marked and branch.node.marked
        look = stroke(taken)
        found.append(line(middle, bottom, there, top, **look))
        where = (middle + 2 * there) / 3, bottom + DOWN * 2 / 3 + 4
        found.append(text(*where, branch.label, SIZE - 2, text_anchor="middle", fill=INK))
        found += drawn(part, left, top)
        left += part.width + ACROSS
    fill = INNER_FILL if tree.parts else LEAF_FILL
    marked = tree.node.marked
    size = tree.box_width, tree.box_height
    found.append(box(middle, y + size[1] / 2, *size, fill=fill, rx=5, **stroke(marked)))
    for row, words in enumerate(tree.lines):
        found.append(text(middle, y + LINE * (row + 1), words, SIZE, text_anchor="middle"))
    return found


def forest_svg(trees: Sequence[tuple[str, TreeNode]]) -> str:
    """Draw trees below each other, each with a title.

    >>> forest_svg([("Stop", TreeNode("back?"))]).count("<text")
    2
    """
    found, y, width = [], EDGE, 0.0
    for title, tree in trees:
        room = sized(tree)
        found.append(text(EDGE, y + 14, title, 16, font_weight="bold"))
        found.append(moved_to(EDGE, y + TITLE, *drawn(room, 0.0, 0.0)))
        y += TITLE + room.height + EDGE
        width = max(width, room.width, len(title) * 9.0)
    width += 2 * EDGE
    paper = tag("rect", x=0, y=0, width=width, height=y, fill=PAPER)
    return tag(
        "svg",
        paper,
        *found,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {y:g}",
        width=width,
        height=y,
        font_family=FONTS,
    )
