"""What the browser shows of hexapawn: a board to click on, and a form to choose its size."""

from sandtable import BoardScreen, FormOption, Preset
from sandtable_hexapawn import rules
from sandtable_hexapawn.game import LEAST, MOST


class HexapawnScreen(BoardScreen):
    """Pawns move from place to place; the places are those that the SVG of the drawing names."""

    options = (
        FormOption("columns", "Columns", "pawns on each side", str(LEAST), least=LEAST, most=MOST),
        FormOption("rows", "Rows", "from side to side", str(LEAST), least=LEAST, most=MOST),
    )
    presets = (
        Preset("hexapawn", "Three by three"),
        Preset("hexapawn:columns=4,rows=4", "Four by four"),
    )
    seat_colours = ("#b9a26a", "#2b2b2b")

    def action(self, view, action):
        """Say which two places to click on for a move."""
        label = self.game.notation.action_name(action)
        origin, _, target = label.partition("-")
        return {"kind": "play", "from": origin, "to": target, "label": label}

    def forbidden_moves(self, view):
        """Name the pawns of the mover that are blocked, for people who try to move them."""
        places, columns = self.game.notation.squares, self.game.notation.columns
        ahead = columns * (1 - 2 * int(view[rules.MOVER]))
        blocked = []
        for square, place in enumerate(places):
            ours = view[rules.BOARD + square] == rules.WHITE + view[rules.MOVER]
            target = square + ahead
            if ours and 0 <= target < len(places) and view[rules.BOARD + target] != rules.EMPTY:
                why = "a pawn only takes aside"
                blocked.append({"from": place, "to": places[target], "why": why})
        return blocked
