"""The web application: one object that holds everything, and its routes."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
)
from starlette.exceptions import HTTPException as StarletteHTTPException

from sandtable.errors import SandtableError
from sandtable.records.archive import Archive
from sandtable.registry import game_names
from sandtable.screens import screen_class
from sandtable.server.classes.classes import Classes
from sandtable.server.classes.storage import ClassShelf, ClassStorage
from sandtable.server.connections import PEER, NotFound, Refused, readable
from sandtable.server.error_pages import error_page, wants_page
from sandtable.server.jobs import Jobs
from sandtable.server.limits import Guard
from sandtable.server.listener import network_of
from sandtable.server.pool import AgentPool
from sandtable.server.proxies import with_true_addresses
from sandtable.server.reading import Desk
from sandtable.server.replays import Replays
from sandtable.server.reviews import Reviews
from sandtable.server.rooms import Rooms
from sandtable.server.settings import Settings
from sandtable.server.sockets import Sockets
from sandtable.server.storage import Elsewhere, RoomLost, RoomStorage, Storage

if TYPE_CHECKING:
    from sandtable.server.shared.sharing import Sharing

__all__ = [
    "CLIENT_MISSING",
    "KnowsAll",
    "Operator",
    "Server",
    "ServerNow",
    "add_pages",
    "address_in",
    "make_application",
]

CLIENT_MISSING = (
    "the browser client is not built; run 'make client' (it needs Node), or install a wheel"
)
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
ASK_AGAIN = {"Cache-Control": "no-cache"}

LOG = logging.getLogger(__name__)
STATIC = Path(__file__).parent / "static"


def file_in(root: Path, path: str) -> Path | None:
    """Return the file of a folder that a path names; None: there is none, or there can be none."""
    try:
        found = (root / path).resolve()
        return found if path and found.is_relative_to(root) and found.is_file() else None
    except (OSError, ValueError):  # longer than any name can be, or with letters no name has
        return None


def add_pages(application: FastAPI, static: Path) -> None:
    """Serve the client from a folder."""
    root = static.resolve()

    @application.get("/{path:path}", include_in_schema=False)
    async def page(path: str) -> Response:
        if path == "api" or path.startswith("api/"):
            raise HTTPException(404, "there is nothing here")
        found = file_in(root, path)
        if found is not None:
            return FileResponse(found, headers=FOREVER if path.startswith("assets/") else ASK_AGAIN)
        index = root / "index.html"
        if not index.is_file():
            return PlainTextResponse(CLIENT_MISSING + "\n", 503)
        return FileResponse(index, headers=ASK_AGAIN)


class Server:
    """What the routes work with."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.kept_by_games: dict[str, Any] = {}  # what routes of games need between requests
        self.shared: Sharing | None = None
        self.storage: RoomStorage
        if settings.rooms is None:
            self.storage = Storage(settings.data)
        else:
            from sandtable.server.shared.sharing import Sharing

            self.shared = Sharing(self, settings)
            self.storage = self.shared.storage
        try:
            self.archive = Archive.open(settings.archive)
            self.archive.check_writable()
        except SandtableError:
            self.storage.close()
            raise

    async def start(self) -> None:
        """Start what runs beside the requests; an event loop is there now."""
        self.pool = AgentPool(
            self.settings.workers, self.settings.most_workers, self.settings.cluster
        )
        self.rooms = Rooms(self.settings, self.storage, self.archive, self.pool)
        self.sockets = Sockets(self.rooms)
        self.replays = Replays()
        self.desk = Desk(self.settings)
        self.jobs = Jobs(self.settings, "" if self.shared is None else self.shared.storage.mark)
        self.reviews = Reviews(self)
        self.pool.start()
        await self.rooms.start()
        self.classes = Classes(self.rooms, self.class_shelf())
        self.classes.start()
        if self.shared is not None:
            self.shared.start()
        from sandtable.server.routes.games import games_as_text

        self.rooms.in_background(asyncio.to_thread(games_as_text))  # the first page asks for them

    def class_shelf(self) -> ClassShelf:
        """Return where tournaments are kept: beside the rooms."""
        if self.shared is not None:
            return self.shared.classes
        assert isinstance(self.storage, Storage)
        return ClassStorage(self.storage)

    async def listed_rooms(self, most: int, request: Request) -> list[dict[str, Any]]:
        """Return what everybody may know about the newest rooms that are listed."""
        if self.shared is None:
            return await self.rooms.summaries(self.storage.listed_rooms(most))
        return await self.shared.listed(most, request)

    async def room_summaries(self, names: Sequence[str], request: Request) -> list[dict[str, Any]]:
        """Return what everybody may know about rooms, whichever server has them."""
        if self.shared is None:
            return await self.rooms.summaries(names)
        return await self.shared.summaries(names, request)

    async def close(self) -> None:
        """Stop everything; games are kept."""
        await self.rooms.close()
        if self.shared is not None:
            await self.shared.close()
        await self.jobs.close()
        await self.pool.close()
        await self.desk.close()
        self.storage.close()
        self.archive.close()


