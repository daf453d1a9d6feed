"""The facts of connect four. The conformance kit checks that every one of them is true."""

from sandtable import Game, Rules
from sandtable_connect_four import rules
from sandtable_connect_four.drawing import ConnectFourDrawing
from sandtable_connect_four.notation import ConnectFourNotation


def connect_four() -> Game:
    """Connect four: four stones in a row, dropped into seven columns."""
    return Game(
        name="connect-four",
        title="Connect four",
        version=1,  # of the rules: raise it when old records no longer replay
        seats=("first", "second"),
        rules=Rules.of(rules, rules.encode),
        notation=ConnectFourNotation(),
        drawing=ConnectFourDrawing(),
        position_size=rules.POSITION_SIZE,
        action_count=rules.COLUMNS,
        plane_names=("own stones", "stones of the other"),
        board_shape=(rules.ROWS, rules.COLUMNS),
        score_bounds=((-1.0, 1.0), (-1.0, 1.0)),
        max_actions=rules.SQUARES,
        chance=False,
        hidden=False,
        zero_sum=True,
        has_winner=True,
    )
