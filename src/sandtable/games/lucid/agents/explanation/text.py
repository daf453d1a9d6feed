"""How agents of Operation Lucid came to their moves, in words and in pictures."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from sandtable.agent import Explanation
from sandtable.agents.human.turn import compact
from sandtable.games.lucid.agents.categories import CATEGORIES
from sandtable.games.lucid.agents.constraint import PlannedMove
from sandtable.games.lucid.agents.explanation.svg import (
    Bar,
    Note,
    Panel,
    colour_of,
    map_picture,
    page,
)
from sandtable.games.lucid.agents.force_groups import FEATURE_NAMES
from sandtable.games.lucid.agents.imitation.agent import ImitatedMove
from sandtable.games.lucid.agents.orders import Order
from sandtable.games.lucid.agents.semantic.agent import GroupDecision, SemanticMove
from sandtable.games.lucid.drawing.text import LucidDrawing
from sandtable.games.lucid.notation import node_name
from sandtable.games.lucid.placements.demands import Demand, Generated
from sandtable.games.lucid.rules import END, NODES, SIDE, TO_GOAL
from sandtable.registry import make_game
from sandtable.types import Position

__all__ = ["explain_imitation", "explain_plan", "explain_semantic"]

WIDTH = 76
FEATURES_IN_A_ROW = 2
PANEL_CHARACTERS = 74


def words(actions: Sequence[int]) -> str:
    """Write movelets in a row."""
    movelets = [action for action in actions if action != END]
    return compact(make_game("lucid"), movelets) or "nobody moves"


def wrapped(line: str, indent: str = "") -> list[str]:
    """Break a long line."""
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


# --- the semantic agent --------------------------------------------------------------------------


def explain_semantic(position: Position, move: SemanticMove) -> Explanation:
    """Show groups, features, the networks' answers, and the orders they led to."""
    lines = [LucidDrawing().text(position), ""]
    notes = []
    for number, each in enumerate(move.groups):
        orders = [order for order in move.orders if order.node in each.group.nodes]
        title = f"Group {number + 1}: {each.group.key} ({counted(sum(each.group.units))})"
        chosen = f"chosen: {', '.join(each.chosen)}"
        lines += [title, *feature_lines(each, FEATURES_IN_A_ROW), f"  {chosen}"]
        lines += wrapped(f"  outputs: {output_words(each)}", " " * 11)
        lines += [f"  {order_words(order)}" for order in orders] + [""]
        told = [*short_feature_lines(each), *(order_words(order) for order in orders)]
        notes.append(Note(title, told, output_bars(each), colour_of(number)))
    lines += wrapped(f"Move: {words(move.actions)}", "      ")
    groups = [each.group.nodes for each in move.groups]
    picture = map_picture(position, move.actions, groups, "arrows: the chosen move")
    svg = page("Semantic agent", [picture], Panel(notes))
    return Explanation(move.actions, "\n".join(lines), svg)


def feature_lines(decision: GroupDecision, columns: int) -> list[str]:
    """Write the features of a group, several in a row."""
    cells = [
        f"{name}: {value:g}"
        for name, value in zip(FEATURE_NAMES, decision.group.features.round(2), strict=True)
    ]
    rows = [cells[index : index + columns] for index in range(0, len(cells), columns)]
    return ["  " + "".join(f"{cell:34}" for cell in row).rstrip() for row in rows]


def short_feature_lines(decision: GroupDecision) -> list[str]:
    """Write the features one below the other, the exits in pairs."""
    values = [f"{value:g}" for value in decision.group.features.round(2)]
    exits = [
        f"exit {rank + 1}: distance {values[2 * rank]}, resistance {values[2 * rank + 1]}"
        for rank in range(SIDE)
    ]
    others = zip(FEATURE_NAMES[2 * SIDE :], values[2 * SIDE :], strict=True)
    return exits + [f"{name}: {value}" for name, value in others]


def counted(units: int) -> str:
    """Write a number of units."""
    return f"{units} unit{'s' if units > 1 else ''}"


def output_words(decision: GroupDecision) -> str:
    """Write the networks' answers, the most certain first."""
    pairs = sorted(zip(decision.outputs, CATEGORIES, strict=True), reverse=True)
    return ", ".join(f"{name} {value:.2f}" for value, name in pairs)


