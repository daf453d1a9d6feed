"""The pages: the files of the built client, and its first page for every other path."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, HTTPException
from fastapi.responses import FileResponse, PlainTextResponse, Response

__all__ = ["CLIENT_MISSING", "add_pages"]

CLIENT_MISSING = (
    "the browser client is not built; run 'make client' (it needs Node), or install a wheel"
)
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
ASK_AGAIN = {"Cache-Control": "no-cache"}


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
