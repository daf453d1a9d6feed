"""``sandtable games``: which games are installed."""

from __future__ import annotations

import typer

from sandtable.cli.common import new_command
from sandtable.cli.text import write

command = new_command()


@command.command()
def games() -> None:
    """List the installed games with their facts, and tell about those that cannot be loaded.

    Example: `sandtable games`
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from sandtable.errors import SandtableError
    from sandtable.registry import FAMILIES, family_names, game_names, make_game, summary

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("name", no_wrap=True, overflow="ignore", style="cyan")
    for heading in ("title", "seats"):
        table.add_column(heading, overflow="fold")
    for heading in ("dice", "hidden", "rules", "actions"):
        right = heading in ("rules", "actions")
        table.add_column(heading, justify="right" if right else "left", no_wrap=True)
    problems = []
    for name in game_names():
        try:
            game = make_game(name)
        except SandtableError as error:  # a broken plug-in must not hide the others
            problems.append(str(error))
            continue
        table.add_row(
            game.name,
            game.title,
            ", ".join(game.seats),
            "yes" if game.chance else "no",
            "yes" if game.hidden else "no",
            str(game.version),
            str(game.action_count),
        )
    Console(highlight=False, markup=False).print(table)
    for family in family_names():
        try:
            write(f"{family}.NAME: {summary(FAMILIES, family)}", indent="  ")
        except SandtableError as error:
            problems.append(str(error))
    if problems:
        typer.secho("\nCannot be loaded", bold=True)
    for problem in problems:
        write(f"  {problem}", indent="    ")
