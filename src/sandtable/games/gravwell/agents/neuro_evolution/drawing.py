"""Evolved networks as an SVG drawing: inputs on the left, formulas as boxes, outputs on the right.

A box lists the terms of a formula with their weights; a line leads to each from where it comes.
Blue lines add, red ones take away, and strong ones weigh more. Chains of sums and products are
joined first, see formulas.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from sandtable.games.gravwell.agents.neuro_evolution import formulas
from sandtable.games.gravwell.agents.neuro_evolution.brain import NETWORK_INPUTS, Brain
from sandtable.pictures import INK, box, number, tag, text

__all__ = ["brain_svg"]

FONTS = "Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
PAPER, PAPER_EDGE, FAINT_INK = "#f6f2e7", "#9d9580", "#7a7362"
BOX_FILL, SIGN_FILL, OUTPUT_FILL = "#fbf9f1", "#e4e0d2", "#f3dfa2"
ADDS, TAKES = "#2b6ca3", "#b5462f"

EDGE = 36
INPUT_WIDTH, OUTPUT_WIDTH, SIGN_WIDTH = 118, 92, 30
WEIGHT_WIDTH, LETTER_WIDTH = 66, 6.6  # of the text in boxes
FIRST_GAP, GAP = 92, 66  # between two columns, for the lines
ROW, INPUT_ROW, BETWEEN = 19, 27, 24  # heights
TITLE, FOOT = 34, 44


@dataclass
class Placed:
    """A formula, an input or an output with its place; x and y are those of its left upper edge."""

    name: str
    column: int
    height: float
    width: float
    formula: formulas.Formula | None = None
    x: float = 0.0
    y: float = 0.0

    @property
    def middle(self) -> float:
        """The height of its middle."""
        return self.y + self.height / 2


class Layout:
    """Where everything of one network is drawn."""

    def __init__(self, sheet: formulas.Sheet) -> None:
        self.sheet = sheet
        self.places: dict[object, Placed] = {}
        used = {of for each in sheet.formulas for of, _ in each.terms if of != formulas.ONE}
        used |= {of for _, of in sheet.outputs}
        for name in NETWORK_INPUTS[sheet.kind]:
            if name in used:
                self.places[name] = Placed(name, 0, INPUT_ROW, INPUT_WIDTH)
        for formula in sheet.formulas:
            self.places[formula] = placed_box(formula)
        last = 1 + max((place.column for place in self.places.values()), default=0)
        for name, _ in sheet.outputs:
            self.places["output", name] = Placed(name, last, INPUT_ROW, OUTPUT_WIDTH)
        self.columns = [
            [place for place in self.places.values() if place.column == column]
            for column in range(last + 1)
        ]
        self.place_columns()

    def lines(self) -> Iterator[tuple[Placed, Placed, int, float]]:
        """Yield every line: from where, to where, to which row there, and its weight."""
        for formula in self.sheet.formulas:
            for row, (_, of, weight) in enumerate(rows_of_box(formula)):
                if of is not None:
                    yield self.source(of), self.places[formula], row, weight
        for name, of in self.sheet.outputs:
            yield self.source(of), self.places["output", name], 0, 1.0

    def source(self, of: str | formulas.Formula) -> Placed:
        """Return where a value comes from."""
        return self.places[of]

    def place_columns(self) -> None:
        """Put the columns side by side, and within them near what each one is joined with."""
        x, self.width, self.height = 0.0, 0.0, 0.0
        for index, column in enumerate(self.columns):
            width = max((place.width for place in column), default=0.0)
            for place in column:
                place.x, place.width = x, width
            self.width = x + width
            x = self.width + (FIRST_GAP if index == 0 else GAP)
            self.height = max(self.height, column_height(column))
        for column in self.columns:
            spread(column, self.height)
        for _ in range(8):  # back and forth, until nothing moves much any more
            for column in [*self.columns[1:], *self.columns[-2::-1]]:
                self.settle(column)

    def settle(self, column: list[Placed]) -> None:
        """Move the members of a column to the average height of what they are joined with."""
        joined: dict[int, list[float]] = {id(place): [] for place in column}
        for begin, end, row, _ in self.lines():
            if id(begin) in joined:
                joined[id(begin)].append(end.y + ROW * (row + 0.5))
            if id(end) in joined:
                joined[id(end)].append(begin.middle)
        wanted = {each: sum(found) / max(1, len(found)) for each, found in joined.items()}
        column.sort(key=lambda place: wanted[id(place)])
        if not column or column[0].formula is None:
            spread(column, self.height)
            return
        top = 0.0
        for place in column:
            place.y = max(top, wanted[id(place)] - place.height / 2)
            top = place.y + place.height + BETWEEN
        bottom = self.height
        for place in reversed(column):
            place.y = min(place.y, bottom - place.height)
            bottom = place.y - BETWEEN


def rows_of_box(
    formula: formulas.Formula,
) -> list[tuple[str, str | formulas.Formula | None, float]]:
    """Return what stands in the rows of a box: the number or weight, its source, and the weight."""
    rows: list[tuple[str, str | formulas.Formula | None, float]] = []
    for of, weight in formula.terms:
        label = "" if weight == 1.0 else formulas.number_text(weight)
        rows.append(
            (formulas.number_text(weight), None, weight)
            if of == formulas.ONE
            else (label, of, weight)
        )
    if formula.sign == formulas.PRODUCT and formula.number != 1.0:
        rows.append((formulas.number_text(formula.number), None, formula.number))
    if formula.sign == formulas.SUM and (formula.number or not rows):
        rows.append((formulas.number_text(formula.number), None, formula.number))
    return rows


def placed_box(formula: formulas.Formula) -> Placed:
    """Return the box of a formula, as large as its text."""
    rows = rows_of_box(formula)
    longest = max(len(formulas.name_of(of)) if of is not None else 0 for _, of, _ in rows)
    width = WEIGHT_WIDTH + max(4, longest) * LETTER_WIDTH + SIGN_WIDTH
    return Placed(formula.name, formula.layer(), ROW * len(rows) + 6, width, formula)


def column_height(column: list[Placed]) -> float:
    """Return how high a column is with gaps between its members."""
    return sum(place.height + BETWEEN for place in column) - BETWEEN if column else 0.0


def spread(column: list[Placed], height: float) -> None:
    """Put the members of a column one under the other, in the middle of the height."""
    gap = float(BETWEEN)
    if len(column) > 1:
        free = height - sum(place.height for place in column)
        gap = min(free / (len(column) - 1), 4 * BETWEEN)
    y = (height - sum(place.height for place in column) - gap * (len(column) - 1)) / 2
    for place in column:
        place.y = y
        y += place.height + gap


# --- drawing -------------------------------------------------------------------------------------


def brain_svg(brain: Brain) -> str:
    """Draw all networks of a brain, one under the other."""
    networks = [(kind, net) for kind, net in brain._asdict().items() if net is not None]
    layouts = [Layout(formulas.sheet_of(kind, network)) for kind, network in networks]
    width = max(640.0, *(layout.width for layout in layouts)) + 2 * EDGE
    parts, y = [], float(EDGE)
    for layout in layouts:
        parts.append(text(EDGE, y + 4, layout.sheet.title, 16, font_weight="700"))
        y += TITLE
        drawn = [*map(draw_line, *zip(*layout.lines(), strict=True))]
        drawn += [draw_place(place, layout) for place in layout.places.values()]
        parts.append(
            tag("g", *drawn, transform=f"translate({EDGE} {number(y)})", class_=layout.sheet.kind)
        )
        y += layout.height + TITLE
    height = y + FOOT - TITLE
    foot = "Blue adds, red takes away; strong lines weigh more. A line without a number weighs 1."
    parts.append(text(EDGE, height - 18, foot, 12, fill=FAINT_INK))
    title = "; ".join(layout.sheet.title for layout in layouts)
    return (
        tag(
            "svg",
            f"\n{tag('title', escape(title))}",
            "\n" + tag("rect", width=width, height=height, rx=14, fill=PAPER, stroke=PAPER_EDGE),
            *(f"\n{part}" for part in parts),
            "\n",
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {width:g} {height:g}",
            width=width,
            height=height,
            role="img",
            font_family=FONTS,
        )
        .encode("ascii", "xmlcharrefreplace")
        .decode()
    )  # the same in every encoding


def draw_line(begin: Placed, end: Placed, row: int, weight: float) -> str:
    """Draw a line from the right side of its beginning to a row on the left side of its end."""
    x, y, to_x = begin.x + begin.width, begin.middle, end.x
    to_y = end.middle if end.formula is None else end.y + 3 + ROW * (row + 0.5)
    bend = max(40.0, (to_x - x) * 0.45)
    points = ((x, y), (x + bend, y), (to_x - bend, to_y), (to_x, to_y))
    first, *others = (f"{number(across)} {number(down)}" for across, down in points)
    strength = min(4.0, 0.8 + 1.4 * abs(weight) ** 0.5)
    look = {"stroke": ADDS if weight >= 0 else TAKES, "stroke_width": strength}
    path = f"M{first} C{' '.join(others)}"
    return tag("path", d=path, fill="none", stroke_opacity=0.62, **look)


def draw_place(place: Placed, layout: Layout) -> str:
    """Draw an input, a box or an output."""
    if place.formula is not None:
        return draw_box(place, place.formula)
    is_output = place.column == len(layout.columns) - 1
    x, fill = place.x + place.width / 2, OUTPUT_FILL if is_output else SIGN_FILL
    return tag(
        "g",
        box(x, place.middle, place.width, INPUT_ROW - 3, rx=12, fill=fill, stroke=PAPER_EDGE),
        text(x, place.middle + 4.5, place.name, 13, text_anchor="middle"),
        class_="output" if is_output else "input",
    )


def draw_box(place: Placed, formula: formulas.Formula) -> str:
    """Draw a formula: its terms in rows, what is done with them on the right."""
    strip = place.x + place.width - SIGN_WIDTH
    parts = [
        tag("rect", x=place.x, y=place.y, width=place.width, height=place.height, rx=5,
            fill=BOX_FILL, stroke=PAPER_EDGE),
        tag("rect", x=strip, y=place.y, width=SIGN_WIDTH, height=place.height, rx=5,
            fill=SIGN_FILL, stroke=PAPER_EDGE),
        text(strip + SIGN_WIDTH / 2, place.middle + 5, formula.sign, 15 if len(formula.sign) == 1
             else 11, text_anchor="middle", font_weight="700"),
    ]  # fmt: skip
    for row, (label, of, weight) in enumerate(rows_of_box(formula)):
        y = place.y + 3 + ROW * (row + 0.5) + 4.5
        ink = INK if weight >= 0 else TAKES
        parts.append(text(place.x + WEIGHT_WIDTH - 7, y, label, 12, text_anchor="end", fill=ink))
        if of is not None:
            parts.append(text(place.x + WEIGHT_WIDTH, y, formulas.name_of(of), 12))
    if place.name:
        y = place.y - 4
        parts.append(text(place.x + place.width - 4, y, place.name, 12, text_anchor="end",
                          font_style="italic", fill=FAINT_INK))  # fmt: skip
    return tag("g", *parts, class_="formula")
