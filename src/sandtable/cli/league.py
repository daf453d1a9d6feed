"""``sandtable league``: standing leagues of bots, for whoever runs one or works for one."""

from __future__ import annotations

import secrets
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from sandtable.cli.common import complete_game, new_command, write_json, write_text
from sandtable.cli.league_authors import authors
from sandtable.cli.league_work import workers
from sandtable.cli.options import JsonOption
from sandtable.cli.serve import LIBRARIES
from sandtable.cli.text import counted, write
from sandtable.errors import MissingExtra, SandtableError, suggestion

if TYPE_CHECKING:
    from sandtable.league.application import Leagues
    from sandtable.league.standings import Standings
    from sandtable.league.store import League, Store
    from sandtable.reports.pages import Sheet

command = new_command()

FILE = "leagues.db"

DataOption = Annotated[
    Path, typer.Option("--data", help="The folder of the leagues, with their database.")
]
DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--database",
        envvar="SANDTABLE_LEAGUES",
        help="Another database: a file, or postgresql://USER:PASSWORD@HOST/DATABASE.",
    ),
]
LeagueArgument = Annotated[str, typer.Argument(help="The league, by its name.")]
FOLDER = Path("sandtable-leagues")


@command.callback()
def league() -> None:
    """Run a standing league of bots, work for one, or take part in one.

    Examples:

      sandtable league new open skirmish --title "Open league"

      sandtable league serve

      sandtable league work http://127.0.0.1:8100 --token TOKEN

      sandtable league join http://127.0.0.1:8100 open ann

      sandtable league register http://127.0.0.1:8100 open greedy --agent skirmish/greedy
    """


def opened(data: Path, database: str | None, *, create: bool = False) -> Store:
    """Open the database of leagues."""
    from sandtable.league.store import Store

    return Store.open(database or data / FILE, create=create)


def league_of(store: Store, name: str) -> League:
    """Return a league by its name; one that is not there is told with those that are."""
    from sandtable.league.store import NoSuchThing

    try:
        return store.league(name)
    except NoSuchThing:
        known = [league.name for league in store.leagues()]
        there = f"known here: {', '.join(known)}" if known else "'sandtable league new' makes one"
        raise SandtableError(
            f"there is no league '{name}' ({there}).{suggestion(name, known)}"
        ) from None


@command.command()
def new(
    name: LeagueArgument,
    game: Annotated[str, typer.Argument(help="Its game.", autocompletion=complete_game)],
    title: Annotated[str, typer.Option("--title", help="What it is called on its pages.")] = "",
    private: Annotated[
        bool, typer.Option("--private", help="Only whoever has its join key sees it or joins.")
    ] = False,
    move_time: Annotated[
        float, typer.Option("--move-time", min=0.01, help="Seconds a bot may think about a move.")
    ] = 10.0,
    seed: Annotated[
        int | None, typer.Option("--seed", "-s", min=0, help="Same seed, same dice; secret.")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=1, help="End after so many; default: never.")
    ] = None,
    data: DataOption = FOLDER,
    database: DatabaseOption = None,
) -> None:
    """Begin a league.

    Without --seed it draws one: nobody, not even its operator, needs to know it.

    Example: `sandtable league new course skirmish --private`
    """
    key = secrets.token_urlsafe(9) if private else None
    store = opened(data, database, create=True)
    try:
        made = store.add_league(
            name,
            game,
            title=title,
            seed=seed,
            move_time=move_time,
            most_rounds=rounds,
            join_key=key,
        )
    finally:
        store.close()
    typer.echo(f"The league '{made.name}' plays {made.game_spec}.")
    if key is not None:
        typer.echo(f"Its join key, shown only now: {key}")


@command.command()
def serve(
    data: DataOption = FOLDER,
    database: DatabaseOption = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="The port; 0: any free one.")
    ] = 8100,
    allow_host: Annotated[
        list[str], typer.Option("--allow-host", help="NAME or NAME:PORT under which it is reached.")
    ] = [],  # noqa: B006 - typer makes a list for every call
    programs: Annotated[
        bool | None,
        typer.Option(
            "--programs/--no-programs",
            help="Take programs of authors, or none (default: where this machine has a sandbox).",
        ),
    ] = None,
    lease: Annotated[
        float, typer.Option("--lease", min=1.0, help="Seconds until a silent worker's deals go on.")
    ] = 60.0,
) -> None:
    """Serve the leagues of a folder: pages for people, deals for workers. Ctrl-C stops it.

    It may be killed at any time; started again, it goes on where it was.

    Example: `sandtable league serve --host 0.0.0.0 --allow-host league.example.org:8100`
    """
    serving = load_web("sandtable.league.serve", "'sandtable league serve'")
    opened(data, database).close()
    serving.serve_leagues(
        data, database or str(data / FILE), host=host, port=port, hosts=tuple(allow_host),
        programs=programs, lease_seconds=lease, ready=tell_ready,
    )  # fmt: skip


