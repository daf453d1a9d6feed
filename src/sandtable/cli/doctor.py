"""``sandtable doctor``: is everything there that is needed, and what is missing of the rest?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from sandtable.cli.common import EXIT_ERROR, new_command, write_json
from sandtable.cli.findings import BROKEN, EXAMINATIONS, MISSING, WARNING, Finding

command = new_command()

COLOURS = {MISSING: "yellow", WARNING: "yellow", BROKEN: "red"}


@command.command()
def doctor(
    json: Path | None = typer.Option(None, "--json", help="Write the findings to this file."),
) -> None:
    """Report versions, extras, caches, GPU and plug-ins, and how to mend what is wrong.

    The exit code is 1 if something that is needed is broken; extras that are not installed are
    only listed, with the command that installs them.

    Examples:

      sandtable doctor

      sandtable doctor --json doctor.json
    """
    from rich.console import Console

    if json:
        write_json(json, None)
    terminal = Console(stderr=True)
    found: list[Finding] = []
    for name, examine in EXAMINATIONS.items():
        with terminal.status(f"looking at {name} ..."):
            found += examine()
    show(found)
    if json:
        write_json(json, {"findings": [asdict(each) for each in found]})
        typer.echo(f"Findings: {json}")
    broken = [each for each in found if each.state == BROKEN]
    if broken:
        names = ", ".join(each.part for each in broken)
        typer.echo(f"broken although needed: {names}", err=True)
        raise typer.Exit(EXIT_ERROR)


def show(findings: list[Finding]) -> None:
    """Print the findings, one line each, with the cure under what is not fine."""
    width = max(len(each.part) for each in findings)
    for each in findings:
        state = typer.style(f"{each.state:8}", fg=COLOURS.get(each.state, "green"))
        typer.echo(f"{state} {each.part:{width}}  {each.text}")
        if each.cure:
            typer.echo(f"{'':8} {'':{width}}  -> {each.cure}")
