"""``sandtable classes``: tournaments that classes have played in the browser, and their results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import new_command, write_json, write_text
from sandtable.cli.options import JsonOption
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.reports.pages import Sheet
    from sandtable.server.classes.tournament import ClassTournament

command = new_command()


@command.command()
def classes(
    name: str | None = typer.Argument(
        None, help="The tournament, by its name or title; without it all are listed."
    ),
    data: Path = typer.Option(
        Path("sandtable-data"), "--data", help="The folder of sandtable serve."
    ),
    table: Path | None = typer.Option(
        None, "--csv", help="Write the standings to this file, for a spreadsheet."
    ),
    json: JsonOption = None,
) -> None:
    """Show the tournaments of classes that were played in the browser, or write out one of them.

    The server may be running meanwhile.

    Examples:

      sandtable classes

      sandtable classes "Class 8b" --csv standings.csv --json results.json
    """
    from rich.console import Console

    from sandtable.cli.tables import terminal_table
    from sandtable.server.classes.results import csv_text, result_data
    from sandtable.server.classes.storage import read_classes

    if json:
        write_json(json, None)
    if table:
        write_text(table, None)
    found = read_classes(data)
    if name is None and len(found) != 1 and (json or table):
        raise SandtableError("say which tournament is meant; 'sandtable classes' lists them")
    if name is None and not (json or table):
        if not found:
            typer.echo(f"No class has played a tournament in {data} yet.")
            return
        Console().print(terminal_table(list_sheet(found), "Tournaments of classes"))
        return
    chosen = found[0] if name is None else named(found, name)
    Console().print(terminal_table(standings_sheet(chosen), chosen.title))
    if table:
        write_text(table, csv_text(chosen))
    if json:
        write_json(json, result_data(chosen))
    for path in filter(None, (table, json)):
        typer.echo(f"Results: {path}")


def named(found: list[ClassTournament], name: str) -> ClassTournament:
    """Return the tournament that a name or a title means."""
    fitting = [each for each in found if name in (each.name, each.title)]
    if not fitting:
        raise SandtableError(f"there is no tournament '{name}'; 'sandtable classes' lists them")
    if len(fitting) > 1:
        names = ", ".join(each.name for each in fitting)
        raise SandtableError(f"several are called '{name}'; name one of {names}")
    return fitting[0]


def list_sheet(found: list[ClassTournament]) -> Sheet:
    """Return all tournaments as a table."""
    from sandtable.reports.pages import Line, Sheet

    lines = []
    for each in found:
        state = "over" if each.over else f"round {len(each.rounds)}"
        cells = (each.name, each.title, each.game, each.kind, str(len(each.players)), state)
        lines.append(Line(cells))
    return Sheet(
        ("name", "title", "game", "kind", "players", "state"),
        tuple(lines),
        frozenset({"name", "title", "game", "kind", "state"}),
    )


def standings_sheet(tournament: ClassTournament) -> Sheet:
    """Return the standings as a table."""
    from sandtable.reports.pages import Line, Sheet
    from sandtable.server.classes.results import result_data

    data = result_data(tournament)
    lines = []
    for row in data["standings"]:
        counts = f"{row['won']} {row['drawn']} {row['lost']}"
        cells = (str(row["place"]), row["player"], f"{row['points']:g}", counts, str(row["byes"]))
        lines.append(Line((*cells, f"{row['tie_break']:g}")))
    return Sheet(
        ("#", "player", "points", "won drawn lost", "byes", "tie-break"),
        tuple(lines),
        frozenset({"player"}),
        caption="; ".join([f"tie-break: {data['tie_break']}", *data["notes"]]),
    )
