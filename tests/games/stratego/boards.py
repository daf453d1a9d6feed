"""Positions made by hand: pieces by their squares, and everything else worked out from them."""

from games.stratego.plain import ARMIES, COLUMNS, LAKES
from sandtable.registry import make_game


def line_of(red, blue, mover="r", variant="classic", plies=None, quiet=0, options=""):
    """Write a position line; pieces are like ``{"a4": "5!'", "a1": "F"}``, all others are lost."""
    side = 6 if variant == "mini" else 10
    pieces = {square: "r" + piece for square, piece in red.items()}
    pieces |= {square: "b" + piece for square, piece in blue.items()}
    rows = []
    for row in range(side, 0, -1):
        text, empty = "", 0
        for column in COLUMNS[:side]:
            square = f"{column}{row}"
            sign = "~" if side == 10 and square in LAKES else pieces.get(square)
            if sign is None:
                empty += 1
                continue
            text += f"{empty or ''}{sign}"
            empty = 0
        rows.append(text + (str(empty) if empty else ""))
    lost = []
    for side_pieces in (red, blue):
        left = [piece[0] for piece in side_pieces.values()]
        ranks = {rank: count - left.count(rank) for rank, count in ARMIES[variant].items()}
        lost.append("".join(rank * ranks.get(rank, 0) for rank in "S23456789TBF") or "-")
    plies = plies if plies is not None else 100 + (mover == "b")
    words = [f"variant={variant}"] if variant != "classic" else []
    words += [options] if options else []
    fields = ("/".join(rows), mover, f"{plies}/{quiet}", "/".join(lost), "-/- -")
    return " ".join([*fields, ",".join(words) or "-"])


def state_of(red, blue, mover="r", variant="classic", plies=None, quiet=0, options=""):
    """Return the state of such a line, with these options of the game."""
    spec = f"stratego:variant={variant}" + (f",{options}" if options else "")
    return make_game(spec).parse(line_of(red, blue, mover, variant, plies, quiet, options))


def play(state, moves):
    """Play moves one after the other."""
    for move in moves.split():
        state = state.play(move)
    return state
