"""The web application of a server of leagues: what its routes share, and how it is put together."""

from __future__ import annotations

import hmac
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.requests import ClientDisconnect

from sandtable.errors import SandtableError
from sandtable.files import make_folder, write_whole
from sandtable.league import tables
from sandtable.league.bots import LARGEST_FILE, Author, author_by_token
from sandtable.league.queue import LEASE_SECONDS, Queue
from sandtable.league.relay import RemoteBots
from sandtable.league.rounds import Presence
from sandtable.league.sandbox.programs import sandbox_problem
from sandtable.league.standings import Standings, standings_of
from sandtable.league.store import League, NoSuchThing, Store
from sandtable.league.tables import DONE
from sandtable.server.application import add_error_handlers
from sandtable.server.error_pages import error_page, wants_page
from sandtable.server.limits import Bucket, Guard, bucket
from sandtable.server.settings import Limits, Settings

__all__ = ["Leagues", "LeaguesNow", "league_seen", "make_league_application"]

UPLOADS = re.compile(r"/api/leagues/[^/]+/bots")
RESULTS = "/api/work/result"
SECONDS_A_WORKER_IS_HERE = 300.0
TOKEN_FILE = "worker-token"
COOKIE = "sandtable_league_"
JOINS_PER_SECOND, JOINS_AT_ONCE = 1 / 60, 20.0  # of an address, without a key
REST = 5.0  # times as long as computing standings took, before they are computed again


@dataclass(frozen=True)
class Computed:
    """Standings that were computed, and how long they are good enough."""

    state: tuple[int, int, int]
    good_until: float
    standings: Standings


@dataclass
class Leagues:
    """What the routes work with."""

    store: Store
    worker_token: str
    programs: bool  # whether programs may be registered
    lease_seconds: float = LEASE_SECONDS
    weights: bool = True  # whether weights may be registered
    queue: Queue = field(init=False)
    remote: RemoteBots = field(default_factory=RemoteBots)
    workers: dict[str, tuple[float, bool]] = field(default_factory=dict)  # seen, sandbox
    computed: dict[int, Computed] = field(default_factory=dict)  # by league
    computing: dict[int, threading.Lock] = field(default_factory=dict)  # by league
    joining: OrderedDict[str, Bucket] = field(default_factory=OrderedDict)  # by address
    clock: Callable[[], float] = time.monotonic
    last_sandbox: float = field(init=False)  # when a worker with one was last here
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.queue = Queue(self.store, self.lease_seconds)
        self.remote.clock = self.clock
        self.began = self.last_sandbox = self.clock()

    def seen(self, worker: str, sandbox: bool) -> None:
        """Note that a worker was here; those of long ago are forgotten."""
        now = self.clock()
        self.workers[worker] = now, sandbox
        if sandbox:
            self.last_sandbox = now
        for name, (last, _) in list(self.workers.items()):
            if now - last > SECONDS_A_WORKER_IS_HERE:
                del self.workers[name]

    def standings(self, league: League) -> Standings:
        """Return where a league stands.

        It is computed when something has changed, and not so often that nothing else is done.
        """
        deals, bots = tables.deals.c, tables.bots.c
        done = self.store.count(tables.deals, deals.league == league.id, deals.state == DONE)
        registered = self.store.count(tables.bots, bots.league == league.id)
        retired = self.store.count(
            tables.bots, bots.league == league.id, bots.retired_at.is_not(None)
        )
        state = done, registered, retired
        if (kept := self.kept(league, state)) is not None:
            return kept
        with self.computing.setdefault(league.id, threading.Lock()):
            if (kept := self.kept(league, state)) is not None:  # another has computed it meanwhile
                return kept
            began = time.monotonic()
            found = standings_of(self.store, league)
            now = time.monotonic()
            self.computed[league.id] = Computed(state, now + REST * (now - began), found)
            return found

    def kept(self, league: League, state: tuple[int, int, int]) -> Standings | None:
        """Return standings that are still good enough; None: there are none."""
        found = self.computed.get(league.id)
        if found is None or (found.state != state and time.monotonic() >= found.good_until):
            return None
        return found.standings

    def may_join(self, address: str) -> bool:
        """Say whether somebody of an address may join without a key now."""
        return bucket(self.joining, address, JOINS_PER_SECOND, JOINS_AT_ONCE).take()

    def workers_here(self) -> int:
        """Return how many workers were here lately."""
        now = self.clock()
        return sum(now - last <= SECONDS_A_WORKER_IS_HERE for last, _ in self.workers.values())

    def presence(self) -> Presence:
        """Return who can play now."""
        now = self.clock()
        sandboxes = [
            sandbox for last, sandbox in list(self.workers.values())
            if now - last <= SECONDS_A_WORKER_IS_HERE
        ]  # fmt: skip
        return Presence(
            self.remote.connected(), any(sandboxes), self.remote.away(),
            now - self.last_sandbox, now - self.began,
        )  # fmt: skip


