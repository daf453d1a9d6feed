"""What ``sandtable reproduce --study`` does: studies measured, listed and shown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_STOPPED
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.reproduce.run import Settings
    from sandtable.reproduce.studies import StudyResult

__all__ = ["list_studies", "show_papers", "show_studies"]


def list_studies(game: str | None, folder: Path) -> None:
    """Print what can be studied, how long it takes, and what was found."""
    from sandtable.registry import game_names
    from sandtable.reproduce.studies import read_study, studies_of

    games = [game] if game else [name for name in game_names() if studies_of(name)]
    for name in games:
        if not studies_of(name):
            raise SandtableError(f"there are no studies of '{name}'")
        for study in studies_of(name):
            verdict = read_study(name, study, folder).finding.verdict
            minutes = f"{max(study.minutes, 1):.0f} min"
            typer.echo(f"{name} {study.name}  ({minutes} on one core; {verdict})")
            typer.echo(f"    {study.title}: {', '.join(each.name for each in study.variants)}")


def show_studies(
    game: str,
    names: Sequence[str],
    variants: Sequence[str],
    folder: Path,
    settings: Settings,
    report: Sequence[Path],
    *,
    measure: bool,
) -> None:
    """Measure what is not kept yet (or only read what is), print it and write the reports."""
    from rich.console import Console

    from sandtable.cli.progress import games_progress
    from sandtable.cli.reports import terminal_table, write_report
    from sandtable.reports.pages import Page
    from sandtable.reproduce.studies import read_study, run_study, wanted_studies
    from sandtable.reproduce.study_pages import study_section

    wanted = wanted_studies(game, names)
    if measure:
        check_folder(folder)
    console = Console()
    done: list[StudyResult] = []
    try:
        for study in wanted:
            done.append(
                run_study(game, study, folder, settings, games_progress, variants)
                if measure
                else read_study(game, study, folder)
            )
            section = study_section(done[-1])
            for sheet in section.sheets:
                console.print(terminal_table(sheet, f"{section.title}\n{section.source}"))
            for remark in section.remarks:
                console.print(f"- {remark}", markup=False, highlight=False)
    except KeyboardInterrupt:
        typer.echo(
            f"stopped; finished variants are kept in {folder}; the same command goes on", err=True
        )
        raise typer.Exit(EXIT_STOPPED) from None
    words = f"sandtable reproduce {game} --study {','.join(names)}"
    page = Page(f"Studies of {game}", words, tuple(study_section(each) for each in done))
    for path in report:
        write_report(path, page)
        typer.echo(f"Report: {path}")


def show_papers(game: str | None, results: Path, report: Sequence[Path]) -> None:
    """Print the tables and figures of the papers with their verdicts, and write the reports."""
    from sandtable.cli.reports import write_report
    from sandtable.registry import game_names
    from sandtable.reproduce.papers import papers_of, papers_page

    games = [game] if game else [name for name in game_names() if papers_of(name)]
    if not any(map(papers_of, games)):
        raise SandtableError(f"there is no list of the papers of '{game or 'any game'}'")
    page = papers_page(games, results, f"sandtable reproduce --papers --from {results}")
    for section in page.sections:
        typer.echo(section.title)
        for line in section.sheets[0].lines:
            item, about, _, verdict, _ = line.cells
            typer.echo(f"  {item:11} {verdict:15} {about}")
    for path in report:
        write_report(path, page)
        typer.echo(f"Report: {path}")


def check_folder(folder: Path) -> None:
    """Find out before the first game whether figures can be kept."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise SandtableError(f"cannot write {folder}: {problem.strerror}") from problem
    if not os.access(folder, os.W_OK):
        raise SandtableError(f"cannot write {folder}: no permission")
