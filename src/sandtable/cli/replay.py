"""``sandtable replay``: recorded games turn by turn, and whether they are sound."""

from __future__ import annotations

from pathlib import Path

import typer

from sandtable.cli.common import EXIT_ERROR, new_command
from sandtable.errors import SandtableError

command = new_command()


@command.command()
def replay(
    source: str | None = typer.Argument(
        None,
        metavar="FILE|ID",
        show_default=False,
        help="A file of records (.jsonl or an archive), or the id of a game in the archive.",
    ),
    archive: str | None = typer.Option(
        None, "--archive", envvar="SANDTABLE_ARCHIVE", help="Where to look for an id."
    ),
    number: int | None = typer.Option(None, "--number", "-n", help="Which game: its number."),
    identity: str | None = typer.Option(None, "--id", help="Which game: its id."),
    check: bool = typer.Option(False, "--check", help="Only check that every game is sound."),
    turn: int | None = typer.Option(
        None, "--turn", "-t", min=0, help="Show this turn (0: the start); begin there if you step."
    ),
    seat: str | None = typer.Option(None, "--seat", help="Show only what this seat may know."),
    delay: float | None = typer.Option(
        None, "--delay", min=0.0, help="Go on by itself, after so many seconds a turn."
    ),
    svg: Path | None = typer.Option(
        None, "--svg", metavar="FOLDER", help="Draw every turn into a file in this folder."
    ),
) -> None:
    """Play recorded games again and check every move, the dice and the result.

    In a terminal you step through the game turn by turn; in a pipe all of it is printed.

    Examples:

      sandtable replay games.jsonl

      sandtable replay games.db --number 17 --turn 5

      sandtable replay 31146386e5-17 --archive games.db --svg pictures

      sandtable replay games.jsonl --check
    """
    from contextlib import closing

    from sandtable.cli.replaying import Show, check_all, choose_game, open_source

    with closing(open_source(source, archive)) as wanted:
        if check:
            if not (number is None and turn is None and svg is None and wanted.identity is None):
                raise SandtableError("--check looks at all games of a file; name only the file")
            if not check_all(wanted.store, wanted.path):
                raise typer.Exit(EXIT_ERROR)
            return
        record = choose_game(wanted, number, identity)
    show = Show(record, seat)
    show.run(turn=turn, delay=delay, folder=svg)
