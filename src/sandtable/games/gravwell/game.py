"""Gravwell: the facts and the options."""

from __future__ import annotations

from sandtable.errors import UnreadableSpec, suggestion
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.complexity import PLAYERS, size_rows
from sandtable.games.gravwell.drawing.stop_trees import stop_trees_svg
from sandtable.games.gravwell.drawing.text import GravwellDrawing
from sandtable.games.gravwell.notation.text import SEAT_NAMES, GravwellNotation
from sandtable.games.gravwell.planes import encode, plane_names
from sandtable.games.gravwell.rules import kernels as rules
from sandtable.types import Game, Position, Rules, SizeTable

__all__ = ["action_visible_to", "gravwell"]

TRACTOR_WORDS = {"true": layout.WORKING, "inert": layout.INERT}
FEWEST_PLAYERS = 2
DEFAULTS = {"players": 4, "tractor": "true"}


def gravwell(players: int = 4, tractor: str = "true") -> Game:
    """Gravwell: draft cards and play them in secret to escape from a singularity.

    ``players`` is 2 to 4; ``tractor`` true or inert (tractor cards move nothing, as in the
    published experiments). An UnreadableSpec tells other values.

    >>> gravwell(players=2).seats
    ('first', 'second')
    """
    if not FEWEST_PLAYERS <= players <= layout.MOST_PLAYERS:
        raise UnreadableSpec(
            f"gravwell:players is {FEWEST_PLAYERS} to {layout.MOST_PLAYERS}, got {players}"
        )
    if tractor not in TRACTOR_WORDS:
        raise UnreadableSpec(
            f"gravwell:tractor is one of {', '.join(TRACTOR_WORDS)}, got '{tractor}'."
            + suggestion(tractor, TRACTOR_WORDS)
        )
    chosen = {"players": players, "tractor": tractor}
    return Game(
        name="gravwell",
        title="Gravwell",
        version=1,
        seats=SEAT_NAMES[:players],
        rules=Rules.of(rules, encode),
        notation=GravwellNotation(players, TRACTOR_WORDS[tractor]),
        drawing=GravwellDrawing(),
        position_size=layout.POSITION_SIZE,
        action_count=layout.ACTIONS,
        plane_names=plane_names(players),
        board_shape=(1, layout.TILES),
        score_bounds=((0.0, 1.0),) * players,
        max_actions=layout.ROUNDS * players * (layout.PASSES + 2 * layout.TURNS),
        chance=True,
        hidden=True,
        zero_sum=False,
        has_winner=True,
        action_visible_to=action_visible_to,
        measures=("end position",),
        options={name: value for name, value in chosen.items() if value != DEFAULTS[name]},
        initial_cells=(players, TRACTOR_WORDS[tractor]),
        sizes=sizes,
    )


def sizes() -> SizeTable:
    """Return how large the game is with 2, 3 and 4 players (section 2.2 of the report).

    >>> sizes().columns[0]
    '2 players'
    """
    return SizeTable(
        tuple(f"{players} players" for players in PLAYERS), size_rows(), stop_trees_svg
    )


def action_visible_to(position: Position, action: int, seat: int) -> bool:
    """Say whether a seat learns of an action: cards are laid face down, all else is open."""
    return action >= layout.TAKE or position[layout.MOVER] == seat
