"""Checks of what a game declares, as far as no game needs to be played for it."""

from __future__ import annotations

import re
from dataclasses import fields

import numba

from sandtable.conformance.report import Report
from sandtable.registry import game_names, make_game
from sandtable.types import Game

__all__ = ["check_facts"]

ONE_WORD = re.compile(r"[^\s,:=\"]+")
LARGEST_CELL = 2**15  # positions are int16


def check_facts(game: Game, report: Report) -> None:
    """Check that the facts make sense on their own."""
    for true, message in [
        (ONE_WORD.fullmatch(game.name), f"the name '{game.name}' is not one word"),
        (game.title.strip(), "the title is empty"),
        (game.version >= 1, f"versions count from 1, got {game.version}"),
        (game.seats, "there are no seats"),
        (len(set(game.seats)) == len(game.seats), f"two seats share a name: {game.seats}"),
        (all(name == name.lower().strip() for name in game.seats),
         f"the names of seats are in lower case, got {game.seats}"),
        (all(ONE_WORD.fullmatch(name) for name in game.seats), f"no words: seats {game.seats}"),
        (game.position_size > 0, f"position_size is {game.position_size}"),
        (0 < game.action_count < LARGEST_CELL, f"action_count is {game.action_count}"),
        (game.max_actions > 0, f"max_actions is {game.max_actions}"),
        (game.plane_names and all(name.strip() for name in game.plane_names),
         "a plane without a name, or no planes"),
        (min(game.board_shape) > 0, f"board_shape is {game.board_shape}"),
        (len(game.score_bounds) == len(game.seats),
         f"{len(game.score_bounds)} score_bounds for {len(game.seats)} seats"),
        (all(low <= high for low, high in game.score_bounds),
         f"score_bounds are (lowest, highest), got {game.score_bounds}"),
        (len(game.initial_cells) <= game.position_size, "initial_cells is too long"),
        (all(0 <= action < game.action_count for action in game.turn_ending_actions or ()),
         f"no actions are some of turn_ending_actions {sorted(game.turn_ending_actions or ())}"),
        (bool(game.luck) == (game.rules.apply_with_luck is not None),
         "luck names and apply_with_luck go together: there is only one of them"),
        (bool(game.measures) == (game.rules.measure is not None),
         "names of measures and the kernel measure go together: there is only one of them"),
        (all(name.strip() for name in game.measures)
         and len(set(game.measures)) == len(game.measures),
         f"measures have a name each, and no two the same: {game.measures}"),
    ]:  # fmt: skip
        report.expect("facts", bool(true), message)
    check_spec(game, report)
    check_kernels(game, report)


def check_spec(game: Game, report: Report) -> None:
    """Check that an installed game comes back from its spec string."""
    if game.name not in game_names():
        return
    with report.no_exception("facts", f"making the game from its spec '{game.spec}'"):
        again = make_game(game.spec)
        report.expect(
            "facts",
            (again.spec, again.version) == (game.spec, game.version),
            f"the spec '{game.spec}' makes {again.spec}, version {again.version}",
        )


def check_kernels(game: Game, report: Report) -> None:
    """Check that every kernel is compiled, so that searches and batches can call it."""
    if getattr(numba.config, "DISABLE_JIT", 0):
        return
    for each in fields(game.rules):
        function = getattr(game.rules, each.name)
        if function is not None:
            report.expect(
                "kernels",
                hasattr(function, "py_func"),
                f"'{each.name}' is a plain function; decorate it with sandtable.compiled.kernel",
            )
