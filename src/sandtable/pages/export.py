"""One file of HTML in which a game is played against its programs in the browser alone.

The file holds everything: the screen and the game's own script (built from ``web/``, like the
client), the kernels as WebAssembly (``compiler``), and the facts of the game as JSON. So it works
from any static host, inside another page, and opened from a folder.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from sandtable.agent import CompiledPolicy
from sandtable.agents.level.ladder import EASY, Level, ladder_of
from sandtable.errors import DISTRIBUTION, SandtableError, WrongSeats
from sandtable.pages.compiler import compiled_game, policies_of, rules_of
from sandtable.pages.webassembly import data_end
from sandtable.registry import make_game, registered
from sandtable.screens import GROUP, screen_class, screen_of
from sandtable.types import OVER, Game, State

__all__ = ["PageOptions", "page_of"]

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Sandtable {version}">
<title>{title}</title>
<link rel="icon" href="data:,">
<script>{theme}</script>
<style>{style}</style>
</head>
<body>
<div id="app"></div>
<noscript>This game needs JavaScript in the browser.</noscript>
<script id="facts" type="application/json">{facts}</script>
<script id="module" type="text/plain">{module}</script>
<script id="engine" type="text/plain">{engine}</script>
<script>{page}</script>
</body>
</html>
"""
# Before the first paint, so that nothing flashes.
THEME = """try { var t = localStorage.getItem('sandtable.theme') } catch (e) {}
document.documentElement.dataset.theme =
  t || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')"""
PARTS = ("page.js", "page.css", "engine.js")


@dataclass(frozen=True)
class PageOptions:
    """What somebody wants of a page besides the game.

    >>> PageOptions(level="hard").seat is None
    True
    """

    level: str = EASY  # the one proposed; all can be chosen
    seat: str | None = None  # of the person; None: the first
    position: str | None = None  # where games start, in one line
    title: str | None = None  # over the board


def page_of(game: Game, options: PageOptions | None = None) -> str:
    """Return the page of a game; the first time its kernels are compiled for half a minute.

    SandtableError says what cannot be played without a server, and why.
    """
    wanted = options or PageOptions()
    scripts = scripts_of(game)
    programs = Programs.of(game)
    wanted_level = ladder_of(game).level(wanted.level).name
    names = [level.name for level in programs.levels]
    if wanted_level not in names:
        raise SandtableError(
            f"the level '{wanted_level}' of {game.name} cannot play without Python; "
            f"these can: {', '.join(names)}"
        )
    starts = starts_of(game, wanted.position)
    seat = 0 if wanted.seat is None else game.seat_number(wanted.seat)
    module = compiled_game(game, programs.groups)
    facts = {
        **facts_of(game, wanted.title),
        "levels": programs.as_data(),
        "level": wanted_level,
        "starts": starts,
        "seat": seat,
        "sizes": {
            "cells": game.position_size,
            "actions": game.action_count,
            "seats": len(game.seats),
            "memory": programs.most_memory,
        },
        "dataEnd": data_end(module),
    }
    return PAGE.format(
        version=html.escape(version(DISTRIBUTION)),
        title=html.escape(str(facts["title"])),
        theme=THEME,
        style=scripts["page.css"],
        facts=json.dumps(facts, ensure_ascii=False).replace("<", "\\u003c"),
        module=base64.b64encode(gzip.compress(module, 9, mtime=0)).decode(),
        engine=inside_html(scripts["engine.js"]),
        page=inside_html(scripts["page.js"]),
    )


def inside_html(script: str) -> str:
    r"""Return a script in which nothing ends or hides the element it stands in.

    >>> print(inside_html("say('</script>')"))
    say('\x3C/script>')
    """
    return re.sub(r"<(?=/?script|!--)", r"\\x3C", script, flags=re.I)


# --- what a game brings --------------------------------------------------------------------------


def scripts_of(game: Game) -> dict[str, str]:
    """Return the scripts with which a game is shown without a server."""
    folder = screen_class(game.name).page_scripts
    if folder is None:
        able = ", ".join(games_with_pages()) or "none"
        raise SandtableError(
            f"{game.name} cannot be played without a server: its screen has no scripts for it "
            f"(games that can: {able})"
        )
    found = {part: folder / f"{game.name}-{part}" for part in PARTS}
    missing = [path.name for path in found.values() if not path.is_file()]
    if missing:
        raise SandtableError(
            f"the scripts of the page are not built ({', '.join(missing)}); "
            "run 'make client' (it needs Node), or install a wheel"
        )
    return {part: path.read_text("utf-8") for part, path in found.items()}


