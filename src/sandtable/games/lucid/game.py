"""Operation Lucid: the facts."""

from __future__ import annotations

from sandtable.games.lucid import rules
from sandtable.games.lucid.drawing.text import LucidDrawing
from sandtable.games.lucid.notation import LucidNotation
from sandtable.games.lucid.planes import PLANE_NAMES, encode
from sandtable.games.lucid.turn_counts import count_turns
from sandtable.types import Game, Rules

__all__ = ["lucid"]


def lucid() -> Game:
    """Operation Lucid: break through a defended line, with dice for moving and for combat.

    >>> game = lucid()
    >>> game.seats, game.action_count
    (('blue', 'red'), 101)
    """
    return Game(
        name="lucid",
        title="Operation Lucid",
        version=1,
        seats=("blue", "red"),
        rules=Rules.of(rules, encode),
        notation=LucidNotation(),
        drawing=LucidDrawing(),
        position_size=rules.POSITION_SIZE,
        action_count=rules.ACTIONS,
        plane_names=PLANE_NAMES,
        board_shape=(rules.SIDE, rules.SIDE),
        score_bounds=((0.0, 15.0), (-15.0, 0.0)),
        max_actions=rules.TURNS * (rules.BLUE_UNITS + 1),
        chance=True,
        hidden=False,
        zero_sum=True,
        has_winner=False,
        turn_ending_actions=frozenset({rules.END}),
        luck=rules.LUCK_NAMES,
        count_turns=count_turns,
    )