def load_web(module: str, purpose: str) -> ModuleType:
    """Return a module that needs the extra ``web``, or say so."""
    try:
        return import_module(module)
    except ModuleNotFoundError as problem:
        if problem.name and problem.name.partition(".")[0] in LIBRARIES:
            raise MissingExtra(purpose, "web") from None
        raise


def tell_ready(address: str, leagues: Leagues) -> None:
    """Print where the server is, and how workers join."""
    from sandtable.league.sandbox.programs import sandbox_problem

    names = ", ".join(each.name for each in leagues.store.leagues()) or "none yet"
    typer.echo(f"Leagues are at {address} ({names}; Ctrl-C stops it)")
    typer.echo(
        f"A worker joins with: sandtable league work {address} --token {leagues.worker_token}"
    )
    problem = sandbox_problem()
    if leagues.programs and problem:
        write(
            f"note: programs of authors are accepted, but this machine has no sandbox ({problem}); "
            "workers without one leave them to others"
        )
    if not leagues.programs:
        write(f"Programs of authors are not accepted{f': {problem}' if problem else ''}.")


@command.command()
def table(
    name: LeagueArgument,
    data: DataOption = FOLDER,
    database: DatabaseOption = None,
    json: JsonOption = None,
) -> None:
    """Show the table of a league. The server may run meanwhile.

    Example: `sandtable league table open --json table.json`
    """
    from rich.console import Console

    from sandtable.cli.tables import terminal_table
    from sandtable.league.standings import standings_of

    if json:
        write_json(json, None)
    store = opened(data, database)
    try:
        found = league_of(store, name)
        standings = standings_of(store, found)
    finally:
        store.close()
    if standings.rows:
        Console().print(terminal_table(table_sheet(standings), found.title))
    else:
        typer.echo(f"The league '{name}' has no bots yet; 'sandtable league register' brings one.")
    if json:
        write_json(json, {"league": name, "game": found.game_spec, "table": standings.as_data()})
        typer.echo(f"Results: {json}")


def table_sheet(standings: Standings) -> Sheet:
    """Return the table of a league as text."""
    from sandtable.league.words import interval_text, rating_text, share_text
    from sandtable.reports.pages import Line, Sheet

    lines = [
        Line((
            str(place), row.bot.name, row.bot.author, rating_text(row.rating),
            interval_text(row.rating), share_text(row.share), f"{row.deals:,}",
            str(row.forfeits),
        ))
        for place, row in enumerate(standings.rows, start=1)
    ]  # fmt: skip
    headings = ("#", "bot", "author", "rating", "95%", "points", "deals", "forfeits")
    notes = "; ".join(f"where there is no interval: {note}" for note in standings.notes)
    return Sheet(headings, tuple(lines), frozenset({"bot", "author"}), caption=notes)


@command.command()
def export(
    name: LeagueArgument,
    file: Annotated[Path, typer.Argument(help="A .jsonl file of records.")],
    data: DataOption = FOLDER,
    database: DatabaseOption = None,
) -> None:
    """Write all games of a league to a file, for replay, archive or another tool.

    Example: `sandtable league export open games.jsonl`
    """
    from sandtable.league.games import all_records
    from sandtable.records.lines import record_to_line

    if file.suffix != ".jsonl":
        raise SandtableError(f"games are written to a file that ends in .jsonl, not {file}")
    write_text(file, None)
    store = opened(data, database)
    try:
        lines = [record_to_line(record) for record in all_records(store, league_of(store, name))]
    finally:
        store.close()
    write_text(file, "".join(f"{line}\n" for line in lines))
    typer.echo(f"{counted(len(lines), 'game')} written to {file}")


@command.command()
def expel(
    name: LeagueArgument,
    author: Annotated[str, typer.Argument(help="The author.")],
    data: DataOption = FOLDER,
    database: DatabaseOption = None,
) -> None:
    """Let an author do nothing more in a league, and retire all of that author's bots.

    Example: `sandtable league expel open mallory`
    """
    from sandtable.league.bots import expel as out

    store = opened(data, database)
    try:
        retired = out(store, league_of(store, name), author)
    finally:
        store.close()
    typer.echo(f"'{author}' may do nothing more; {counted(retired, 'bot')} retired.")


@command.command()
def token(
    name: LeagueArgument,
    author: Annotated[str, typer.Argument(help="The author.")],
    data: DataOption = FOLDER,
    database: DatabaseOption = None,
) -> None:
    """Give an author who has lost the token another one; the old one is worth nothing then.

    Example: `sandtable league token open ann`
    """
    from sandtable.league.bots import renew_token

    store = opened(data, database)
    try:
        made = renew_token(store, league_of(store, name), author)
    finally:
        store.close()
    typer.echo(f"The token of '{author}', shown only now: {made}")


@command.command()
def sandbox() -> None:
    """Say what is enforced on this machine around programs of authors.

    Example: `sandtable league sandbox`
    """
    from sandtable.league.sandbox.programs import sandbox_lines, sandbox_problem

    for line in sandbox_lines():
        write(line, indent="  ")
    if sandbox_problem():
        raise typer.Exit(1)


command.registered_commands += workers.registered_commands + authors.registered_commands