def server_of(request: Request) -> Server:
    """Return the server a request came to."""
    found: Server = request.app.state.server
    return found


def address_in(request: Request) -> str:
    """Return where a request came from, as it is counted: a network of IPv6 is one address."""
    return network_of(request.client.host if request.client else "unknown")


ServerNow = Annotated[Server, Depends(server_of)]


def check_key(
    server: ServerNow,
    x_sandtable_key: Annotated[str | None, Header(max_length=100)] = None,
) -> None:
    """Refuse whoever may not start work here."""
    key = server.settings.key
    given = (x_sandtable_key or "").encode("utf-8", "surrogatepass")
    if key is not None and not hmac.compare_digest(key.encode(), given):
        raise HTTPException(401, "this needs the key of the server, which its own link carries")


def has_key(
    server: ServerNow,
    x_sandtable_key: Annotated[str | None, Header(max_length=100)] = None,
) -> bool:
    """Say whether somebody may know everything here; others know what is listed, or their own."""
    try:
        check_key(server, x_sandtable_key)
    except HTTPException:
        return False
    return True


Operator = Depends(check_key)
KnowsAll = Annotated[bool, Depends(has_key)]


def problem_line(problem: RequestValidationError) -> str:
    """Say in one line where a request is wrong, without repeating what was sent."""
    first = problem.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return readable(f"{where or 'request'}: {first['msg']}")[:300]


def add_error_handlers(application: FastAPI) -> None:
    """Answer every mistake with one line."""

    def reply(request: Request, status: int, line: str) -> Response:
        said = " ".join(line.split())[:500]
        if wants_page(dict(request.scope["headers"])):
            return HTMLResponse(error_page(status, said), status)
        return JSONResponse({"error": said}, status)

    @application.exception_handler(RequestValidationError)
    async def wrong_shape(request: Request, problem: RequestValidationError) -> Response:
        return reply(request, 422, problem_line(problem))

    @application.exception_handler(StarletteHTTPException)
    async def http_problem(request: Request, problem: StarletteHTTPException) -> Response:
        return reply(request, problem.status_code, str(problem.detail))

    @application.exception_handler(SandtableError)
    async def mistake(request: Request, problem: SandtableError) -> Response:
        return reply(request, 400, str(problem))

    @application.exception_handler(RoomLost)
    async def lost(request: Request, problem: RoomLost) -> Response:
        return reply(request, 503, str(problem))

    @application.exception_handler(Elsewhere)
    async def elsewhere(request: Request, problem: Elsewhere) -> Response:
        return reply(request, 421 if request.scope.get(PEER) else 503, str(problem))

    @application.exception_handler(NotFound)
    async def not_found(request: Request, problem: NotFound) -> Response:
        return reply(request, 404, str(problem))

    @application.exception_handler(Refused)
    async def refused(request: Request, problem: Refused) -> Response:
        return reply(request, 409, str(problem))


def game_routers(server: Server) -> list[APIRouter]:
    """Collect the routes that games have for themselves; a broken plug-in breaks only its own."""
    routers = []
    for name in game_names():
        try:
            router = screen_class(name).routes(server)
        except Exception as problem:
            LOG.warning("the routes of '%s' are left out: %s", name, problem)
            continue
        if router is not None:
            routers.append(router)
    return routers


def make_application(settings: Settings, static: Path | None = None) -> Any:
    """Return the application, with its guard before it."""
    from sandtable.server.routes import archive, arena, classes, games, looking_back, puzzles, rooms

    server = Server(settings)

    @asynccontextmanager
    async def lifespan(application: FastAPI) -> AsyncIterator[None]:
        await server.start()
        try:
            yield
        finally:
            await server.close()

    application = FastAPI(
        title="Sandtable",
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    application.state.server = server
    add_error_handlers(application)
    routers = [games.router, rooms.router, classes.router, looking_back.router, archive.router]
    routers += [arena.router, puzzles.router]
    for router in routers + game_routers(server):  # ours come first: no game can cover them
        application.include_router(router, prefix="/api")
    add_pages(application, static or STATIC)
    if server.shared is not None:
        return server.shared.doors(application)
    return with_true_addresses(Guard(application, settings), settings.proxies)
