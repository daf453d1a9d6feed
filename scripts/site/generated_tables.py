"""Fills in what the code and the saved results know best, so that no page says it twice.

A hook of MkDocs. A page asks with a comment of its own line:

    <!-- agents: lucid -->                  the agents of a game, as 'sandtable agents' lists them
    <!-- options: lucid -->                 their options with types and defaults; '*' for any game
    <!-- facts: lucid -->                   what the game declares about itself
    <!-- quote: results/lucid.md # Some heading -->     the tables and pictures of that section
    <!-- quote if there: results/stratego.md -->        all tables of a page that may not be there
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, get_type_hints

from links import rewritten
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mounted_pages import ROOT

REQUEST = re.compile(
    r"^<!-- (agents|options|facts|quote|quote if there)(?:: (.*?))? -->$", re.MULTILINE
)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Replace every request of a page by what it asks for."""

    def answer(request: re.Match[str]) -> str:
        kind, about = request[1], request[2] or ""
        if kind == "quote":
            return quote(about, page.file.src_uri)
        if kind == "quote if there":
            return quote_all(about, page.file.src_uri)
        return ANSWERS[kind](about)

    return REQUEST.sub(answer, markdown)


def table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table of Markdown."""
    lines = [headings, tuple("---" for _ in headings), *rows]
    return "\n".join("| " + " | ".join(cell(text) for text in row) + " |" for row in lines)


def cell(text: str) -> str:
    """Keep a text inside its cell."""
    return text.replace("|", "\\|").replace("\n", "<br>")


def agents(game: str) -> str:
    """List the agents made for one game."""
    from sandtable.registry import AGENTS, agent_factory, summary

    rows = []
    for name in names_for(game):
        seats = ", ".join(getattr(agent_factory(name), "seats", None) or ("all",))
        rows.append((f"`{name}`", seats, summary(AGENTS, name)))
    return table(("agent", "seats", "what it is"), rows)


def names_for(game: str) -> list[str]:
    """Return the agents of a game, or with ``*`` those that play any game."""
    from sandtable.registry import agent_game, agent_names

    return [name for name in agent_names() if (agent_game(name) or "*") == game]


def options(game: str) -> str:
    """Give each agent of a game a heading, its description and its options."""
    from sandtable.registry import agent_factory

    return "\n\n".join(options_of(name, agent_factory(name)) for name in names_for(game))


def options_of(name: str, factory: Callable[..., Any]) -> str:
    """Describe one agent."""
    text = inspect.cleandoc(factory.__doc__ or "").replace("``", "`")
    rows = []
    hints = get_type_hints(factory.__init__ if inspect.isclass(factory) else factory)
    for key, parameter in inspect.signature(factory).parameters.items():
        default = parameter.default
        shown = "needed" if default is inspect.Parameter.empty else f"`{default!r}`"
        rows.append((f"`{key}`", type_name(hints.get(key, str)), shown))
    listed = table(("option", "type", "default"), rows) if rows else "No options."
    return f"### {name}\n\n{text}\n\n{listed}"


def type_name(kind: Any) -> str:
    """Name a type as people write it."""
    kinds = [each for each in getattr(kind, "__args__", (kind,)) if each is not type(None)]
    names = {int: "whole number", float: "number", bool: "true or false", str: "text"}
    return names.get(kinds[0], str(getattr(kinds[0], "__name__", kinds[0])))


def facts(name: str) -> str:
    """Tell what a game with its default options declares."""
    from sandtable.registry import make_game

    game = make_game(name)
    yes = {True: "yes", False: "no"}
    scores = "; ".join(
        f"{seat} {low:g} to {high:g}"
        for seat, (low, high) in zip(game.seats, game.score_bounds, strict=True)
    )
    height, width = game.board_shape
    rows = [
        ("seats", ", ".join(f"`{seat}`" for seat in game.seats)),
        ("actions", f"{game.action_count:,}"),
        ("longest game", f"{game.max_actions:,} actions"),
        ("scores", scores),
        ("dice", yes[game.chance]),
        ("hidden information", yes[game.hidden]),
        ("position", f"{game.position_size} 16-bit integers"),
        ("observation", f"{len(game.plane_names)} planes of {height} by {width}"),
        ("rules version", str(game.version)),
    ]
    return table(("fact", f"`{name}`"), rows)


def quote(about: str, place: str) -> str:
    """Return the tables, lists and pictures of a section of another page, links put right."""
    source, _, heading = (part.strip() for part in about.partition(" # "))
    if not (ROOT / source).exists():
        raise PluginError(f"{place} quotes {source}, which is not there")
    text = (ROOT / source).read_text(encoding="utf-8")
    sections = re.split(r"^#+ (.*)$", text, flags=re.MULTILINE)
    bodies = dict(zip(sections[1::2], sections[2::2], strict=True))
    if heading not in bodies:
        raise PluginError(f"{place} quotes '{heading}' of {source}, which has no such heading")
    blocks = bodies[heading].strip().split("\n\n")
    kept = [block for block in blocks if block.startswith(("|", "!["))]
    if not kept:
        raise PluginError(f"{place} quotes '{heading}' of {source}, where there is no table")
    return rewritten("\n\n".join(kept), source, place)


def quote_all(source: str, place: str) -> str:
    """Return all tables of a page with the headings over them, one level down; or nothing."""
    if not (ROOT / source).exists():
        return ""
    text = (ROOT / source).read_text(encoding="utf-8")
    kept = [
        "**" + block.lstrip("# ") + "**" if block.startswith("###") else block
        for block in text.split("\n\n")
        if block.startswith(("|", "![", "###"))
    ]
    return rewritten("\n\n".join(kept), source, place)


ANSWERS = {"agents": agents, "options": options, "facts": facts}
