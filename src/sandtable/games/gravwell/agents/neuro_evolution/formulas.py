"""Evolved networks as people can read them: as formulas, with chains of sums and products joined.

Evolution makes long chains of nodes with two sources each. What is shown is the same arithmetic
with fewer steps: a sum of sums is one sum, a product of products one product, and the input
``one`` is a number. (That values are kept within bounds, see networks.LARGEST, is not shown.)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sandtable.games.gravwell.agents.neuro_evolution.brain import (
    NETWORK_INPUTS,
    Brain,
    output_names,
    value_name,
)
from sandtable.games.gravwell.agents.neuro_evolution.networks import (
    ADD,
    DIVIDE,
    MAXIMUM,
    MINIMUM,
    MODULO,
    MULTIPLY,
    SUBTRACT,
    Network,
    Node,
    reached,
)

__all__ = [
    "ONE",
    "PRODUCT",
    "PURPOSES",
    "SUM",
    "Formula",
    "Sheet",
    "brain_lines",
    "name_of",
    "number_text",
    "sheet_of",
]

SUM, PRODUCT, LEAST, MOST = "+", "\N{MULTIPLICATION SIGN}", "min", "max"
SUMS, ONE = (ADD, SUBTRACT), "one"
SIGNS = {MINIMUM: LEAST, MAXIMUM: MOST, DIVIDE: "quotient", MODULO: "remainder"}
PURPOSES = {
    "hand": "plays the card in the place with the highest output",
    "card": "plays the card with the highest output",
    "stack": "takes the stack with the highest output",
    "stop": "uses the Emergency Stop when the output is above 0",
}


@dataclass(eq=False)
class Formula:
    """One step: a sum, product, least, most and so on of terms, each a value times a weight.

    Two formulas are equal only if they are the same one.
    """

    sign: str
    name: str = ""  # by which other formulas know it; empty: only an output uses it
    number: float = 0.0  # that is added, or by which a product is multiplied
    terms: list[tuple[str | Formula, float]] = field(default_factory=list)

    def layer(self) -> int:
        """Return 1 for formulas of inputs only, more for those of others."""
        return 1 + max((of.layer() for of, _ in self.terms if isinstance(of, Formula)), default=0)


@dataclass(frozen=True)
class Sheet:
    """A network in formulas."""

    kind: str
    outputs: tuple[tuple[str, str | Formula], ...]  # name of the output; an input, or a formula
    formulas: tuple[Formula, ...]  # every one after those it uses
    nodes: int

    @property
    def title(self) -> str:
        """Say what the network is for, and how large it is."""
        values = {of for formula in self.formulas for of, _ in formula.terms}
        values |= {of for _, of in self.outputs}
        used = sum(isinstance(of, str) and of != ONE for of in values)
        size = f"{self.nodes} {'node' if self.nodes == 1 else 'nodes'}"
        inputs = f"{used} {'input' if used == 1 else 'inputs'}"
        return f"{self.kind}: {PURPOSES[self.kind]} ({size}, {inputs} in use)"


class Reader:
    """Turns the nodes of one network into formulas."""

    def __init__(self, kind: str, network: Network) -> None:
        self.kind, self.network = kind, network
        self.one = NETWORK_INPUTS[kind].index(ONE) if ONE in NETWORK_INPUTS[kind] else None
        self.uses = Counter(network.outputs)
        for value in reached(network, network.outputs):
            if not network.is_input(value):
                self.uses.update(network.node(value).sources)
        self.made: dict[int, Formula] = {}

    def of(self, value: int) -> str | Formula:
        """Return an input's name, or the formula of a node."""
        if self.network.is_input(value):
            return value_name(self.kind, value)
        if value not in self.made:
            formula = self.formula(self.network.node(value))
            self.made[value] = formula
        return self.made[value]

    def formula(self, node: Node) -> Formula:
        """Return the formula of a node."""
        if node.operation == MULTIPLY:
            formula = Formula(PRODUCT, number=1.0)
            self.multiply(formula, node)
            if len(formula.terms) > 1:
                return formula
            terms = [(of, formula.number) for of, _ in formula.terms]
            return Formula(SUM, number=0.0 if terms else formula.number, terms=terms)
        if node.operation in SUMS:
            formula = Formula(SUM)
            self.add(formula, node, 1.0)
            return formula
        sources = zip(node.sources, node.weights, strict=True)
        terms = [(self.of(source), weight) for source, weight in sources]
        return Formula(SIGNS[node.operation], terms=terms)

    def add(self, formula: Formula, node: Node, factor: float) -> None:
        """Add the terms of a node, and of sums in it that nothing else uses."""
        signs = (1.0, -1.0 if node.operation == SUBTRACT else 1.0)
        for source, weight, sign in zip(node.sources, node.weights, signs, strict=True):
            times = factor * sign * weight
            if source == self.one:
                formula.number += times
            elif self.is_part(source, SUMS):
                self.add(formula, self.network.node(source), times)
            else:
                add_term(formula, self.of(source), times)

    def multiply(self, formula: Formula, node: Node) -> None:
        """Multiply by the factors of a node, and of products in it that nothing else uses."""
        formula.number *= node.weights[0] * node.weights[1]
        for source in node.sources:
            if self.is_part(source, (MULTIPLY,)):
                self.multiply(formula, self.network.node(source))
            elif source != self.one:
                formula.terms.append((self.of(source), 1.0))

    def is_part(self, value: int, operations: tuple[int, ...]) -> bool:
        """Say whether a value is a node with such an operation that has one user only."""
        if self.network.is_input(value) or self.uses[value] > 1:
            return False
        return self.network.node(value).operation in operations


