"""Which games of others stand beside which of ours, and why: of like size, as far as there are."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NETWORK_AGENTS", "PAIRS", "Pair"]


@dataclass(frozen=True)
class Pair:
    """The yardsticks of one of our games."""

    openspiel: tuple[str, ...] = ()  # names that OpenSpiel loads
    pgx: tuple[str, ...] = ()
    why: str = ""


PAIRS = {
    "stratego": Pair(
        ("dark_chess",),
        ("animal_shogi", "gardner_chess"),
        "hidden pieces on a board of up to 100 squares, 1,814 actions; OpenSpiel has no Stratego, "
        "dark chess hides pieces on 64 squares; pgx has no game of hidden pieces, and two of its "
        "chess games on smaller boards favour it",
    ),
    "skirmish": Pair(
        ("breakthrough", "chess"),
        ("connect_four", "gardner_chess"),
        "64 squares, 577 actions, nothing hidden; breakthrough has the board and the number of "
        "actions, chess the kinds of pieces; connect four is smaller",
    ),
    "lucid": Pair(
        ("backgammon",),
        ("backgammon",),
        "a turn is many small moves with dice at its end; backgammon is the nearest with dice",
    ),
    "gravwell": Pair(
        (
            "hanabi(players=4)",
            "goofspiel(players=4,num_cards=6,imp_info=True,points_order=random)",
        ),
        ("sparrow_mahjong", "leduc_holdem"),
        "four seats with hidden cards and 54 actions, played in secret and at once; hanabi is "
        "nearest in size, goofspiel is played at once but far smaller, as are the poker games of "
        "pgx; its sparrow mahjong has three hidden hands",
    ),
}

# Networks that are no ONNX files: the moves of who plays with them are timed.
NETWORK_AGENTS = {"lucid": "lucid/champion-blue", "gravwell": "gravwell/champion"}
