"""How an imitation agent of Operation Lucid came to its move (report, figures 3.1 to 3.6).

The upper row of the picture is the expert's: the reference position and the one it led to. The
lower row is the board: the position as it is, what it is after the movelets taken over, and what it
is after the whole move.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sandtable.agent import Explanation
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.explanation import (
    Panel,
    fact_note,
    generated_facts,
    map_picture,
    movelet_words,
    placed_page,
    wrapped,
)
from sandtable.games.lucid.agents.imitation import ImitatedMove
from sandtable.games.lucid.drawing import svg as sheet
from sandtable.games.lucid.drawing.text import LucidDrawing
from sandtable.types import Position

__all__ = ["after_movelets", "explain_imitation"]

TITLE_SIZE = 17
PANEL_SCALE = 1.35  # the notes fill the place of a map


def after_movelets(position: Position, actions: Iterable[int]) -> Position:
    """Return the position after movelets, the turn not closed.

    >>> from sandtable.games.lucid.notation import LucidNotation
    >>> before = LucidNotation().parse_position("5/5/5/5/b2,4 b 20 4 -")
    >>> LucidNotation().position_line(after_movelets(before, [0]))
    '5/5/5/b1,4/b1,4 b 20 4 a2:1'
    """
    after = np.array(position)
    for action in actions:
        if action != rules.END:
            rules.move_units(after, action, 1)
    return after


def explain_imitation(position: Position, move: ImitatedMove) -> Explanation:
    """Show all positions from the expert's to the result, and say what was taken over and why."""
    entry = move.entry
    facts = [
        f"Reference: {entry.name}, distance {move.distance:g}",
        f"Expert's move there: {movelet_words(entry.actions)}",
        f"Taken over: {movelet_words(move.repeated)}",
        *generated_facts(move.generated, move.value),
        f"Move: {movelet_words(move.actions)}",
    ]
    drawing = LucidDrawing()
    desired = after_movelets(entry.before, entry.actions)
    result = after_movelets(position, move.actions)
    lines = [drawing.text(position), ""]
    lines += ["The expert's position (reference state):", "", drawing.text(entry.before), ""]
    lines += ["What the expert made of it (desired next state):", "", drawing.text(desired), ""]
    lines += [line for fact in facts for line in wrapped(fact, "      ")]
    lines += ["", "What comes of it here (resulting state):", "", drawing.text(result)]
    svg = states_picture(position, move, desired, result, facts)
    return Explanation(move.actions, "\n".join(lines), svg)


def states_picture(
    position: Position, move: ImitatedMove, desired: Position, result: Position, facts: list[str]
) -> str:
    """Draw the states: the expert's above, those of the board below, the facts in the corner."""
    entry = move.entry
    between = move.generated is not None and bool(move.repeated)
    expert = [
        titled_map(entry.before, "1  reference state, the expert's move", entry.actions),
        titled_map(desired, "2  desired next state"),
    ]
    board = [titled_map(position, "3  current state, the chosen move", move.actions)]
    if between:
        board.append(titled_map(move.intermediate, "4  intermediate state: movelets taken over"))
    board.append(titled_map(result, f"{5 if between else 4}  resulting state"))
    rows = ((0, expert), (sheet.HEIGHT, board))
    maps = [
        (drawn, (column * sheet.WIDTH, y)) for y, row in rows for column, drawn in enumerate(row)
    ]
    panel = Panel([fact_note("How the move came about", facts)])
    return placed_page("Imitation", maps, panel, 2 * sheet.WIDTH, PANEL_SCALE)


def titled_map(position: Position, title: str, actions: Sequence[int] = ()) -> str:
    """Draw one state with its name."""
    return map_picture(position, actions, caption=title, caption_size=TITLE_SIZE)
