"""``sandtable serve``: play, watch, replay and analyse in the browser."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import new_command
from sandtable.errors import MissingExtra, SandtableError

if TYPE_CHECKING:
    from sandtable.server.settings import Settings

command = new_command()

LIBRARIES = ("fastapi", "segno", "uvicorn", "websockets")  # of the extra


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
    """
    if weights is not None and not weights.is_dir():
        raise SandtableError(f"--weights names a folder; '{weights}' is none")
    serving = load_server()
    from sandtable.server.settings import Limits, Settings

    open_to_others = not serving.is_loopback(host)
    settings = Settings(
        data=data,
        archive=archive or data / "archive.db",
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
    )
    serving.serve(settings, client_wanted=not api_only, ready=ready_line(data))


def load_server() -> ModuleType:
    """Return the module that runs the server, or say which extra it needs."""
    try:
        return import_module("sandtable.server.serve")
    except ModuleNotFoundError as problem:
        if problem.name and problem.name.partition(".")[0] in LIBRARIES:
            raise MissingExtra("the browser", "web") from None
        raise


def ready_line(data: Path) -> Callable[[str, Settings], None]:
    """Return what prints where the server is, for this machine and for others."""

    def tell(address: str, settings: Settings) -> None:
        from sandtable.server.addresses import (
            addresses_for_others,
            class_link,
            qr_code,
            with_key,
        )

        typer.echo(f"Sandtable is at {address} (Ctrl-C stops it; games are kept in {data})")
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
