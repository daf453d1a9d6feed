"""Runs a server of leagues until Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sandtable.league.application import (
    Leagues,
    league_settings,
    make_league_application,
    programs_accepted,
    worker_token,
)
from sandtable.league.queue import LEASE_SECONDS
from sandtable.league.store import Store
from sandtable.server.listener import raise_file_limit
from sandtable.server.serve import Serving, address_of, config_of, listen

__all__ = ["serve_leagues"]


def serve_leagues(
    data: Path,
    database: str,
    *,
    host: str,
    port: int,
    hosts: tuple[str, ...] = (),
    programs: bool | None = None,
    lease_seconds: float = LEASE_SECONDS,
    ready: Callable[[str, Leagues], None],
) -> None:
    """Serve until Ctrl-C; ``ready`` hears where."""
    store = Store.open(database)
    try:
        accepted = programs_accepted(programs)
        weights = accepted or programs_accepted(None)  # in the sandbox too
        leagues = Leagues(store, worker_token(data), accepted, lease_seconds, weights)
        settings = league_settings(data, host, port, hosts)
        too_few = raise_file_limit(settings.limits)
        if too_few is not None:
            print(f"note: {too_few}", file=sys.stderr)
        listener = listen(settings)
        try:
            settings = replace(settings, port=int(listener.getsockname()[1]))
            config = config_of(make_league_application(leagues, settings), settings)
            ready(address_of(settings).rstrip("/"), leagues)
            Serving(config).run(sockets=[listener])
        finally:
            listener.close()
    finally:
        store.close()
