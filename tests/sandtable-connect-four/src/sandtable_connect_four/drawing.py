"""Pictures of connect four."""

from sandtable_connect_four import rules
from sandtable_connect_four.notation import COLUMN_NAMES, ConnectFourNotation

SIDE = 20  # of a square
COLOURS = ("#f2ead8", "#c8453b", "#e3b23c")  # of what stands on a square


class ConnectFourDrawing:
    """The board; in the SVG each column says its place, so that the browser can be clicked on."""

    def text(self, position):
        """Return a drawing for the terminal."""
        rows = ConnectFourNotation().position_line(position).partition(" ")[0].split("/")
        return "\n".join([*(" ".join(row) for row in rows), " ".join(COLUMN_NAMES)])

    def svg(self, position):
        """Return a drawing as a whole SVG document."""
        width, height = SIDE * rules.COLUMNS, SIDE * rules.ROWS
        columns = []
        for column, name in enumerate(COLUMN_NAMES):
            shape = f'x="{SIDE * column}" y="0" width="{SIDE}" height="{height}" fill="#2f6fb5"'
            circles = "".join(
                f'<circle cx="{SIDE * (column + 0.5)}" cy="{height - SIDE * (row + 0.5)}" r="8" '
                f'fill="{COLOURS[position[rules.BOARD + row * rules.COLUMNS + column]]}"/>'
                for row in range(rules.ROWS)
            )
            columns.append(f'<g data-place="{name}"><rect {shape}/>{circles}</g>')
        box = f"0 0 {width} {height}"
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">{"".join(columns)}</svg>'

    def events(self, before, action, after):
        """Tell in words what dice did between two positions; here there are none."""
        return []
