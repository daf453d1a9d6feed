"""What the commands share: how they are made, and how names are completed in a shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sandtable.cli.text import counted
from sandtable.files import check_writable, make_folder_of, write_whole

if TYPE_CHECKING:
    from sandtable.arena.play.run import Run

__all__ = [
    "EXIT_ERROR",
    "EXIT_FORFEIT",
    "EXIT_STOPPED",
    "EXIT_USAGE",
    "complete_agent",
    "complete_game",
    "new_command",
    "place_name",
    "print_kept",
    "print_resumed",
    "print_stopped",
    "write_json",
    "write_text",
]

EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_FORFEIT = 3
EXIT_STOPPED = 130


def new_command() -> typer.Typer:
    """Return an empty command; its file fills it with one function.

    >>> command = new_command()
    >>> @command.command()
    ... def hello() -> None:
    ...     print("hello")
    >>> len(command.registered_commands)
    1
    """
    return typer.Typer(
        add_completion=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def complete_game(incomplete: str) -> list[str]:
    """Complete the name of a game in the shell."""
    from sandtable.registry import game_names

    return [name for name in game_names() if name.startswith(incomplete)]


def complete_agent(incomplete: str) -> list[str]:
    """Complete the name of an agent in the shell."""
    from sandtable.registry import agent_names

    return [name for name in agent_names() if name.startswith(incomplete)]


def print_resumed(run: Run) -> None:
    """Say how much an earlier run of the same command had finished."""
    if run.resumed:
        typer.echo(
            f"going on from {counted(run.resumed, 'finished game')} (--fresh starts over)", err=True
        )


def print_stopped(games: int, wanted: int, run: Run) -> None:
    """Say how far a run got that was stopped, and how it goes on."""
    again = "; the same command goes on from there" if run.journal else ""
    typer.echo(f"stopped after {games:,} of {counted(wanted, 'game')}{again}", err=True)


def print_kept(games: int, new: int, archive: str) -> None:
    """Say how many games are in the archive now, and how many of them were there before."""
    already = f", {games - new:,} were there already" if games > new else ""
    typer.echo(f"{counted(new, 'game')} kept in {place_name(archive)}{already}")


def place_name(archive: str) -> str:
    """Return the name of an archive for the screen: a URL without its password."""
    if "://" not in archive:
        return archive
    from sandtable.records.connection import name_of, place_of

    return name_of(place_of(archive))


def write_text(path: Path, text: str | None) -> None:
    """Write a file whole or not at all; with None only find out whether it can be written."""
    make_folder_of(path)
    if text is None:
        check_writable(path)
    else:
        write_whole(path, text.encode())


def write_json(path: Path, data: Any | None) -> None:
    """Write a file of results; with None only find out whether it can be written."""
    write_text(path, None if data is None else json.dumps(data, indent=2) + "\n")
