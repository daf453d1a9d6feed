"""``sandtable demo``: a first look at every game, where there is no make as well."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sandtable.cli.common import new_command
from sandtable.files import make_folder

command = new_command()

FOLDER_HELP = "Where the rows and the report are written."
JOBS_HELP = "How many processes play."


@command.command()
def demo(
    folder: Annotated[Path, typer.Option("--folder", help=FOLDER_HELP)] = Path("reports"),
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help=JOBS_HELP)] = 2,
) -> None:
    """Play the published match-ups of every game, and show ours beside the published figures.

    It takes some minutes, most of them for compiling the first time. The report is a page for a
    browser, demo.html in the folder; after Ctrl-C the same command goes on from there.

    Examples:

      sandtable demo

      sandtable demo --folder first-look --jobs 4
    """
    from sandtable.cli.reproduce import reproduce

    make_folder(folder)
    report = [folder / "demo.md", folder / "demo.html"]
    reproduce(quick=True, jobs=jobs, json=folder / "demo.json", report=report)
