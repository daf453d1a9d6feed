"""``sandtable reproduce``: the published tables, played again."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandtable.cli.common import EXIT_STOPPED, complete_game, new_command, write_json
from sandtable.cli.options import (
    ClusterOption,
    JobsOption,
    ReportOption,
    SeedOption,
    games_option,
)
from sandtable.cli.text import counted, write
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from rich.console import Console

    from sandtable.reproduce.reproduction import Reproduction
    from sandtable.reproduce.run import Settings
    from sandtable.types import Game

command = new_command()

GAME_HELP = "The game; by default every game with published tables."
QUICK_HELP = "A fraction of the games, for a first look."
JSON_HELP = "Write the rows to this file."
ROWS_HELP = "Only these rows, by their agents: dsl-5000,simple-5000."
STUDY_HELP = "Measure these studies of the game instead of its rows; 'all' are all."
STUDIES_HELP = "List the studies: what a paper says about its method, and what we found."
VARIANT_HELP = "Only these variants of a study."
PAPERS_HELP = "Every numbered table and figure of the papers beside ours, from --from FOLDER."
FOLDER_HELP = "Where finished variants of studies are kept."
FROM_HELP = "Play nothing: show the rows of this file, or of all in this folder."


@command.command()
def reproduce(
    game: Annotated[
        str | None, typer.Argument(help=GAME_HELP, autocompletion=complete_game)
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help=QUICK_HELP)] = False,
    games: Annotated[int | None, games_option("Games for each row.", "--games", least=2)] = None,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    cluster: ClusterOption = None,
    json: Annotated[Path | None, typer.Option("--json", help=JSON_HELP)] = None,
    report: ReportOption = [],  # noqa: B006 - typer makes a list for every call
    rows: Annotated[str | None, typer.Option("--rows", help=ROWS_HELP)] = None,
    saved: Annotated[Path | None, typer.Option("--from", help=FROM_HELP)] = None,
    study: Annotated[str | None, typer.Option("--study", help=STUDY_HELP)] = None,
    variant: Annotated[str | None, typer.Option("--variant", help=VARIANT_HELP)] = None,
    studies: Annotated[bool, typer.Option("--studies", help=STUDIES_HELP)] = False,
    folder: Annotated[Path, typer.Option("--folder", help=FOLDER_HELP)] = Path("studies"),
    papers: Annotated[bool, typer.Option("--papers", help=PAPERS_HELP)] = False,
) -> None:
    """Play the published match-ups and put ours beside the published figures.

    Each row has its number of games, its 95% interval and a verdict: whether the two agree. A
    report in HTML is one file that needs nothing else, with plots.

    The rows are the same for any number of jobs, here or on a cluster. After Ctrl-C or a kill the
    same command goes on from there. The games of Skirmish and Stratego take hours; with --json
    FILE.json they stay in FILE.games.jsonl, and are not played again for other rows or reports.

    Examples:

      sandtable reproduce --quick --jobs 2 --report quick.html

      sandtable reproduce lucid --games 1000000 --jobs 2 --json lucid.json --report lucid.md

      sandtable reproduce skirmish --rows champion,simple-5000 --jobs 2 --json champion.json

      sandtable reproduce --from results --report report.html --report report.md

      sandtable reproduce --papers --from results --report papers.md

      sandtable reproduce lucid --studies

      sandtable reproduce lucid --study all --from results/studies --report studies.md
    """
    from sandtable.cli.reports import check_reports
    from sandtable.cli.studies import list_studies, show_papers, show_studies
    from sandtable.reproduce.run import Settings

    if rows is not None and not game:
        raise SandtableError("--rows are those of one game; name it: sandtable reproduce GAME ...")
    check_reports(report)
    settings = Settings(quick, games, seed, jobs, cluster, journals=[])
    if papers:
        show_papers(game, saved or Path("results"), report)
    elif studies:
        list_studies(game, saved or folder)
    elif study is not None:
        if not game:
            raise SandtableError("--study needs a game: sandtable reproduce GAME --study NAME")
        names, variants = study.split(","), variant.split(",") if variant else ()
        place, measure = saved or folder, saved is None
        show_studies(game, names, variants, place, settings, report, measure=measure)
    elif saved:
        show_saved(saved, game, report)
    else:
        kept = json.with_suffix(".games.jsonl") if json else None
        wanted = tuple(filter(None, (rows or "").split(",")))
        play(game, replace(settings, rows=wanted, kept=kept), json, report)


def play(game: str | None, settings: Settings, json: Path | None, report: list[Path]) -> None:
    """Play what was asked for, and write it; games that were stopped end the command."""
    from rich.console import Console

    from sandtable.cli.progress import games_progress
    from sandtable.reproduce.run import reproducible_games, run_reproduction

    if json:
        write_json(json, None)  # find out before the first game whether it can be written
    if settings.cluster is not None:
        from sandtable.arena.play.cluster import check_address

        check_address(settings.cluster)
    console = Console()
    done: list[Reproduction] = []
    for name in [game] if game else reproducible_games():
        done.append(run_reproduction(name, settings, games_progress))
        show(console, done[-1], played_only=True)
        if not done[-1].complete:
            break
    if json:
        data = [each.as_data() for each in done]
        write_json(json, data[0] if game else data)
        typer.echo(f"Rows: {json}")
    write_reports(report, done, command_words(game, settings))
    if not all(each.complete for each in done):
        again = "the same command goes on from here"
        typer.echo(f"stopped; the rows above that were played are complete; {again}", err=True)
        raise typer.Exit(EXIT_STOPPED)
    for path in settings.journals or ():
        path.unlink(missing_ok=True)
    if settings.quick:
        typer.echo("Next things to try:")
        for arguments, purpose in next_things([each.game for each in done]):
            write(f"  {f'{program_name()} {arguments}':52}  {purpose}", indent="      ")


def next_things(games: Sequence[str]) -> list[tuple[str, str]]:
    """Return commands to go on with, and what each is for, in the game with the fewest seats."""
    from sandtable.registry import make_game

    game = min((make_game(name) for name in games), key=lambda game: len(game.seats))
    first, *others = game.seats
    opponents = " ".join(usual_opponent(game, seat) for seat in others)
    return [
        (f"play {game.name} human {opponents}", f"play {first.capitalize()} yourself"),
        (f"match {game.name} random {opponents}", "how bad is playing at random?"),
        (f"show {game.name} --out board.svg", "draw the board"),
        ("agents", "who can play, with which options"),
        ("--help", "everything else"),
    ]


def usual_opponent(game: Game, seat: str) -> str:
    """Return an agent for a seat: the first of the game's own, or else one for any game."""
    from sandtable.registry import agent_factory, agent_names

    for name in agent_names(game.name):
        seats = getattr(agent_factory(name), "seats", ()) or game.seats
        if name.startswith(f"{game.name}/") and seat in seats:
            return name
    return "random"


