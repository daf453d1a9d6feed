"""``sandtable reproduce``: the published tables, played again."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_STOPPED, complete_game, new_command, write_json, write_text
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.table import Table

    from sandtable.reproduce.reproduction import Reproduction, Sheet

command = new_command()

NEXT_THINGS = (
    ("play lucid human lucid/axes-red", "play Blue yourself"),
    ("match lucid random lucid/axes-red", "how bad is playing at random?"),
    ("show lucid --out board.svg", "draw the board"),
    ("agents", "who can play, with which options"),
    ("--help", "everything else"),
)


@command.command()
def reproduce(
    game: str | None = typer.Argument(
        None,
        help="The game; by default every game with published tables.",
        autocompletion=complete_game,
    ),
    quick: bool = typer.Option(False, "--quick", help="A fraction of the games, for a first look."),
    games: int | None = typer.Option(None, "--games", "-n", min=2, help="Games for each row."),
    seed: int = typer.Option(0, "--seed", "-s", help="Same seed, same games."),
    jobs: int = typer.Option(1, "--jobs", "-j", min=1, help="Play so many games side by side."),
    json: Path | None = typer.Option(None, "--json", help="Write the rows to this file."),
    report: Path | None = typer.Option(None, "--report", help="Write a page of Markdown."),
    rows: str | None = typer.Option(
        None, "--rows", help="Only these rows, by their agents: dsl-5000,simple-5000."
    ),
) -> None:
    """Play the published match-ups and put ours beside the published figures.

    Each row has its number of games, its 95% interval and a verdict: whether the two agree.

    With --json FILE.json, games that take long are kept in FILE.games.jsonl as they are finished:
    after Ctrl-C or a kill the same command goes on from there.

    Examples:

      sandtable reproduce lucid --quick

      sandtable reproduce lucid --games 1000000 --jobs 2 --json lucid.json --report lucid.md

      sandtable reproduce skirmish --jobs 2 --json skirmish.json --report skirmish.md

      sandtable reproduce skirmish --rows champion,simple-5000 --jobs 2 --json champion.json
    """
    from rich.console import Console

    from sandtable.cli.progress import games_progress
    from sandtable.reproduce.report import markdown
    from sandtable.reproduce.running import Settings, reproducible_games, run_reproduction

    if rows is not None and not game:
        raise SandtableError("--rows are those of one game; name it: sandtable reproduce GAME ...")
    if json:
        write_json(json, None)
    if report:
        write_text(report, None)
    settings = Settings(
        quick=quick,
        games=games,
        seed=seed,
        jobs=jobs,
        rows=tuple(filter(None, (rows or "").split(","))),
        kept=json.with_suffix(".games.jsonl") if json else None,
    )
    console = Console()
    done: list[Reproduction] = []
    for name in [game] if game else reproducible_games():
        done.append(run_reproduction(name, settings, games_progress))
        show(console, done[-1])
        if not done[-1].complete:
            break
    words = ["sandtable reproduce", game or "", "--quick" if quick else ""]
    words += [f"--games {games}" if games else "", f"--seed {seed}"]
    words += [f"--rows {rows}" if rows else ""]
    if json:
        data = [each.as_data() for each in done]
        write_json(json, data[0] if game else data)
        typer.echo(f"Rows: {json}")
    if report:
        write_text(report, markdown(done, " ".join(word for word in words if word)))
        typer.echo(f"Report: {report}")
    if not all(each.complete for each in done):
        again = "; the same command goes on from here" if settings.kept else ""
        typer.echo(f"stopped; the rows above that were played are complete{again}", err=True)
        raise typer.Exit(EXIT_STOPPED)
    if quick:
        typer.echo("Next things to try:")
        for arguments, purpose in NEXT_THINGS:
            typer.echo(f"  {f'{program_name()} {arguments}':54}  {purpose}")


def program_name() -> str:
    """Return how this program can be called from here: by name, or by its place."""
    return "sandtable" if shutil.which("sandtable") else os.path.relpath(sys.argv[0])


def terminal_table(sheet: Sheet, title: str) -> Table:
    """Return one sheet for the terminal."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, collapse_padding=True)
    table.header_style = "bold underline"
    for heading in sheet.headings:
        justify: JustifyMethod = "left" if heading in sheet.words else "right"
        table.add_column(heading, justify=justify, no_wrap=True)
    for line in sheet.lines:
        table.add_row(*line.cells, style=None if line.played else "dim")
    table.caption = sheet.caption
    table.caption_justify = "left"
    return table


def show(console: Console, reproduction: Reproduction) -> None:
    """Print the sheets of a reproduction, the first under its title."""
    heading = f"{reproduction.title}\n{reproduction.source}"
    for sheet in reproduction.sheets(wide=False):
        title = "\n\n".join(part for part in (heading, sheet.title) if part)
        console.print(terminal_table(sheet, title))
        heading = ""
