"""``sandtable games``: which games are installed."""

from __future__ import annotations

import typer

from sandtable.cli.common import new_command

command = new_command()


@command.command()
def games() -> None:
    """List the installed games with their facts.

    Example: `sandtable games`
    """
    from rich.console import Console
    from rich.table import Table

    from sandtable.errors import SandtableError
    from sandtable.registry import FAMILIES, family_names, game_names, make_game, summary

    table = Table(title="Games", title_justify="left")
    for heading in ("name", "title", "seats", "dice", "hidden", "rules", "actions"):
        table.add_column(heading)
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
            f"version {game.version}",
            str(game.action_count),
        )
    Console().print(table)
    for family in family_names():
        try:
            typer.echo(f"{family}.NAME: {summary(FAMILIES, family)}")
        except SandtableError as error:
            problems.append(str(error))
    for problem in problems:
        typer.echo(f"warning: {problem}", err=True)