def games_with_pages() -> list[str]:
    """Return the games that can be played without a server."""
    found = []
    for name in registered(GROUP):
        try:
            if screen_class(name).page_scripts is not None:
                found.append(name)
        except SandtableError:  # a broken plug-in breaks only itself
            continue
    return sorted(found)


def facts_of(game: Game, title: str | None) -> dict[str, Any]:
    """Return what is true of the game on any page."""
    screen = screen_of(game)
    return {
        "game": game.name,
        "title": title or game.title,
        "seats": list(game.seats),
        "titles": screen.titles(),
        "colours": list(screen.seat_colours[: len(game.seats)]),
        "winners": game.has_winner,
        "rules": screen.rules_text(),
        "version": version(DISTRIBUTION),
    }


def starts_of(game: Game, line: str | None) -> list[dict[str, Any]]:
    """Return where games can start: the position given, the game's options, or all its presets."""
    if line is not None:
        state: State = game.parse(line)
        if state.turn == OVER:
            raise SandtableError(f"nothing is left to play in '{line}'")
        return [{"title": "Position", "cells": state.position.tolist(), "ready": True}]
    presets = screen_class(game.name).presets
    title = next((each.title for each in presets if each.spec == game.spec), game.spec)
    made = [(title, game)]
    if not game.options:
        others = [(each.title, make_game(each.spec)) for each in presets]
        made += [(name, other) for name, other in others if other.spec != game.spec]
        made = [each for each in made if rules_of(each[1]) == rules_of(game)]
    return [
        {"title": name, "cells": each.empty_position().tolist(), "ready": False}
        for name, each in made
    ]


# --- who plays -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Programs:
    """The levels that can play on a page, and the agents behind them by the kernels they share."""

    game: Game
    levels: tuple[Level, ...]
    groups: tuple[tuple[str, ...], ...]  # specs of agents
    policies: tuple[CompiledPolicy, ...]  # the first of each group

    @classmethod
    def of(cls, game: Game) -> Programs:
        """Find out which levels have kernels; WrongSeats: none has."""
        levels: list[Level] = []
        groups: list[list[str]] = []
        firsts: list[CompiledPolicy] = []
        problem = None
        for level in ladder_of(game).levels:
            specs = list(dict.fromkeys(level.agent(seat) for seat in game.seats))
            try:
                policies = policies_of(game, specs)
            except SandtableError as why:
                problem = why
                continue
            levels.append(level)
            for spec, policy in zip(specs, policies, strict=True):
                place = next((i for i, one in enumerate(firsts) if alike(one, policy)), None)
                if place is None:
                    firsts.append(policy)
                    groups.append([spec])
                elif spec not in groups[place]:
                    groups[place].append(spec)
        if not levels:
            raise WrongSeats(f"no level of {game.name} can play on a page: {problem}")
        kept = tuple(tuple(group) for group in groups)
        return cls(game, tuple(levels), kept, tuple(firsts))

    @property
    def most_memory(self) -> int:
        """How much memory the program has that has most."""
        return max(len(policy.memory) for policy in self.policies)

    def as_data(self) -> list[dict[str, Any]]:
        """Return the levels as the page gets them."""
        return [
            {
                "name": level.name,
                "title": level.title,
                "slips": level.slips,
                "programs": [self.place(level.agent(seat)) for seat in self.game.seats],
            }
            for level in self.levels
        ]

    def place(self, spec: str) -> dict[str, Any]:
        """Return where an agent is in the module."""
        group = next(number for number, each in enumerate(self.groups) if spec in each)
        return {
            "entry": f"choose_{group}",
            "which": self.groups[group].index(spec),
            "memory": list(policies_of(self.game, [spec])[0].memory),
        }


def alike(one: CompiledPolicy, other: CompiledPolicy) -> bool:
    """Say whether two policies can be one entry: they differ in numbers alone."""
    return (
        one.act is other.act
        and len(one.memory) == len(other.memory)
        and shape_of(one.constants) == shape_of(other.constants)
    )


def shape_of(constants: Any) -> list[Any]:
    """Return what Numba tells constants apart by."""
    from numba import typeof

    return [type(constants), typeof(constants)]