def command_words(game: str | None, settings: Settings) -> str:
    """Return the command that makes the same rows, wherever they are played."""
    words = ["sandtable reproduce", game or "", "--quick" if settings.quick else ""]
    words += [f"--games {settings.games}" if settings.games else "", f"--seed {settings.seed}"]
    words += [f"--rows {','.join(settings.rows)}" if settings.rows else ""]
    return " ".join(word for word in words if word)


def show_saved(path: Path, game: str | None, report: list[Path]) -> None:
    """Show what was played before."""
    from rich.console import Console

    from sandtable.reproduce.report import load_reproductions

    found = load_reproductions(path)
    if game:
        known = ", ".join(each.game for each in found)
        found = [each for each in found if each.game == game]
        if not found:
            raise SandtableError(f"there are no rows of '{game}' in {path} (there are of: {known})")
    console = Console()
    for each in found:
        show(console, each)
    words = f"sandtable reproduce{f' {game}' if game else ''} --from {path}"
    write_reports(report, found, words, path if path.is_dir() else None)


def write_reports(
    report: list[Path], done: Sequence[Reproduction], words: str, results: Path | None = None
) -> None:
    """Write the reports that were asked for."""
    from sandtable.cli.reports import write_report
    from sandtable.reproduce.report import reproduction_page

    for path in report:
        write_report(path, reproduction_page(done, words, results))
        typer.echo(f"Report: {path}")


def program_name() -> str:
    """Return how this program can be called from here: by name, or by its place."""
    return "sandtable" if shutil.which("sandtable") else os.path.relpath(sys.argv[0])


def show(console: Console, reproduction: Reproduction, *, played_only: bool = False) -> None:
    """Print the sheets of a reproduction, the first under its title.

    After a run only what was played is told, and how many published rows there are besides.
    """
    from sandtable.cli.reports import terminal_table

    heading = f"{reproduction.title}\n{reproduction.source}"
    if not any(line.played for sheet in reproduction.sheets(wide=False) for line in sheet.lines):
        console.print(heading, style="italic", highlight=False, markup=False)
    for sheet in reproduction.sheets(wide=False):
        title = "\n\n".join(part for part in (heading, sheet.title) if part)
        lines = tuple(line for line in sheet.lines if line.played)
        left_out = len(sheet.lines) - len(lines) if played_only else 0
        if lines or not played_only:
            shown = replace(sheet, lines=lines) if played_only else sheet
            console.print(terminal_table(shown, title))
            heading = ""
        if left_out:
            rows = counted(left_out, "published row")
            write(f"{rows} not played here: {program_name()} reproduce {reproduction.game}")
