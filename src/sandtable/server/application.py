"""The web application: one object that holds everything, and its routes."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException as StarletteHTTPException

from sandtable.errors import SandtableError
from sandtable.records.archive import Archive
from sandtable.registry import game_names
from sandtable.screens import screen_class
from sandtable.server.connections import NotFound, Refused
from sandtable.server.jobs import Jobs
from sandtable.server.limits import Guard
from sandtable.server.pool import AgentPool
from sandtable.server.replays import Replays
from sandtable.server.rooms import Rooms
from sandtable.server.settings import Settings
from sandtable.server.sockets import Sockets
from sandtable.server.storage import Storage

__all__ = ["CLIENT_MISSING", "Operator", "Server", "ServerNow", "add_pages", "make_application"]

CLIENT_MISSING = (
    "the browser client is not built; run 'make client' (it needs Node), or install a wheel"
)
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
ASK_AGAIN = {"Cache-Control": "no-cache"}

LOG = logging.getLogger(__name__)
STATIC = Path(__file__).parent / "static"


def add_pages(application: FastAPI, static: Path) -> None:
    """Serve the client from a folder."""
    root = static.resolve()

    @application.get("/{path:path}", include_in_schema=False)
    async def page(path: str) -> Response:
        if path == "api" or path.startswith("api/"):
            raise HTTPException(404, "there is nothing here")
        found = (root / path).resolve() if "\0" not in path else root
        if path and found.is_relative_to(root) and found.is_file():
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
        self.storage = Storage(settings.data)
        try:
            self.archive = Archive.open(settings.archive)
            self.archive.check_writable()
        except SandtableError:
            self.storage.close()
            raise

    async def start(self) -> None:
        """Start what runs beside the requests; an event loop is there now."""
        self.pool = AgentPool(self.settings.workers, self.settings.most_workers)
        self.rooms = Rooms(self.settings, self.storage, self.archive, self.pool)
        self.sockets = Sockets(self.rooms)
        self.replays = Replays()
        self.jobs = Jobs(self.settings)
        self.pool.start()
        await self.rooms.start()
        from sandtable.server.routes.games import all_games

        self.rooms.in_background(asyncio.to_thread(all_games))  # the first page asks for them

    async def close(self) -> None:
        """Stop everything; games are kept."""
        await self.rooms.close()
        await self.jobs.close()
        await self.pool.close()
        self.storage.close()
        self.archive.close()


def server_of(request: Request) -> Server:
    """Return the server a request came to."""
    found: Server = request.app.state.server
    return found


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


Operator = Depends(check_key)


def problem_line(problem: RequestValidationError) -> str:
    """Say in one line where a request is wrong, without repeating what was sent."""
    first = problem.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return f"{where or 'request'}: {first['msg']}"[:300]


def add_error_handlers(application: FastAPI) -> None:
    """Answer every mistake with one line."""

    def reply(status: int, line: str) -> JSONResponse:
        return JSONResponse({"error": " ".join(line.split())[:500]}, status)

    @application.exception_handler(RequestValidationError)
    async def wrong_shape(request: Request, problem: RequestValidationError) -> JSONResponse:
        return reply(422, problem_line(problem))

    @application.exception_handler(StarletteHTTPException)
    async def http_problem(request: Request, problem: StarletteHTTPException) -> JSONResponse:
        return reply(problem.status_code, str(problem.detail))

    @application.exception_handler(SandtableError)
    async def mistake(request: Request, problem: SandtableError) -> JSONResponse:
        return reply(400, str(problem))

    @application.exception_handler(NotFound)
    async def not_found(request: Request, problem: NotFound) -> JSONResponse:
        return reply(404, str(problem))

    @application.exception_handler(Refused)
    async def refused(request: Request, problem: Refused) -> JSONResponse:
        return reply(409, str(problem))


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
    from sandtable.server.routes import archive, arena, games, rooms

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
    routers = [games.router, rooms.router, archive.router, arena.router]
    for router in routers + game_routers(server):  # ours come first: no game can cover them
        application.include_router(router, prefix="/api")
    add_pages(application, static or STATIC)
    return Guard(application, settings)
