"""What the Q-learner has learned, as text and as a drawing (figures 5 and 6 of the report).

A state is where the nearest opponents are, behind and ahead. Shown is the card that is worth most
in each of them with what it is worth, and what an Emergency Stop is worth more than letting a move
take effect, by turn, direction and distance. Tables with the turn in their state are shown for the
first turn, those with enemies' cards for the case that no known one would turn the ship round, and
joint actions on average over what the opponent plays. A network has no such states to show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.q_learning import joint_actions
from sandtable.games.gravwell.agents.q_learning.states import (
    DANGERS,
    DISTANCES,
    ENEMY_CARDS,
    FARTHER,
    JOINT,
    NETWORK,
    STOP_DISTANCES,
)
from sandtable.games.gravwell.agents.q_learning.tables import QTables
from sandtable.games.gravwell.cards import CARDS, NAMES
from sandtable.games.gravwell.drawing.trees import FONTS, PAPER, Branch, TreeNode, forest_svg
from sandtable.pictures import INK, tag, text

__all__ = [
    "CELL",
    "LEFT",
    "cell",
    "distance_name",
    "shade",
    "sheet",
    "state_values",
    "stop_gains",
    "stop_process_svg",
    "tables_svg",
    "tables_text",
]

CELL, LEFT, TOP = 46, 92, 96
GOOD, BAD = (43, 108, 163), (181, 70, 47)


def distance_name(distance: int) -> str:
    """Write a distance as states have it.

    >>> [distance_name(each) for each in (0, 7, 11)]
    ['none', '7', 'farther']
    """
    return "none" if distance == 0 else "farther" if distance == FARTHER else str(distance)


def state_values(tables: QTables) -> NDArray[np.float32]:
    """Return the values [behind, ahead, card] of the states that are shown."""
    if tables.switches & NETWORK:
        return np.zeros((DISTANCES, DISTANCES, CARDS), dtype=np.float32)  # it has no such states
    if tables.switches & JOINT:
        joint = tables.cards[: -joint_actions.BELIEFS]
        classes = joint.reshape(DISTANCES, DISTANCES, CARDS, joint_actions.CLASSES)
        means: NDArray[np.float32] = classes.mean(axis=-1)
        return means
    dangers = DANGERS if tables.switches & ENEMY_CARDS else 1
    first = tables.cards[: DISTANCES * DISTANCES * dangers * CARDS]
    return first.reshape(DISTANCES, DISTANCES, dangers, CARDS)[:, :, 0]


def stop_gains(tables: QTables) -> NDArray[np.float32]:
    """Return what stopping is worth more than going [turn, forward, distance - 1]."""
    values = tables.stops.reshape(layout.TURNS, 2, STOP_DISTANCES, 2)
    gains: NDArray[np.float32] = values[..., 1] - values[..., 0]
    return gains


def best_of(values: NDArray[np.float32]) -> tuple[str, float] | None:
    """Return the card worth most in a state; None where nothing was learned."""
    known = np.flatnonzero(values)
    if not len(known):
        return None
    best = int(known[values[known].argmax()])
    return NAMES[best], float(values[best])


def tables_text(tables: QTables) -> str:
    """Write both tables."""
    values, gains = state_values(tables), stop_gains(tables)
    names = [distance_name(each) for each in range(DISTANCES)]
    lines = [
        "The card worth most in each state, and its worth in tiles",
        "rows: nearest opponent behind, columns: nearest one ahead",
        "".join(f"{word:>8}" for word in ("", *names)),
    ]
    for behind in range(DISTANCES):
        cells = []
        for ahead in range(DISTANCES):
            found = best_of(values[behind, ahead])
            cells.append("." if found is None else f"{found[0]} {found[1]:.0f}")
        lines.append("".join(f"{word:>8}" for word in (names[behind], *cells)))
    lines += ["", "What stopping is worth more than letting the move take effect, in tiles"]
    if not tables.stop:
        return "\n".join([*lines, "  these tables never stop"])
    heads = [f"back {distance}" for distance in range(STOP_DISTANCES, 0, -1)]
    lines.append("".join(f"{word:>8}" for word in ("", *heads, "ahead 1")))
    for turn in range(layout.TURNS):
        row = [*gains[turn, 0, ::-1], gains[turn, 1, 0]]
        lines.append(f"{f'turn {turn + 1}':>8}" + "".join(f"{gain:>8.1f}" for gain in row))
    return "\n".join(lines)


def shade(value: float, largest: float) -> str:
    """Return the colour of a value: blue gains, red losses, the paler the smaller."""
    part = math.sqrt(min(1.0, abs(value) / largest)) if largest > 0 else 0.0
    colour = GOOD if value >= 0 else BAD
    red, green, blue = (round(255 + (end - 255) * 0.75 * part) for end in colour)
    return f"#{red:02x}{green:02x}{blue:02x}"


def cell(column: int, row: int, words: Sequence[str], fill: str, y: float) -> list[str]:
    """Draw one cell of a table."""
    x, top = LEFT + column * CELL, y + row * CELL
    parts = [
        tag("rect", x=x, y=top, width=CELL - 2, height=CELL - 2, fill=fill, rx=3),
    ]
    for index, word in enumerate(words):
        place = top + 19 + 15 * index
        parts.append(text(x + CELL / 2 - 1, place, word, 12, text_anchor="middle"))
    return parts


def tables_svg(tables: QTables) -> str:
    """Draw both tables: a square a state, blue for gains and red for losses."""
    values, gains = state_values(tables), stop_gains(tables)
    bests = [[best_of(values[b, a]) for a in range(DISTANCES)] for b in range(DISTANCES)]
    largest = max((abs(each[1]) for row in bests for each in row if each), default=1.0)
    names = [distance_name(each) for each in range(DISTANCES)]
    parts = [text(LEFT, 30, "The card worth most in each state, and its worth in tiles", 17)]
    parts.append(text(LEFT, TOP - 34, "nearest opponent ahead, seen exactly up to 10 tiles", 13))
    parts.append(text(10, TOP - 12, "behind", 13))
    for index, name in enumerate(names):
        middle = LEFT + CELL * (index + 0.5)
        parts.append(text(middle, TOP - 12, name, 12, text_anchor="middle"))
        parts.append(text(LEFT - 12, TOP + CELL * (index + 0.55), name, 12, text_anchor="end"))
    for behind, row in enumerate(bests):
        for ahead, found in enumerate(row):
            words = () if found is None else (found[0], f"{found[1]:.0f}")
            fill = "#eeeadd" if found is None else shade(found[1], largest)
            parts += cell(ahead, behind, words, fill, TOP)
    bottom = TOP + DISTANCES * CELL
    if tables.stop:
        parts += stop_table(gains, bottom + 70)
        bottom += 80 + layout.TURNS * CELL
    return sheet(LEFT + (2 * STOP_DISTANCES) * CELL + 24, bottom + 24, parts)


def sheet(width: float, height: float, parts: Sequence[str]) -> str:
    """Return a drawing of this size as a whole document.

    >>> sheet(10, 20, ())[:4]
    '<svg'
    """
    paper = tag("rect", x=0, y=0, width=width, height=height, fill=PAPER)
    return tag(
        "svg",
        paper,
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        font_family=FONTS,
        fill=INK,
    )


def stop_table(gains: NDArray[np.float32], top: float) -> list[str]:
    """Draw what stopping is worth, a row a turn; distances back on the left, ahead on the right."""
    title = "What stopping is worth more than letting the move take effect, in tiles"
    parts = [text(LEFT, top - 36, title, 17)]
    columns = [(0, distance) for distance in range(STOP_DISTANCES, 0, -1)]
    columns += [(1, distance) for distance in range(1, STOP_DISTANCES + 1)]
    largest = float(np.abs(gains).max()) or 1.0
    for column, (forward, distance) in enumerate(columns):
        middle = LEFT + CELL * (column + 0.5)
        words = f"{'ahead' if forward else 'back'} {distance}"
        parts.append(text(middle, top - 10, words, 11, text_anchor="middle"))
        for turn in range(layout.TURNS):
            gain = float(gains[turn, forward, distance - 1])
            parts += cell(column, turn, (f"{gain:.1f}",), shade(gain, largest), top)
    for turn in range(layout.TURNS):
        place = top + CELL * (turn + 0.55)
        parts.append(text(LEFT - 12, place, f"turn {turn + 1}", 12, text_anchor="end"))
    return parts


def stop_process_svg(tables: QTables, losses: Sequence[int] = (2, 3, 6)) -> str:
    """Draw one of the decision processes of the stop: losses as they come, one a turn.

    >>> from sandtable.games.gravwell.agents.q_learning.tables import load_tables
    >>> "turn 2: back 3" in stop_process_svg(load_tables("published"))
    True
    """
    values = tables.stops.reshape(layout.TURNS, 2, STOP_DISTANCES, 2)
    node = TreeNode("the round goes on: 0")
    for turn in range(len(losses) - 1, -1, -1):
        go, stop = (float(each) for each in values[turn, 0, losses[turn] - 1])
        branches = (
            Branch(f"stop, worth {stop:.1f}", TreeNode(f"reward {losses[turn]}, stop used")),
            Branch(f"go, worth {go:.1f}", node),
        )
        node = TreeNode(f"turn {turn + 1}: back {losses[turn]}", branches)
    return forest_svg([("Saving the Emergency Stop, or using it", node)])