def output_bars(decision: GroupDecision) -> list[Bar]:
    """Draw the networks' answers in the order of the categories."""
    return [
        Bar(name, float(value), name in decision.chosen)
        for name, value in zip(CATEGORIES, decision.outputs, strict=True)
    ]


def order_words(order: Order) -> str:
    """Write what units of a node were told to do."""
    units = counted(order.units)
    if order.end == order.node:
        return f"{order.category}: {units} on {node_name(order.node)} stay"
    return f"{order.category}: {units} {node_name(order.node)}-{node_name(order.end)}"


# --- imitation and constraint agents -------------------------------------------------------------


def explain_imitation(position: Position, move: ImitatedMove) -> Explanation:
    """Show the reference position, its distance, what was taken over, and what was demanded."""
    entry = move.entry
    facts = [
        f"Reference: {entry.name}, distance {move.distance}",
        f"Expert's move there: {words(entry.actions)}",
        f"Taken over: {words(move.repeated)}",
        *generated_facts(move.generated, move.value),
        f"Move: {words(move.actions)}",
    ]
    lines = [LucidDrawing().text(position), "", "The expert's position:", ""]
    lines += [LucidDrawing().text(entry.before), ""]
    lines += [line for fact in facts for line in wrapped(fact, "      ")]
    here = map_picture(position, move.actions, caption="this position and the chosen move")
    caption = f"{entry.name}, distance {move.distance}"
    there = map_picture(entry.before, entry.actions, caption=caption)
    svg = page("Imitation", [here, there], Panel([fact_note("How the move came about", facts)]))
    return Explanation(move.actions, "\n".join(lines), svg)


def explain_plan(position: Position, move: PlannedMove) -> Explanation:
    """Show the demands of the plan, how they were met, and the chosen move."""
    facts = [
        f"Plan: {'; '.join(demand_words(each) for each in move.plan) or 'no demands'}",
        *generated_facts(move.generated, move.value),
        f"Move: {words(move.actions)}",
    ]
    lines = [LucidDrawing().text(position), ""]
    lines += [line for fact in facts for line in wrapped(fact, "      ")]
    picture = map_picture(position, move.actions, caption="arrows: the chosen move")
    svg = page("Constraints", [picture], Panel([fact_note("How the move came about", facts)]))
    return Explanation(move.actions, "\n".join(lines), svg)


def generated_facts(generated: Generated | None, value: float | None) -> list[str]:
    """Say which placements were looked at."""
    if generated is None or value is None:
        return []
    kept = [each for each in generated.demands if each.units > 0]
    met = "; ".join(demand_words(each) for each in kept) or "nothing"
    how = "all that meet the demands" if generated.complete else "drawn from those that meet them"
    return [
        f"Demands met: {met} ({generated.relaxed} units taken off)",
        f"Placements: {len(generated.codes):,}, {how}",
        f"Value of the best: {value:.2f} units in the goal at the end",
    ]


def demand_words(demand: Demand) -> str:
    """Write a demand: ``2 on b3``, ``12 on rows 2 and north``."""
    rows = sorted({node // SIDE for node in demand.nodes if node != TO_GOAL})
    if demand.nodes == {TO_GOAL}:
        return f"{demand.units} into the goal"
    if len(demand.nodes) == 1:
        return f"{demand.units} on {node_name(min(demand.nodes))}"
    if demand.nodes == frozenset(range(rows[0] * SIDE, TO_GOAL + 1)):
        return f"{demand.units} on row {rows[0] + 1} and north of it"
    if demand.nodes == frozenset(range(rows[0] * SIDE, NODES)):
        return f"{demand.units} on rows {rows[0] + 1} to {SIDE}"
    names = " ".join(node_name(node) for node in sorted(demand.nodes))
    return f"{demand.units} on {names}"


def fact_note(title: str, facts: Sequence[str]) -> Note:
    """Put facts into a note, broken to its width."""
    lines = [
        line
        for fact in facts
        for line in textwrap.wrap(
            fact, PANEL_CHARACTERS, subsequent_indent="  ", break_on_hyphens=False
        )
    ]
    return Note(title, lines)
