"""The part of ``sandtable league`` for authors of bots: joining, registering, testing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote, urlencode

import typer

from sandtable.cli.common import new_command
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.league.link import ServerLink

__all__ = ["authors"]

authors = new_command()

AUTHOR_TOKEN = "SANDTABLE_LEAGUE_TOKEN"

ServerArgument = Annotated[str, typer.Argument(help="The address of the server.")]
LeagueArgument = Annotated[str, typer.Argument(help="The league.")]
TokenOption = Annotated[
    str | None,
    typer.Option("--token", envvar=AUTHOR_TOKEN, help="Your token, as you got it joining."),
]


def server_of(address: str, token: str | None = None) -> ServerLink:
    """Return the server at an address."""
    from sandtable.league.link import ServerLink

    return ServerLink(address, token)


def wanted_token(token: str | None) -> str:
    """Return the token of an author, or say where it comes from."""
    if not token:
        raise SandtableError(
            f"say who you are with --token, or in {AUTHOR_TOKEN}; 'sandtable league join' gives one"
        )
    return token


@authors.command()
def join(
    server: ServerArgument,
    league: LeagueArgument,
    name: Annotated[str, typer.Argument(help="Your name in the league.")],
    key: Annotated[
        str | None,
        typer.Option(
            "--key", envvar="SANDTABLE_JOIN_KEY", help="The join key of a private league."
        ),
    ] = None,
) -> None:
    """Join a league as an author of bots; prints your token, which nobody can tell you again.

    Examples:

      sandtable league join http://127.0.0.1:8100 open ann

      sandtable league join http://127.0.0.1:8100 course ann --key KEY
    """
    wanted = {"name": name, "key": key}
    answer = server_of(server).post(f"/api/leagues/{quote(league, safe='')}/authors", wanted)
    typer.echo(f"Your token, shown only now: {answer['token']}")
    typer.echo(f"Keep it: the other commands want it with --token, or in {AUTHOR_TOKEN}.")


@authors.command()
def register(
    server: ServerArgument,
    league: LeagueArgument,
    name: Annotated[str, typer.Argument(help="What the bot is called; it never changes.")],
    token: TokenOption = None,
    agent: Annotated[
        str, typer.Option("--agent", help="The spec of an agent; with --weights: who plays them.")
    ] = "",
    weights: Annotated[Path | None, typer.Option("--weights", help="A file of weights.")] = None,
    program: Annotated[
        Path | None, typer.Option("--program", help="One file that can be run, for the sandbox.")
    ] = None,
    remote: Annotated[
        bool, typer.Option("--remote", help="It runs on your own machine ('league client').")
    ] = False,
) -> None:
    """Register a bot: an agent, an agent with weights, a program, or one on your own machine.

    Examples:

      sandtable league register http://127.0.0.1:8100 open greedy --agent skirmish/greedy

      sandtable league register http://127.0.0.1:8100 open mine --agent network --weights my.onnx

      sandtable league register http://127.0.0.1:8100 open prog --program ./bot

      sandtable league register http://127.0.0.1:8100 open far --remote
    """
    if sum((bool(agent or weights), program is not None, remote)) != 1:
        raise SandtableError(
            "say one of --agent (with or without --weights), --program and --remote"
        )
    if weights is not None and not agent:
        raise SandtableError(
            "--weights wants --agent: the agent that plays with them, as 'network'"
        )
    file = weights or program
    kind = "weights" if weights else "program" if program else "remote" if remote else "agent"
    query = urlencode({"name": name, "kind": kind, "spec": agent})
    path = f"/api/leagues/{quote(league, safe='')}/bots?{query}"
    made = server_of(server, wanted_token(token)).upload(path, b"" if file is None else read(file))
    typer.echo(f"The bot '{made['name']}' is in the league '{league}'.")
    if remote:
        typer.echo("It plays while it is connected; 'sandtable league client' writes the library.")


def read(file: Path) -> bytes:
    """Return what is in a file."""
    try:
        return file.read_bytes()
    except OSError as problem:
        raise SandtableError(f"{file} cannot be read: {problem.strerror}") from None


@authors.command()
def retire(
    server: ServerArgument,
    league: LeagueArgument,
    bot: Annotated[str, typer.Argument(help="A bot of yours.")],
    token: TokenOption = None,
) -> None:
    """Retire a bot: it is chosen no more, its games stay.

    Example: `sandtable league retire http://127.0.0.1:8100 open greedy --token TOKEN`
    """
    names = (quote(each, safe="") for each in (league, bot))
    path = "/api/leagues/{}/bots/{}/retire".format(*names)
    server_of(server, wanted_token(token)).post(path, {})
    typer.echo(f"The bot '{bot}' is retired.")


@authors.command()
def test(
    server: ServerArgument,
    league: LeagueArgument,
    first: Annotated[str, typer.Argument(help="Your bot that may be better.")],
    second: Annotated[str, typer.Argument(help="The bot it is compared with.")],
    token: TokenOption = None,
    low: Annotated[float, typer.Option("--low", help="A lead that is not enough.")] = 0.0,
    high: Annotated[float, typer.Option("--high", help="A lead that is.")] = 20.0,
    most: Annotated[int, typer.Option("--most", min=8, help="Give up after so many deals.")] = 2000,
) -> None:
    """Begin a sequential test of your bot against another; leads are in normalised Elo.

    Example: `sandtable league test http://127.0.0.1:8100 open new old --high 30 --token TOKEN`
    """
    path = f"/api/leagues/{quote(league, safe='')}/tests"
    wanted = {"first": first, "second": second, "low": low, "high": high, "most": most}
    number = server_of(server, wanted_token(token)).post(path, wanted)["test"]
    typer.echo(f"Test {number} has begun: {server.rstrip('/')}/leagues/{league}/tests/{number}")


@authors.command()
def client(
    file: Annotated[Path, typer.Argument(help="The file to write.")] = Path("league_client.py"),
) -> None:
    """Write the library for bots on your own machine: one file, to be copied anywhere.

    Example: `sandtable league client league_client.py`
    """
    from sandtable.cli.common import write_text
    from sandtable.league.link import client_text

    if file.exists() and file.read_text(encoding="utf-8", errors="replace") != client_text():
        raise SandtableError(f"{file} is there already, and something else; name another file")
    write_text(file, client_text())
    typer.echo(f"{file} is written; it needs the package websockets")
