"""How an agent comes to its move, told by whatever it can tell: its own explanation, or its values.

An agent that values the moves it has (``analyse``) needs nothing more to be explained: what it saw
is the view, what it weighed are the moves with their values, what it decided is the best of them.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Mapping
from xml.sax.saxutils import escape

from sandtable.agent import Agent, Analysis, Candidate, Explanation, offers
from sandtable.agents.human.turn import compact
from sandtable.dice import Dice
from sandtable.pictures import box, tag, text
from sandtable.types import Game, State

__all__ = ["can_explain", "explanation", "told_by_values"]

SHOWN = 10  # moves, and places with beliefs
SCALES = {"chance": "chance to win", "score": "final score", "own": "value, in its own unit"}
BAR, LINE_WIDTH = 24, 76  # characters

# The picture.
PANEL, LINE, MARGIN = 420.0, 26.0, 24.0
BAR_LEFT, BAR_WIDTH = 190.0, 130.0
PAPER, TRACK, FILL = "#fbfaf5", "#e3e0d4", "#2f6fd0"
LONGEST_NAME = 22


def can_explain(agent: object) -> bool:
    """Say whether an agent, or its class, can tell how it comes to its moves.

    >>> from sandtable.agents.random import Random
    >>> can_explain(Random)
    False
    """
    return offers(agent, "explain") or offers(agent, "analyse")


def explanation(agent: Agent, view: State, dice: Dice) -> Explanation | None:
    """Return how an agent comes to its move in the view of the seat that is to move."""
    if offers(agent, "explain"):
        return agent.explain(view, dice)
    analysis = agent.analyse(view, dice)
    return None if analysis is None else told_by_values(view, analysis)


def told_by_values(view: State, analysis: Analysis) -> Explanation | None:
    """Return values as an explanation; None: there is nothing in them.

    >>> from sandtable.registry import make_game
    >>> view = make_game("skirmish").start(Dice(0))
    >>> best = Candidate((view.legal[0],), value=0.75)
    >>> told_by_values(view, Analysis("chance", 0.75, (best,))).actions == best.actions
    True
    """
    if not analysis.candidates:
        return None
    game = view.game
    lines = [game.drawing.text(view.position), ""]
    lines.append(f"What it sees: {game.seats[view.turn]} is to move; {view.line}")
    if analysis.value is not None:
        lines.append(f"What it makes of it: {analysis.value:.3f} ({SCALES[analysis.scale]})")
    lines += belief_lines(analysis.beliefs)
    counted = len(analysis.candidates)
    lines.append(f"What it weighs: {counted} {'move' if counted == 1 else 'moves'}")
    length = lengths(analysis.candidates)
    shown = {each: compact(game, list(each.actions)) for each in analysis.candidates[:SHOWN]}
    wide = max(map(len, shown.values()))
    for each, name in shown.items():
        if wide > LONGEST_NAME:  # whole turns of many actions have a line of their own
            lines += textwrap.wrap(name, LINE_WIDTH, initial_indent="  ", subsequent_indent="  ")
        place = " " * 4 if wide > LONGEST_NAME else f"  {name:{wide}}  "
        lines.append(f"{place}{figures(each):16}  {'#' * round(BAR * length(each))}".rstrip())
    if counted > SHOWN:
        lines.append(f"  and {counted - SHOWN} more")
    decided = compact(game, list(analysis.candidates[0].actions))
    lines.append(f"What it decides: {decided}")
    picture = beside_board(game, view, analysis, length)
    return Explanation(tuple(analysis.candidates[0].actions), "\n".join(lines), picture)


def belief_lines(beliefs: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return what it takes hidden things for, the surest first.

    >>> belief_lines({"a1": {"bomb": 0.8, "flag": 0.2}})
    ['What it believes:', '  a1: bomb 80%, flag 20%']
    """
    surest = sorted(beliefs.items(), key=lambda each: -max(each[1].values(), default=0.0))
    lines = []
    for place, chances in surest[:SHOWN]:
        best = sorted(chances.items(), key=lambda each: -each[1])[:3]
        lines.append(f"  {place}: " + ", ".join(f"{what} {share:.0%}" for what, share in best))
    return ["What it believes:", *lines] if lines else []


def figures(candidate: Candidate) -> str:
    """Return what is known of a move: its value, and how likely it is played.

    >>> figures(Candidate((3,), value=0.5, share=0.25))
    '+0.500  25.0%'
    """
    value = "" if candidate.value is None else f"{candidate.value:+.3f}"
    share = "" if candidate.share is None else f"{candidate.share:.1%}"
    return "  ".join(each for each in (value, share) if each)


def lengths(candidates: tuple[Candidate, ...]) -> Callable[[Candidate], float]:
    """Return how long the bar of a move is, between 0 and 1: its share, or its value among all."""
    if candidates[0].share is not None:
        most = max(each.share or 0.0 for each in candidates) or 1.0
        return lambda each: (each.share or 0.0) / most
    # A search that sees the end may value it as infinite: such bars are whole or have no length.
    values = [each.value for each in candidates if each.value is not None]
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)

    def length(candidate: Candidate) -> float:
        value = candidate.value or 0.0
        if not math.isfinite(value):
            return float(value > 0)
        return 1.0 if high == low else 0.05 + 0.95 * (value - low) / (high - low)

    return length


def beside_board(
    game: Game, view: State, analysis: Analysis, length: Callable[[Candidate], float]
) -> str:
    """Draw the view, and beside it the moves with their bars."""
    board = game.drawing.svg(view.position)
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', board)
    wide, high = (float(size[1]), float(size[2])) if size else (760.0, 760.0)
    value = "" if analysis.value is None else f": {analysis.value:.3f} ({SCALES[analysis.scale]})"
    left = wide + MARGIN
    parts = [text(left, 48, f"{game.seats[view.turn]} to move{value}", 16, font_weight="bold")]
    for index, each in enumerate(analysis.candidates[:SHOWN]):
        y = 84 + LINE * index
        name = compact(game, list(each.actions))
        shown = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
        middle, across = left + BAR_LEFT + BAR_WIDTH / 2, BAR_WIDTH * max(length(each), 0.01)
        parts += [
            text(left, y + 5, shown, 14, font_weight="bold" if index == 0 else "normal"),
            box(middle, y, BAR_WIDTH, 12, fill=TRACK),
            box(left + BAR_LEFT + across / 2, y, across, 12, fill=FILL),
            text(left + BAR_LEFT + BAR_WIDTH + 10, y + 5, figures(each), 13),
        ]
    total = wide + PANEL + MARGIN
    return tag(
        "svg",
        tag("title", escape(f"How {game.seats[view.turn]} decides")),
        tag("rect", width=total, height=high, fill=PAPER),
        board,
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {total:g} {high:g}",
        width=total,
        height=high,
        role="img",
        font_family="Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif",
    )
