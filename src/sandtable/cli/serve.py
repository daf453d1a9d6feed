"""``sandtable serve``: play, watch, replay and analyse in the browser."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import typer

from sandtable.cli.common import new_command
from sandtable.errors import MissingExtra, SandtableError

if TYPE_CHECKING:
    from sandtable.server.settings import Settings

command = new_command()

LIBRARIES = ("fastapi", "segno", "sqlalchemy", "uvicorn", "websockets")  # of the extra


@command.command()
def serve(
    host: str = typer.Option(
        "127.0.0.1", "--host", help="The address to listen on; 0.0.0.0: also for other machines."
    ),
    port: int = typer.Option(8000, "--port", "-p", min=0, max=65535, help="0: any free port."),
    data: Path = typer.Option(
        Path("sandtable-data"), "--data", help="The folder that keeps rooms and labels."
    ),
    archive: str | None = typer.Option(
        None,
        "--archive",
        envvar="SANDTABLE_ARCHIVE",
        help="The archive of finished games, a file or postgresql://... "
        "Default: archive.db in the folder.",
    ),
    rooms: str | None = typer.Option(
        None,
        "--rooms",
        envvar="SANDTABLE_ROOMS",
        help="A database postgresql://... in which several servers share their rooms, and archive. "
        "Default: a file in the folder.",
    ),
    peers: str | None = typer.Option(
        None,
        "--peers",
        help="With --rooms: HOST:PORT by which the other servers reach this one. "
        "Default: any port, for servers on this machine.",
    ),
    processes: int = typer.Option(
        1, "--processes", min=1, max=64, help="With --rooms: servers that share the port."
    ),
    proxy: list[str] = typer.Option(
        [], "--proxy", help="Address of a proxy in front, whose word is taken for who asks."
    ),
    runs: Path = typer.Option(Path("runs"), "--runs", help="The folder of training runs."),
    weights: Path | None = typer.Option(
        None, "--weights", help="A folder of trained weights that opponents can be given."
    ),
    allow_host: list[str] = typer.Option(
        [], "--allow-host", help="NAME or NAME:PORT under which it is reached too."
    ),
    key: bool = typer.Option(
        False, "--key", help="Let only those who have the printed link start games and matches."
    ),
    allow_external: bool = typer.Option(
        False,
        "--allow-external",
        help="Let whoever has the printed link, with its key, start external programs and "
        "language models here.",
    ),
    move_time: float = typer.Option(
        60.0, "--move-time", min=0.1, help="Seconds a program may think before it forfeits."
    ),
    workers: int = typer.Option(2, "--workers", min=1, help="Processes kept for programs."),
    cluster: str | None = typer.Option(
        None,
        "--cluster",
        help="HOST:PORT of a Ray cluster on which programs think, as many as --workers says.",
    ),
    connections: int = typer.Option(
        2500, "--connections", min=1, help="Connections of one address at a time."
    ),
    api_only: bool = typer.Option(False, "--api-only", help="Serve without the browser client."),
) -> None:
    """Play, watch, replay and analyse in the browser.

    Games survive a restart of the server; finished ones go to the archive. Ctrl-C stops it.

    Examples:

      sandtable serve

      sandtable serve --port 9000 --archive games.db

      sandtable serve --host 0.0.0.0 --allow-host table.example.org:8000

      sandtable serve --port 8001 --rooms postgresql://sandtable@localhost/sandtable
    """
    if weights is not None and not weights.is_dir():
        raise SandtableError(f"--weights names a folder; '{weights}' is none")
    serving = load_server()
    from sandtable.server.settings import Limits, Settings

    open_to_others = not serving.is_loopback(host)
    settings = Settings(
        data=data,
        archive=archive or rooms or data / "archive.db",
        runs=runs,
        host=host,
        port=port,
        key=secrets.token_urlsafe(12) if key or allow_external or open_to_others else None,
        hosts=tuple(allow_host),
        weights=weights,
        external=allow_external,
        move_time=move_time,
        workers=workers,
        most_workers=max(6, workers + 2),
        limits=Limits.for_address(connections),
        rooms=rooms,
        cluster=cluster,
        proxies=tuple(proxy),
        **peers_settings(peers, rooms),
    )
    if processes == 1:
        serving.serve(settings, client_wanted=not api_only, ready=ready_line(data))
        return
    if rooms is None or peers is not None:
        raise SandtableError("--processes needs --rooms, and goes without --peers")
    from sandtable.server.shared.processes import serve_together

    settings = serving.with_shared_key(settings)
    serve_together(settings, processes, client_wanted=not api_only, ready=ready_line(data))


def peers_settings(peers: str | None, rooms: str | None) -> dict[str, Any]:
    """Return the settings that say where other servers reach this one.

    >>> peers_settings("10.0.0.5:8100", "postgresql://host/name")["peers_port"]
    8100
    """
    if peers is None:
        return {}
    host, _, port = peers.rpartition(":")
    if rooms is None:
        raise SandtableError("--peers is for servers that share their rooms: add --rooms")
    if not host or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise SandtableError(f"'{peers}' is no HOST:PORT, for example 10.0.0.5:8100")
    return {"peers_host": host.strip("[]"), "peers_port": int(port), "peers_name": peers}


def load_server() -> ModuleType:
    """Return the module that runs the server, or say which extra it needs."""
    try:
        return import_module("sandtable.server.serve")
    except ModuleNotFoundError as problem:
        if problem.name and problem.name.partition(".")[0] in LIBRARIES:
            raise MissingExtra("the browser", "web") from None
        raise


def shown_database(url: str) -> str:
    """Return a database as it may be shown, without its password."""
    from sandtable.records.connection import name_of, place_of

    return name_of(place_of(url))


def ready_line(data: Path) -> Callable[[str, Settings], None]:
    """Return what prints where the server is, for this machine and for others."""

    def tell(address: str, settings: Settings) -> None:
        from sandtable.server.addresses import (
            addresses_for_others,
            class_link,
            qr_code,
            with_key,
        )

        kept = data if settings.rooms is None else shown_database(settings.rooms)
        typer.echo(f"Sandtable is at {address} (Ctrl-C stops it; games are kept in {kept})")
        others = addresses_for_others(settings)
        if others:
            typer.echo("Others reach it at:")
        for link in others:
            typer.echo(f"  {with_key(link, settings)}")
        guests = class_link(settings)
        if settings.key is None:
            typer.echo(f"A class joins at {guests}")
        else:
            typer.echo(
                f"A class joins by the link and the code on its page, a listed one at {guests}"
            )
            typer.echo("  (without the key: they play, and whoever has it is the host)")
        if others and sys.stdout.isatty():
            typer.echo(f"Guests scan this for what is listed:\n\n{qr_code(guests)}")

    return tell