def add_term(formula: Formula, of: str | Formula, weight: float) -> None:
    """Add a value times a weight to a sum, joined with what is there of it already."""
    for place, (known, before) in enumerate(formula.terms):
        if known == of:
            formula.terms[place] = (of, before + weight)
            return
    formula.terms.append((of, weight))


def sheet_of(kind: str, network: Network) -> Sheet:
    """Return a network as formulas; those that others use are named a, b, c and so on."""
    reader = Reader(kind, network)
    values = [reader.of(value) for value in network.outputs]
    formulas: list[Formula] = []
    for of in values:
        collect(of, formulas)
    uses = Counter(of for formula in formulas for of, _ in formula.terms) + Counter(values)
    named = [each for each in formulas if each not in values or uses[each] > 1]
    for number, formula in enumerate(named):
        formula.name = letters(number)
    names = output_names(kind, len(values))
    return Sheet(kind, tuple(zip(names, values, strict=True)), tuple(formulas), len(network.nodes))


def collect(of: str | Formula, formulas: list[Formula]) -> None:
    """Add a formula to the list, after those that it uses."""
    if isinstance(of, str) or of in formulas:
        return
    for part, _ in of.terms:
        collect(part, formulas)
    formulas.append(of)


def letters(number: int) -> str:
    """Return a name for a formula.

    >>> letters(0), letters(27)
    ('a', 'b2')
    """
    again, letter = divmod(number, 26)
    return chr(ord("a") + letter) + (str(again + 1) if again else "")


def number_text(value: float) -> str:
    """Return a number with as many digits as a reader wants.

    >>> number_text(0.12345)
    '0.123'
    """
    return f"{value:.3g}"


def name_of(of: str | Formula) -> str:
    """Return how a value is called."""
    return of if isinstance(of, str) else of.name


def formula_text(formula: Formula) -> str:
    """Return a formula in one line."""
    if formula.sign == PRODUCT:
        factors = [name_of(of) for of, _ in formula.terms]
        first = [] if formula.number == 1.0 else [number_text(formula.number)]
        return " * ".join(first + factors)
    if formula.sign in SIGNS.values():
        return f"{formula.sign}({', '.join(term_text(of, weight) for of, weight in formula.terms)})"
    written = ""
    for of, weight in formula.terms:
        sign = ("-" if weight < 0 else "") if not written else (" - " if weight < 0 else " + ")
        written += sign + term_text(of, abs(weight))
    if formula.number or not written:
        sign = (" - " if formula.number < 0 else " + ") if written else ""
        written += sign + number_text(abs(formula.number) if sign else formula.number)
    return written


def term_text(of: str | Formula, weight: float) -> str:
    """Return a value times a weight; ``one`` is the weight itself."""
    if of == ONE:
        return number_text(weight)
    return name_of(of) if weight == 1.0 else f"{number_text(weight)} {name_of(of)}"


def brain_lines(brain: Brain) -> str:
    """Return all networks of a brain as text."""
    parts = []
    for kind, network in brain._asdict().items():
        if network is None:
            continue
        sheet = sheet_of(kind, network)
        lines = [sheet.title]
        named = [(each.name, formula_text(each)) for each in sheet.formulas if each.name]
        for name, of in sheet.outputs:
            if isinstance(of, str) or of.name:
                named.append((name, name_of(of)))
            else:
                named.append((name, formula_text(of)))
        width = max(len(name) for name, _ in named)
        parts.append("\n".join([*lines, *(f"  {name:>{width}} = {text}" for name, text in named)]))
    return "\n\n".join(parts)
