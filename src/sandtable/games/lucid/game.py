"""Operation Lucid: the facts, and the options that make another scenario of it."""

from __future__ import annotations

from sandtable.games.lucid import rules
from sandtable.games.lucid.drawing.text import LucidDrawing
from sandtable.games.lucid.notation import LucidNotation
from sandtable.games.lucid.planes import PLANE_NAMES, encode
from sandtable.games.lucid.turn_counts import count_turns
from sandtable.types import Game, Rules

__all__ = ["lucid", "published_game"]


def lucid(
    scenario: str = "published",
    board: str | None = None,
    turns: str | None = None,
    capacity: str | None = None,
    closed_roads: str | None = None,
    defender: str | None = None,
    right_to_move: str | None = None,
    first: str | None = None,
    supply: str | None = None,
    penalty: str | None = None,
) -> Game:
    """Operation Lucid: break through a defended line, with dice for moving and for combat.

    Without options it is the published game. ``scenario`` is the name of one that comes with the
    game, ``random-`` and the number of one that is drawn, or a TOML file; the other options change
    single values of it, as they stand in files (see docs/games/lucid/scenarios.md).
    UnreadableScenario if something cannot be played.

    >>> game = lucid()
    >>> game.seats, game.action_count
    (('blue', 'red'), 101)
    >>> lucid(board="r1,r1,r1/3/3/b2,b2,b2", turns="20").spec
    'lucid:board="r1,r1,r1/3/3/b2,b2,b2",turns=20'
    """
    changes = {
        key: value
        for key, value in {
            "board": board,
            "turns": turns,
            "capacity": capacity,
            "closed_roads": closed_roads,
            "defender": defender,
            "right_to_move": right_to_move,
            "first": first,
            "supply": supply,
            "penalty": penalty,
        }.items()
        if value is not None
    }
    if changes or scenario != "published":
        from sandtable.games.lucid.scenarios.game import game_of_options

        made = game_of_options(scenario, changes)
        if made is not None:
            return made
    return published_game()


def published_game() -> Game:
    """Return the game of the papers."""
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
        turn_ending_actions=frozenset({rules.END}),
        luck=rules.LUCK_NAMES,
        count_turns=count_turns,
        chance=True,
        hidden=False,
        zero_sum=True,
        has_winner=False,
        score_unit="units",
    )