def leagues_of(request: Request) -> Leagues:
    """Return what the server of a request holds."""
    found: Leagues = request.app.state.leagues
    return found


LeaguesNow = Annotated[Leagues, Depends(leagues_of)]


def bearer(authorization: Annotated[str | None, Header(max_length=200)] = None) -> str:
    """Return the token of a request; an empty one if there is none."""
    kind, _, token = (authorization or "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


Token = Annotated[str, Depends(bearer)]


def check_worker(leagues: LeaguesNow, token: Token) -> None:
    """Refuse whoever is no worker."""
    if not hmac.compare_digest(token.encode(), leagues.worker_token.encode()):
        raise HTTPException(401, "the token of a worker is wanted; the server prints it")


Worker = Depends(check_worker)


def league_seen(leagues: Leagues, request: Request, name: str) -> League:
    """Return a league whose pages may be seen: public, or opened by its join key.

    One that may not be seen looks like one that is not there.
    """
    try:
        league = leagues.store.league(name)
    except NoSuchThing:
        raise HTTPException(404, NOT_SEEN) from None
    key = request.headers.get("x-league-key") or request.cookies.get(COOKIE + name)
    if league.opens(key):
        return league
    token = bearer(request.headers.get("authorization"))
    author = author_by_token(leagues.store, token) if token else None
    if author is not None and author.league == league.id:
        return league
    raise HTTPException(404, NOT_SEEN)


NOT_SEEN = "there is no such league, or it is private and its join key is wanted (--key KEY)"


def league_named(leagues: LeaguesNow, request: Request, league: str) -> League:
    """Return the league that a path names."""
    return league_seen(leagues, request, league)


LeagueHere = Annotated[League, Depends(league_named)]


def check_author(leagues: LeaguesNow, token: Token, league: LeagueHere) -> Author:
    """Return who asks; an error if that is no author of this league."""
    author = author_by_token(leagues.store, token) if token else None
    if author is None or author.league != league.id:
        raise HTTPException(
            401,
            "the token of an author of this league is wanted; for a lost one its operator gives "
            "another (sandtable league token)",
        )
    return author


AuthorNow = Annotated[Author, Depends(check_author)]


def worker_token(folder: Path) -> str:
    """Return the token of workers, which stands in a file that only its owner can read."""
    path = folder / TOKEN_FILE
    try:
        kept = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        kept = ""
    except (OSError, UnicodeDecodeError) as problem:
        raise SandtableError(f"{path} cannot be read: {problem}") from None
    if not kept:
        kept = secrets.token_urlsafe(24)
        make_folder(folder)
        with suppress(OSError):  # what is wrong is said when it is written
            path.touch(0o600)
        write_whole(path, f"{kept}\n".encode())
    try:
        path.chmod(0o600)
    except OSError as problem:
        raise SandtableError(
            f"{path} cannot be kept from others ({problem.strerror}): it must be a file of your own"
        ) from None
    return kept


def league_settings(data: Path, host: str, port: int, hosts: tuple[str, ...]) -> Settings:
    """Return how the server is set up, with room for results and files."""
    limits = replace(
        Limits(),
        body_bytes=512 * 1024,
        upload_bytes=LARGEST_FILE + 1024,
        rooms_per_second=300.0,
        room_burst=4000.0,
        message_bytes=64 * 1024,
    )
    return Settings(
        data=data, archive=data / "none", runs=data / "none", host=host, port=port, hosts=hosts,
        limits=limits,
    )  # fmt: skip


def is_file(path: str) -> bool:
    """Say whether a request may be as large as a file.

    >>> is_file("/api/leagues/open/bots"), is_file("/api/leagues")
    (True, False)
    """
    return path == RESULTS or UPLOADS.fullmatch(path) is not None


def programs_accepted(wanted: bool | None) -> bool:
    """Say whether programs may be registered: where there is a sandbox, unless told otherwise."""
    return not sandbox_problem() if wanted is None else wanted


def make_league_application(leagues: Leagues, settings: Settings) -> Any:
    """Return the application, with its guard before it."""
    from sandtable.league import api, work_routes
    from sandtable.league.pages import routes

    application = FastAPI(
        title="Sandtable leagues", openapi_url="/api/openapi.json", docs_url=None, redoc_url=None
    )
    application.state.leagues = leagues
    add_error_handlers(application)

    @application.exception_handler(NoSuchThing)
    async def nothing_there(request: Request, problem: NoSuchThing) -> Response:
        if wants_page(dict(request.scope["headers"])):
            return HTMLResponse(error_page(404, str(problem)), 404)
        return JSONResponse({"error": str(problem)}, 404)

    @application.exception_handler(ClientDisconnect)
    async def gone(request: Request, problem: ClientDisconnect) -> Response:
        """A worker may be killed while it brings a result: nobody is left to be answered."""
        return Response(status_code=400)

    application.include_router(work_routes.router, prefix="/api/work")
    application.include_router(api.router, prefix="/api")
    application.include_router(routes.router)
    return Guard(application, settings, is_file)
