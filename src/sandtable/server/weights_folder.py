"""Weights that a person has trained, from the one folder that the server was started with.

A browser names them as ``weights=@NAME``, with a name from the list it was given; a path never
comes from there, nor is one told.
"""

from __future__ import annotations

import functools
import re
from contextlib import closing, suppress
from inspect import signature
from pathlib import Path
from typing import Any

from sandtable.agent import Agent
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.registry import (
    agent_factory,
    agent_game,
    agent_names,
    check_seat,
    game_names,
    make_agent,
    make_game,
)
from sandtable.specs import FILES_ALLOWED, Spec, parse_spec

__all__ = ["listed_weights", "located", "made_agent", "playable_weights"]

OPTION = "weights"
MARK = "@"
NAME = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]{0,99}")
MOST_LISTED = 200
MOST_KNOWN = 1000


def listed_weights(folder: Path | None) -> tuple[str, ...]:
    """Return the names of the files in a folder; none without one.

    >>> listed_weights(None)
    ()
    """
    if folder is None or not folder.is_dir():
        return ()
    names = [each.name for each in folder.iterdir() if each.is_file() and NAME.fullmatch(each.name)]
    return tuple(sorted(names)[:MOST_LISTED])


def located(text: str, folder: Path | None) -> tuple[str, bool]:
    """Return a spec with the path of the weights it names, and whether it named some.

    >>> located("skirmish/champion:weights=@mine.bin", Path("/trained"))
    ('skirmish/champion:weights=/trained/mine.bin', True)
    >>> located("random", Path("/trained"))
    ('random', False)
    """
    spec = parse_spec(text)
    value = spec.options.get(OPTION, "")
    if folder is None or not value.startswith(MARK) or not NAME.fullmatch(value[1:]):
        return text, False
    options = {**spec.options, OPTION: str(folder / value[1:])}
    return str(Spec(spec.name, spec.argument, options)), True


def made_agent(text: str, folder: str | None) -> Agent:
    """Make an agent; only one with weights of the folder may read a file for it."""
    spec, of_folder = located(text, None if folder is None else Path(folder))
    if not of_folder:
        return make_agent(spec)
    token = FILES_ALLOWED.set(True)
    try:
        return make_agent(spec)
    finally:
        FILES_ALLOWED.reset(token)


def playable_weights(folder: str, names: list[str]) -> list[dict[str, Any]]:
    """Return which agent of which game can play with each file; tried out, not guessed.

    >>> playable_weights("nowhere", ["mine.bin"])
    []
    """
    found: list[dict[str, Any]] = []
    for name in names:
        with suppress(OSError):
            changed = (Path(folder) / name).stat().st_mtime_ns
            found += players_of(folder, name, changed)
    return found


@functools.lru_cache(MOST_KNOWN)
def players_of(folder: str, name: str, changed: int) -> list[dict[str, Any]]:
    """Return who can play with a file as it was when it was changed last."""
    return [
        told
        for agent in agent_names()
        for game in ([agent_game(agent)] if agent_game(agent) else game_names())
        if game is not None and (told := tried(folder, name, agent, game)) is not None
    ]


def tried(folder: str, name: str, agent: str, game_name: str) -> dict[str, Any] | None:
    """Try whether an agent plays a game with a file; None: it does not."""
    try:
        if OPTION not in signature(agent_factory(agent)).parameters:
            return None
        game, spec = make_game(game_name), f"{agent}:{OPTION}={MARK}{name}"
        seats = [seat for seat in game.seats if can_take(game_name, seat, agent)]
        if not seats:
            return None
        with closing(made_agent(spec, folder)) as made:
            made.check()
            made.begin(game, game.seats.index(seats[0]), Dice(0))
    except Exception:  # whatever a file of another kind makes an agent raise
        return None
    return {
        "file": name,
        "agent": spec,
        "game": game_name,
        "title": game.title,
        "seats": seats,
        "all_seats": list(game.seats),
    }


def can_take(game_name: str, seat: str, agent: str) -> bool:
    """Say whether an agent can play a seat."""
    try:
        check_seat(make_game(game_name), seat, parse_spec(agent))
    except SandtableError:
        return False
    return True
