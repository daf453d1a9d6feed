"""``sandtable mcp``: let an assistant play, measure and look back (Model Context Protocol)."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from types import ModuleType

import typer

from sandtable.cli.common import new_command
from sandtable.cli.serve import LIBRARIES as OF_THE_SERVER
from sandtable.errors import MissingExtra

command = new_command()

LIBRARIES = ("mcp", "mcp_types", *OF_THE_SERVER)  # of the extra
TOKEN, KEY = "SANDTABLE_MCP_TOKEN", "SANDTABLE_KEY"


@command.command()
def mcp(
    http: bool = typer.Option(
        False, "--http", help="Listen for streamable HTTP instead of standard input and output."
    ),
    host: str = typer.Option("127.0.0.1", "--host", help="With --http: the address to listen on."),
    port: int = typer.Option(
        8765, "--port", "-p", min=0, max=65535, help="With --http; 0: any free port."
    ),
    no_token: bool = typer.Option(
        False, "--no-token", help="With --http on this machine alone: ask nobody for a token."
    ),
    allow_host: list[str] = typer.Option(
        [], "--allow-host", help="NAME or NAME:PORT under which it is reached too."
    ),
    server: str = typer.Option(
        "http://127.0.0.1:8000",
        "--server",
        help="The running 'sandtable serve' whose rooms may be joined.",
    ),
    archive: Path | None = typer.Option(
        None,
        "--archive",
        envvar="SANDTABLE_ARCHIVE",
        help="The archive of finished games. Default: none is kept.",
    ),
    data: Path | None = typer.Option(
        None, "--data", help="A folder that keeps open games. Default: none is kept."
    ),
    move_time: float = typer.Option(
        30.0, "--move-time", min=0.1, max=600.0, help="Seconds a program may think."
    ),
) -> None:
    """Let an assistant play, measure and look back, by the Model Context Protocol.

    The assistant starts this command and talks to it over standard input and output. With --http
    it listens; the token is taken from SANDTABLE_MCP_TOKEN, or made and printed once. Where the
    server of --server wants a key, it is taken from SANDTABLE_KEY. Ctrl-C stops it.

    Examples:

      sandtable mcp

      sandtable mcp --archive games.db --server http://127.0.0.1:8000

      sandtable mcp --http --port 8765
    """
    transports = load_transports()
    from sandtable.assistants.host import HostSettings
    from sandtable.assistants.running_server import RunningServer

    running = RunningServer(server, os.environ.pop(KEY, None))
    given = os.environ.pop(TOKEN, None)  # programs that are started here do not inherit it
    token = None if no_token else given or transports.fresh_token()

    def ready(address: str) -> None:
        made = "" if given or token is None else f"\nIts token, shown only now: {token}"
        typer.echo(f"Sandtable is at {address} (Ctrl-C stops it){made}", err=True)

    settings = HostSettings(archive, data, move_time)
    listening = transports.HttpSettings(host, port, token, tuple(allow_host)) if http else None
    transports.serve(settings, running, listening, ready)


def load_transports() -> ModuleType:
    """Return the module that serves assistants, or say which extra it needs."""
    try:
        return import_module("sandtable.assistants.transports")
    except ModuleNotFoundError as problem:
        if problem.name and problem.name.partition(".")[0] in LIBRARIES:
            raise MissingExtra("'sandtable mcp'", "mcp") from None
        raise
