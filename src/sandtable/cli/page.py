"""``sandtable page``: a file in which a game is played against its programs without a server."""

from __future__ import annotations

import gzip
from pathlib import Path

import typer

from sandtable.cli.common import complete_game, new_command, write_text

command = new_command()

PATIENCE = "compiling the game for the browser (the first time, about half a minute) ..."


@command.command()
def page(
    game: str = typer.Argument(
        ...,
        help="The game; with options, the page has that one only.",
        autocompletion=complete_game,
    ),
    out: Path | None = typer.Option(
        None,
        "--out",
        "-o",
        help="A file that ends in .html, or a folder, which gets an index.html.",
        show_default="GAME.html",
    ),
    level: str = typer.Option(
        "easy", "--level", "-l", help="The opponent that is proposed; all can be chosen."
    ),
    seat: str | None = typer.Option(
        None, "--seat", help="Where a person sits at first.", show_default="the first seat"
    ),
    position: str | None = typer.Option(
        None, "--position", "-p", help="Where every game starts, in one line."
    ),
    title: str | None = typer.Option(
        None, "--title", help="What stands over the board.", show_default="the game's"
    ),
) -> None:
    """Write one file of HTML in which a game is played in the browser alone.

    It needs no server: put it on any web space, send it to a class, or open it from a folder.
    Rules and opponents are the same kernels as everywhere, compiled to WebAssembly.

    Examples:

      sandtable page skirmish

      sandtable page skirmish:level=3 --level champion --seat second -o blog/skirmish

      sandtable page skirmish -p "8/8/3t4/8/8/3S4/8/3T4 f 1 5,9,2" --title "Take the town"
    """
    from sandtable.cli.waiting import said_meanwhile
    from sandtable.pages.export import PageOptions, page_of
    from sandtable.registry import make_game

    made = make_game(game)
    path = Path(f"{made.name}.html") if out is None else out
    if path.suffix.lower() not in (".html", ".htm"):
        path /= "index.html"
    write_text(path, None)
    with said_meanwhile(PATIENCE):
        text = page_of(made, PageOptions(level, seat, position, title))
    write_text(path, text)
    packed = len(gzip.compress(text.encode(), 9))
    typer.echo(f"{path}: {len(text.encode()) / 1000:,.0f} kB, {packed / 1000:,.0f} kB compressed")
