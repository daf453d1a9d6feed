"""Stratego: the facts and the options."""

from __future__ import annotations

from typing import Any

import numpy as np

from sandtable.errors import UnreadableSpec, suggestion
from sandtable.games.stratego import layout
from sandtable.games.stratego.drawing.text import StrategoDrawing
from sandtable.games.stratego.named_setups import NAMED
from sandtable.games.stratego.notation.text import StrategoNotation
from sandtable.games.stratego.options import OPTIONS, UNKNOWN_TO_THE_PAPER
from sandtable.games.stratego.planes import PLANE_NAMES, action_frames, encode
from sandtable.games.stratego.rules import kernels as rules
from sandtable.games.stratego.setups import legal_setup, write_setup
from sandtable.types import EarlierRules, Game, Position, Rules

__all__ = ["stratego"]

ORIGIN_WORDS = {"choose": layout.CHOSEN, "random": layout.RANDOM, "named": layout.ANY_NAMED}
DRAWN_ORIGINS = ("random", "named")  # those that throw dice
DEFAULT_ORIGIN = "random"
RANK_ORDERS = ("ten-high", "one-high")


def stratego(
    variant: str = "classic",
    long_scouts: bool = True,
    two_squares: int = 3,
    more_squares: bool = True,
    no_attack: int = 200,
    max_plies: int = 4000,
    setup: str = DEFAULT_ORIGIN,
    red: str = "",
    blue: str = "",
    ranks: str = "ten-high",
    ends: str = "tournament",
    repetition: str = "tournament",
) -> Game:
    """Stratego: hidden pieces, and every fight tells both sides what they were up against.

    ``variant`` is classic, mini, barrage or duel; ``long_scouts`` lets scouts move any distance;
    ``two_squares`` is how often in a row a piece may go between two squares (0: no limit);
    ``more_squares`` forbids endless chases; ``no_attack`` and ``max_plies`` end the game with a
    draw (``no_attack=0``: never). ``setup`` says where both set-ups come from, ``red`` and
    ``blue`` for one side: random, choose (in play), named (any of those with a name), a name, a
    file, or rows. ``ranks`` is ten-high or one-high: how drawings number the ranks. ``ends`` is
    tournament or paper: by the paper a side that cannot move loses, and nothing else but the
    flag ends a game before ``max_plies``. ``repetition`` is tournament or version-1: how the two
    rules against repetition are read.

    >>> stratego("mini", setup="corner").spec
    'stratego:setup=corner,variant=mini'

    Raises UnreadableSpec for a value that an option does not have, and UnreadableSetup for a
    set-up that cannot be read or is not legal.
    """
    chosen: dict[str, Any] = {
        "variant": variant,
        "long_scouts": long_scouts,
        "two_squares": two_squares,
        "more_squares": more_squares,
        "no_attack": no_attack,
        "max_plies": max_plies,
        "ends": ends,
        "repetition": repetition,
    }
    if ranks not in RANK_ORDERS:
        raise UnreadableSpec(f"stratego:ranks is {' or '.join(RANK_ORDERS)}, got '{ranks}'")
    cells = option_cells(chosen)
    blank = np.zeros(layout.POSITION_SIZE, dtype=np.int16)
    blank[list(cells)] = list(cells.values())
    origins = [write_origin(blank, seat, own or setup) for seat, own in enumerate((red, blue))]
    side = int(layout.SIDES[cells[layout.VARIANT]])
    placements = most_placements(blank)
    return Game(
        name="stratego",
        title="Stratego",
        version=2,
        seats=("red", "blue"),
        rules=Rules.of(rules, encode),
        notation=StrategoNotation(cells),
        drawing=StrategoDrawing(one_high=ranks == "one-high"),
        position_size=layout.POSITION_SIZE,
        action_count=layout.action_count(side),
        plane_names=PLANE_NAMES,
        board_shape=(side, side),
        score_bounds=((-1.0, 1.0), (-1.0, 1.0)),
        max_actions=max_plies + placements,
        chance=any(origin in DRAWN_ORIGINS for origin in origins),
        hidden=True,
        zero_sum=True,
        has_winner=True,
        action_visible_to=action_visible_to,
        turn_ending_actions=closing_actions(side) if placements else None,
        options=options_given(chosen, origins, ranks),
        initial_cells=tuple(map(int, blank)),
        action_frames=action_frames(side),
        earlier_rules={1: EarlierRules() if cells[layout.PAPER_ENDS] else VERSION_1},
    )


