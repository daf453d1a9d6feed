"""``sandtable serve``: play, watch, replay and analyse in the browser."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sandtable.cli.common import new_command
from sandtable.errors import MissingExtra, SandtableError

if TYPE_CHECKING:
    from sandtable.server.settings import Settings

command = new_command()

LIBRARIES = ("fastapi", "segno", "sqlalchemy", "uvicorn", "websockets")  # of the extra


HostOption = Annotated[
    str,
    typer.Option("--host", help="The address to listen on; 0.0.0.0: also for other machines."),
]
PortOption = Annotated[
    int, typer.Option("--port", "-p", min=0, max=65535, help="0: any free port.")
]
DataOption = Annotated[Path, typer.Option("--data", help="The folder that keeps rooms and labels.")]
ArchiveOption = Annotated[
    str | None,
    typer.Option(
        "--archive",
        envvar="SANDTABLE_ARCHIVE",
        help="The archive of finished games, a file or postgresql://... "
        "Default: archive.db in the folder.",
    ),
]
RoomsOption = Annotated[
    str | None,
    typer.Option(
        "--rooms",
        envvar="SANDTABLE_ROOMS",
        help="A database postgresql://... in which several servers share their rooms, and archive. "
        "Default: a file in the folder.",
    ),
]
PeersOption = Annotated[
    str | None,
    typer.Option(
        "--peers",
        help="With --rooms: HOST:PORT by which the other servers reach this one. "
        "Default: any port, for servers on this machine.",
    ),
]
ProcessesOption = Annotated[
    int,
    typer.Option("--processes", min=1, max=64, help="With --rooms: servers that share the port."),
]
ProxyOption = Annotated[
    list[str],
    typer.Option("--proxy", help="Address of a proxy in front, whose word is taken for who asks."),
]
RunsOption = Annotated[Path, typer.Option("--runs", help="The folder of training runs.")]
WeightsOption = Annotated[
    Path | None,
    typer.Option("--weights", help="A folder of trained weights that opponents can be given."),
]
AllowHostOption = Annotated[
    list[str],
    typer.Option("--allow-host", help="NAME or NAME:PORT under which it is reached too."),
]
KeyOption = Annotated[
    bool,
    typer.Option("--key", help="Let only those who have the printed link start games and matches."),
]
AllowExternalOption = Annotated[
    bool,
    typer.Option(
        "--allow-external",
        help="Let whoever has the printed link, with its key, start external programs and "
        "language models here.",
    ),
]
MoveTimeOption = Annotated[
    float,
    typer.Option("--move-time", min=0.1, help="Seconds a program may think before it forfeits."),
]
WorkersOption = Annotated[
    int, typer.Option("--workers", min=1, help="Processes kept for programs.")
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="HOST:PORT of a Ray cluster on which programs think, as many as --workers says.",
    ),
]
ConnectionsOption = Annotated[
    int, typer.Option("--connections", min=1, help="Connections of one address at a time.")
]
ApiOnlyOption = Annotated[
    bool, typer.Option("--api-only", help="Serve without the browser client.")
]


@command.command()
def serve(
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    data: DataOption = Path("sandtable-data"),
    archive: ArchiveOption = None,
    rooms: RoomsOption = None,
    peers: PeersOption = None,
    processes: ProcessesOption = 1,
    proxy: ProxyOption = [],  # noqa: B006 - typer makes a list for every call
    runs: RunsOption = Path("runs"),
    weights: WeightsOption = None,
    allow_host: AllowHostOption = [],  # noqa: B006
    key: KeyOption = False,
    allow_external: AllowExternalOption = False,
    move_time: MoveTimeOption = 60.0,
    workers: WorkersOption = 2,
    cluster: ClusterOption = None,
    connections: ConnectionsOption = 2500,
    api_only: ApiOnlyOption = False,
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
    if processes > 1 and (rooms is None or peers is not None):
        raise SandtableError("--processes needs --rooms, and goes without --peers")
    serving = load_server()
    from sandtable.server.settings import Limits, Settings

    with_key = key or allow_external or not serving.is_loopback(host)
    settings = Settings(
        data=data, archive=archive or rooms or data / "archive.db", runs=runs, host=host, port=port,
        key=secrets.token_urlsafe(12) if with_key else None, hosts=tuple(allow_host),
        weights=weights, external=allow_external, move_time=move_time, workers=workers,
        most_workers=max(6, workers + 2), limits=Limits.for_address(connections), rooms=rooms,
        cluster=cluster, proxies=tuple(proxy), **peers_settings(peers, rooms),
    )  # fmt: skip
    start(serving, settings, processes, client_wanted=not api_only)


def start(serving: ModuleType, settings: Settings, processes: int, *, client_wanted: bool) -> None:
    """Serve until somebody stops it, in this process or in several."""
    ready = ready_line(settings.data)
    if processes == 1:
        serving.serve(settings, client_wanted=client_wanted, ready=ready)
        return
    from sandtable.server.shared.processes import serve_together

    settings = serving.with_shared_key(settings)
    serve_together(settings, processes, client_wanted=client_wanted, ready=ready)


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
