"""The options that several commands share, each with the same name, letter and words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sandtable.cli.common import complete_agent, complete_game

__all__ = [
    "ArchiveOption",
    "ClusterOption",
    "FreshOption",
    "GameArgument",
    "JobsOption",
    "JsonOption",
    "MoveTimeOption",
    "OpponentOption",
    "ReportOption",
    "SeedOption",
    "SuiteOption",
    "VaryOption",
    "agents_argument",
    "games_option",
]

GameArgument = Annotated[str, typer.Argument(help="The game.", autocompletion=complete_game)]
SeedOption = Annotated[int, typer.Option("--seed", "-s", help="Same seed, same games.")]
JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        min=1,
        help="Play so many games side by side (default 1; on a cluster all it has room for).",
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="HOST:PORT",
        help="Play on the Ray cluster at this address (needs the extra 'cluster').",
    ),
]
FreshOption = Annotated[
    bool, typer.Option("--fresh", help="Start over, even if this command was stopped before.")
]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Write the results to this file.")]
ReportOption = Annotated[
    list[Path],
    typer.Option(
        "--report",
        help="Write a report: HTML (.html), Markdown (.md, plots beside it), or its tables as CSV "
        "(.csv) or LaTeX (.tex).",
    ),
]
ArchiveOption = Annotated[
    str | None,
    typer.Option(
        "--archive", help="Keep every game: a .jsonl file, a database file, or postgresql://..."
    ),
]
MoveTimeOption = Annotated[
    float,
    typer.Option(
        "--move-time",
        min=0.0,
        help="Seconds an agent may think about a move; 0: no limit.",
    ),
]
VaryOption = Annotated[
    list[str],
    typer.Option(
        "--vary", help="A suite: option=value,value,... of the game, or level=random-0..19."
    ),
]
SuiteOption = Annotated[
    Path | None,
    typer.Option("--suite", help="A suite from a file: the spec of a game in every line."),
]
OpponentOption = Annotated[
    str | None,
    typer.Option(
        "--against",
        help="Both meet this opponent on the same deals, and not each other.",
        autocompletion=complete_agent,
    ),
]


def agents_argument(words: str, metavar: str | None = None) -> typer.models.ArgumentInfo:
    """Return an argument that is an agent, or several."""
    found: typer.models.ArgumentInfo = typer.Argument(
        help=words, metavar=metavar, autocompletion=complete_agent
    )
    return found


def games_option(words: str, *names: str, least: int = 1) -> typer.models.OptionInfo:
    """Return an option that is a number of games."""
    found: typer.models.OptionInfo = typer.Option(*names, "-n", min=least, help=words)
    return found