def option_cells(chosen: dict[str, Any]) -> dict[int, int]:
    """Return what the options write into a position, by cell; those of the paper rule out others.

    >>> option_cells({"two_squares": 3}) == {OPTIONS["two_squares"].cell: 3}
    True
    """
    cells = {OPTIONS[name].cell: option_value(name, value) for name, value in chosen.items()}
    if cells.get(layout.PAPER_ENDS):
        refuse_with_paper_ends(chosen)
        cells |= {OPTIONS[name].cell: 0 for name in UNKNOWN_TO_THE_PAPER}
    return cells


def most_placements(blank: Position) -> int:
    """Return how many actions put pieces on the board before the first move."""
    choosing = blank[layout.ORIGIN : layout.ORIGIN + 2] == layout.CHOSEN
    return int((layout.setup_squares(blank) + 1) * choosing.sum())


def line_of_version_1(line: str) -> str:
    """Return a position line of version 1 of the rules as one that says so.

    >>> line_of_version_1("6/6/6/6/6/6 setup:0/0 0/0 -/- -/- - variant=mini").split()[-1]
    'variant=mini,repetition=version-1'
    """
    fields = line.split()
    if len(fields) == 7:  # else the options are those of the game
        given = [] if fields[6] == "-" else [fields[6]]
        fields[6] = ",".join([*given, "repetition=version-1"])
    return " ".join(fields)


VERSION_1 = EarlierRules({"repetition": "version-1"}, line_of_version_1)


def option_value(name: str, value: str | int | bool) -> int:
    """Return the number that stands for the value of an option in a position."""
    try:
        return OPTIONS[name].parse(str(value).lower() if isinstance(value, bool) else str(value))
    except ValueError as problem:
        hint = suggestion(str(value), OPTIONS[name].words)
        raise UnreadableSpec(f"stratego:{problem}{'.' if hint else ''}{hint}") from None


def refuse_with_paper_ends(chosen: dict[str, Any]) -> None:
    """Refuse rules that the paper does not have beside its ends of a game."""
    for name in UNKNOWN_TO_THE_PAPER:
        if option_value(name, chosen[name]) != OPTIONS[name].default:
            raise UnreadableSpec(
                f"stratego:{name} does not go with ends=paper, which has no such rule"
            )


def write_origin(blank: Position, seat: int, word: str) -> str:
    """Write where a seat's set-up comes from into a blank position; return it in one word."""
    if word in ORIGIN_WORDS:
        blank[layout.ORIGIN + seat] = ORIGIN_WORDS[word]
        return word
    variant = int(blank[layout.VARIANT])
    setup = legal_setup(word, variant)
    write_setup(blank, seat, setup)
    return word if word in NAMED[layout.VARIANT_NAMES[variant]] else str(setup)


def options_given(chosen: dict[str, Any], origins: list[str], ranks: str) -> dict[str, Any]:
    """Return the options that are not at their default."""
    given = {
        name: OPTIONS[name].word(option_value(name, value))
        for name, value in chosen.items()
        if option_value(name, value) != OPTIONS[name].default
    }
    places = (
        {"setup": origins[layout.RED]}
        if origins[layout.RED] == origins[layout.BLUE]
        else dict(zip(("red", "blue"), origins, strict=True))
    )
    given |= {name: word for name, word in places.items() if word != DEFAULT_ORIGIN}
    return given | ({"ranks": ranks} if ranks != RANK_ORDERS[0] else {})


def closing_actions(side: int) -> frozenset[int]:
    """Return the actions that end a turn: all moves, and the end of a set-up."""
    base = layout.first_setup_action(side)
    return frozenset([*range(base), base + layout.DONE])


def action_visible_to(position: Position, action: int, seat: int) -> bool:
    """Say whether a seat learns an action: not what the other one puts down in its set-up."""
    choice = action - layout.first_setup_action(int(layout.SIDES[int(position[layout.VARIANT])]))
    return choice < 0 or choice == layout.DONE or seat == int(position[layout.MOVER])
