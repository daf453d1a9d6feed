"""The part of ``sandtable league`` for workers: playing deals, here or on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandtable.cli.common import EXIT_STOPPED, new_command
from sandtable.cli.options import ClusterOption
from sandtable.cli.text import counted, write
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.league.worker import Worked, WorkerOptions

__all__ = ["workers"]

workers = new_command()

TOKEN = "SANDTABLE_WORKER_TOKEN"


@workers.command()
def work(
    server: Annotated[str, typer.Argument(help="The address of the server.")],
    token: Annotated[
        str, typer.Option("--token", envvar=TOKEN, help="The token that the server prints.")
    ],
    files: Annotated[Path, typer.Option("--files", help="Where files of bots are kept.")] = Path(
        "sandtable-worker"
    ),
    memory: Annotated[
        int, typer.Option("--memory", min=64, help="MiB that all processes of a bot may take.")
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
    from sandtable.league.sandbox.programs import SandboxLimits, sandbox_problem
    from sandtable.league.worker import WorkerOptions

    check_place(cluster, jobs, deals)
    folders = tuple(str(each.resolve()) for each in show)
    options = WorkerOptions(
        files, SandboxLimits(memory=memory, shown=folders), unprotected, deals, until_idle
    )
    if unprotected:
        write("warning: programs and networks of authors run here with all your rights", err=True)
    elif not cluster and sandbox_problem():
        write(f"note: programs and weights are left to others: {sandbox_problem()}", err=True)
    try:
        done = worked(server, token, options, cluster, jobs)
    except KeyboardInterrupt:
        typer.echo("stopped; what was begun is left to others", err=True)
        raise typer.Exit(EXIT_STOPPED) from None
    lost = f", {counted(done.lost, 'deal')} given back" if done.lost else ""
    typer.echo(f"{counted(done.deals, 'deal')} played, {counted(done.games, 'game')}{lost}")


def worked(
    server: str, token: str, options: WorkerOptions, cluster: str | None, jobs: int | None
) -> Worked:
    """Work here or on a cluster, and show how far it is."""
    from sandtable.cli.league_progress import shown_progress
    from sandtable.league.link import ServerLink
    from sandtable.league.worker import work as play

    with shown_progress() as progress:
        if not cluster:
            return play(ServerLink(server, token), options, tell, progress)
        from sandtable.league.cluster import work_on_cluster

        return work_on_cluster(cluster, server, token, options, jobs, tell, progress)


def check_place(cluster: str | None, jobs: int | None, deals: int | None) -> None:
    """Refuse options that mean nothing where the workers are."""
    if cluster and deals:
        raise SandtableError("leave --deals or --cluster out: workers on a cluster count no deals")
    if jobs and not cluster:
        raise SandtableError("--jobs is for --cluster; here, start this command so many times")


def tell(line: str) -> None:
    """Say what a worker has to say, beside its results."""
    write(line, err=True)
