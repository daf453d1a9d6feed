"""Streamable HTTP: nothing without the token, nothing for strangers' pages."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager, closing
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from sse_starlette.sse import AppStatus

from assistants.talking import NOWHERE, Assistant
from sandtable.assistants.host import Host, HostSettings
from sandtable.assistants.running_server import RunningServer
from sandtable.assistants.service import make_service
from sandtable.assistants.transports import HttpSettings, fresh_token, http_server
from sandtable.errors import SandtableError
from sandtable.server.serve import listen
from sandtable.server.settings import Settings

TOKEN = "a-token-that-nobody-guesses"
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
SHORT = "stratego:max_plies=30,variant=mini"
WANTED = {"Accept": "application/json, text/event-stream"}


@asynccontextmanager
async def listening(token: str | None):
    facts = Settings(Path(), Path(), Path(), port=0)
    AppStatus.should_exit = False  # any server of this process that was told to end has set it
    async with Host(HostSettings()) as host:
        with closing(listen(facts)) as listener:
            port = listener.getsockname()[1]
            service = make_service(host, RunningServer(NOWHERE))
            server = http_server(service, HttpSettings(port=port, token=token))
            task = asyncio.ensure_future(server.serve(sockets=[listener]))
            try:
                yield f"http://127.0.0.1:{port}/mcp"
            finally:
                server.stop()
                await task


def test_the_token_opens_it_and_nothing_else_does(caplog):
    async def scenario():
        async with listening(TOKEN) as address, httpx2.AsyncClient() as stranger:
            for headers in (
                {},
                {"Authorization": "Bearer wrong"},
                {"Authorization": f"Basic {TOKEN}"},
                {"Authorization": f"Bearer {TOKEN}x"},
                {"Authorization": "Bearer \xff"},
            ):
                given = [
                    (name.encode(), value.encode("latin-1")) for name, value in headers.items()
                ]
                for path in ("", "/../"):
                    answer = await stranger.post(
                        address + path, json=HELLO, headers=[*WANTED.items(), *given]
                    )
                    assert answer.status_code == 401, headers
                    assert "needs the token" in answer.json()["error"]
            own = {"Authorization": f"Bearer {TOKEN}", **WANTED}
            for more, status in (
                ({"Host": "evil.example.org"}, 421),
                ({"Origin": "http://evil.example.org"}, 403),
            ):
                answer = await stranger.post(address, json=HELLO, headers=own | more)
                assert answer.status_code == status
            headers = {"Authorization": f"Bearer {TOKEN}"}
            async with (
                httpx2.AsyncClient(headers=headers) as http,
                Client(streamable_http_client(address, http_client=http)) as client,
            ):
                each = Assistant(client)
                _, data = await each.call("start_game", game=SHORT, seats=["me", "other"])
                _, seen = await each.call("look", game=data["game"], wait=0)
                assert seen["your_turn"] and seen["legal"] == data["legal"]
                await each.refused("look", game="another")
            async with (
                httpx2.AsyncClient(headers=headers) as http,
                Client(streamable_http_client(address, http_client=http), mode="legacy") as client,
            ):  # another session of the same server: the name of the game is what counts
                _, seen = await Assistant(client).call("look", game=data["game"], wait=0)
                assert seen["your_turn"]

    with caplog.at_level(logging.DEBUG):
        asyncio.run(scenario())
    ours = [
        record for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))
    ]
    assert TOKEN not in "".join(record.getMessage() for record in ours)


def test_without_a_token_only_this_machine_is_served():
    HttpSettings(token=None).check()
    HttpSettings("0.0.0.0", token=fresh_token()).check()
    for host in ("0.0.0.0", "203.0.113.7", "::", "table.example.org"):
        with pytest.raises(SandtableError, match="without a token only this machine is served"):
            HttpSettings(host, token=None).check()
    with pytest.raises(SandtableError, match="at least 16 characters"):
        HttpSettings(token="short").check()
