"""``sandtable agents``: which agents are installed, and their options."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import typer

from sandtable.cli.common import complete_game, new_command

command = new_command()


@command.command()
def agents(
    game: str | None = typer.Argument(
        None, help="Only the agents that play this game.", autocompletion=complete_game
    ),
) -> None:
    """List the installed agents: what they play, and the options of their spec strings.

    Example: `sandtable agents lucid`
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from sandtable.errors import SandtableError
    from sandtable.registry import AGENTS, agent_factory, agent_game, agent_names, summary
    from sandtable.specs import parse_spec

    only = None if game is None else parse_spec(game).name
    if game is not None:
        from sandtable.registry import make_game

        make_game(game)  # an unknown name ends here, with the nearest known one
    title = "Agents" if only is None else f"Agents that play {only}"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("name", "plays", "options"):
        table.add_column(heading, no_wrap=True)
    table.add_column("what it is")
    problems = []
    for name in agent_names(only):
        try:
            factory = agent_factory(name)
            what = summary(AGENTS, name)
        except SandtableError as problem:  # a broken plug-in must not hide the others
            problems.append(str(problem))
            continue
        plays = ": ".join([agent_game(name) or "any game", *seat_text(factory)])
        table.add_row(name, plays, option_text(factory), what)
    Console().print(table)
    for line in problems:
        typer.echo(f"warning: {line}", err=True)


def seat_text(factory: Callable[..., Any]) -> list[str]:
    """Return the seats an agent is limited to as one text, or nothing."""
    seats = getattr(factory, "seats", None)
    return [" or ".join(seats)] if seats else []


def option_text(factory: Callable[..., Any]) -> str:
    """Return the options of an agent, one a line, as a spec string has them with their defaults."""
    words = []
    for name, parameter in inspect.signature(factory).parameters.items():
        if parameter.default is inspect.Parameter.empty:
            words.append(f"{name} (needed)")
        elif parameter.default in (None, ""):
            words.append(name)
        else:
            words.append(f"{name}={parameter.default}")
    return "\n".join(words)
