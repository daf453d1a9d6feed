"""``sandtable serve``: play, watch, replay and analyse in the browser."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import typer

from sandtable.cli.common import new_command
from sandtable.errors import MissingExtra

command = new_command()

LIBRARIES = ("fastapi", "uvicorn", "websockets")  # of the extra


@command.command()
def serve(
    host: str = typer.Option(
        "127.0.0.1", "--host", help="The address to listen on; 0.0.0.0: also for other machines."
    ),
    port: int = typer.Option(8000, "--port", "-p", min=0, max=65535, help="0: any free port."),
    data: Path = typer.Option(
        Path("sandtable-data"), "--data", help="The folder that keeps rooms and labels."
    ),
    archive: Path | None = typer.Option(
        None,
        "--archive",
        envvar="SANDTABLE_ARCHIVE",
        help="The archive of finished games. Default: archive.db in the folder.",
    ),
    runs: Path = typer.Option(Path("runs"), "--runs", help="The folder of training runs."),
    allow_host: list[str] = typer.Option(
        [], "--allow-host", help="A name under which the server is reached, for example a proxy's."
    ),
    key: bool = typer.Option(
        False, "--key", help="Let only those who have the printed link start games and matches."
    ),
    allow_external: bool = typer.Option(
        False, "--allow-external", help="Let the browser start external programs on this machine."
    ),
    move_time: float = typer.Option(
        60.0, "--move-time", min=0.1, help="Seconds a program may think before it forfeits."
    ),
    workers: int = typer.Option(2, "--workers", min=1, help="Processes kept for programs."),
    api_only: bool = typer.Option(False, "--api-only", help="Serve without the browser client."),
) -> None:
    """Play, watch, replay and analyse in the browser.

    Games survive a restart of the server; finished ones go to the archive. Ctrl-C stops it.

    Examples:

      sandtable serve

      sandtable serve --port 9000 --archive games.db

      sandtable serve --host 0.0.0.0 --allow-host table.example.org:8000
    """
    serving = load_server()
    from sandtable.server.settings import Settings

    settings = Settings(
        data=data,
        archive=archive or data / "archive.db",
        runs=runs,
        host=host,
        port=port,
        key=secrets.token_urlsafe(12) if key or not serving.is_loopback(host) else None,
        hosts=tuple(allow_host),
        external=allow_external,
        move_time=move_time,
        workers=workers,
        most_workers=max(6, workers + 2),
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


def ready_line(data: Path) -> Callable[[str], None]:
    """Return what prints where the server is."""
    return lambda address: typer.echo(
        f"Sandtable is at {address} (Ctrl-C stops it; games are kept in {data})"
    )
