"""``sandtable league``: standing leagues of bots, for whoever runs one or works for one."""

from __future__ import annotations

import secrets
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from sandtable.cli.common import EXIT_STOPPED, complete_game, new_command, write_json, write_text
from sandtable.cli.league_authors import authors
from sandtable.cli.options import ClusterOption, JsonOption
from sandtable.cli.serve import LIBRARIES
from sandtable.cli.text import counted, write
from sandtable.errors import MissingExtra, SandtableError, suggestion

if TYPE_CHECKING:
    from sandtable.league.application import Leagues
    from sandtable.league.standings import Standings
    from sandtable.league.store import League, Store
    from sandtable.league.worker import Worked
    from sandtable.reports.pages import Sheet

command = new_command()

FILE = "leagues.db"
TOKEN = "SANDTABLE_WORKER_TOKEN"

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
def work(
    server: Annotated[str, typer.Argument(help="The address of the server.")],
    token: Annotated[
        str, typer.Option("--token", envvar=TOKEN, help="The token that the server prints.")
    ],
    files: Annotated[Path, typer.Option("--files", help="Where files of bots are kept.")] = Path(
        "sandtable-worker"
    ),
    memory: Annotated[
        int, typer.Option("--memory", min=64, help="MiB that a process of a bot may take.")
    ] = 1024,
    show: Annotated[
        list[Path], typer.Option("--show", help="A folder that programs may read, again: another.")
    ] = [],  # noqa: B006
    unprotected: Annotated[
        bool,
        typer.Option("--unprotected", help="Run what strangers wrote without a sandbox. Do not."),
    ] = False,
    deals: Annotated[int | None, typer.Option("--deals", min=1, help="Stop after so many.")] = None,
    until_idle: Annotated[
        bool, typer.Option("--until-idle", help="Stop when there is nothing to play.")
    ] = False,
    cluster: ClusterOption = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, help="Workers on the cluster; default: all it has."),
    ] = None,
) -> None:
    """Play deals for a server of leagues, until Ctrl-C. Workers come, go and die as they like.

    Examples:

      sandtable league work http://127.0.0.1:8100 --token TOKEN

      sandtable league work http://192.0.2.10:8100 --token TOKEN --cluster 192.0.2.10:6379
    """
    from sandtable.cli.league_progress import shown_progress
    from sandtable.league.link import ServerLink
    from sandtable.league.sandbox.programs import SandboxLimits, sandbox_problem
    from sandtable.league.worker import Worked, WorkerOptions
    from sandtable.league.worker import work as play

    check_place(cluster, jobs, deals)
    folders = tuple(str(each.resolve()) for each in show)
    options = WorkerOptions(
        files, SandboxLimits(memory=memory, shown=folders), unprotected, deals, until_idle
    )
    if unprotected:
        write("warning: programs and networks of authors run here with all your rights", err=True)
    elif not cluster and sandbox_problem():
        write(f"note: programs and weights are left to others: {sandbox_problem()}", err=True)
    done = Worked()
    try:
        with shown_progress() as progress:
            if cluster:
                from sandtable.league.cluster import work_on_cluster

                done = work_on_cluster(cluster, server, token, options, jobs, tell, progress)
            else:
                done = play(ServerLink(server, token), options, tell, progress)
    except KeyboardInterrupt:
        typer.echo("stopped; what was begun is left to others", err=True)
        raise typer.Exit(EXIT_STOPPED) from None
    tell_worked(done)


def check_place(cluster: str | None, jobs: int | None, deals: int | None) -> None:
    """Refuse options that mean nothing where the workers are."""
    if cluster and deals:
        raise SandtableError("leave --deals or --cluster out: workers on a cluster count no deals")
    if jobs and not cluster:
        raise SandtableError("--jobs is for --cluster; here, start this command so many times")


def tell(line: str) -> None:
    """Say what a worker has to say, beside its results."""
    write(line, err=True)


def tell_worked(done: Worked) -> None:
    """Say what a worker has done."""
    lost = f", {counted(done.lost, 'deal')} given back" if done.lost else ""
    typer.echo(f"{counted(done.deals, 'deal')} played, {counted(done.games, 'game')}{lost}")


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
    notes = "; ".join(standings.notes)
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


command.registered_commands += authors.registered_commands
