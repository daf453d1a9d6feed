"""``sandtable mcp`` as assistants start it: standard output is the protocol's, Ctrl-C ends it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys

from sandtable.assistants import transports

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def started(*words: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "sandtable", "mcp", *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_standard_output_carries_the_protocol_alone_and_ctrl_c_ends_it():
    process = started()

    def say(message) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        process.stdin.write(text + "\n")
        process.stdin.flush()

    def call(number: int, tool: str, **arguments) -> None:
        more = {"name": tool, "arguments": arguments}
        say({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": more})

    say(HELLO)
    assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "sandtable"
    say({"jsonrpc": "2.0", "method": "notifications/initialized"})
    say("this is no message")
    say('{"jsonrpc": "2.0", "id": ')
    call(2, "read_rules", game="nothing")
    call(3, "list_records")
    answers = {}
    while not {2, 3} <= set(answers):
        found = json.loads(process.stdout.readline())
        answers[found.get("id")] = found
    assert answers[2]["result"]["isError"]
    assert answers[2]["result"]["content"][0]["text"].startswith("there is no game 'nothing'.")
    assert answers[3]["result"]["structuredContent"]["total"] == 0
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert errors == ""


def test_lines_end_with_the_input_and_are_bounded(monkeypatch):
    monkeypatch.setattr(transports, "MOST_LINE", 10)

    async def scenario() -> list[str]:
        reading, writing = os.pipe()
        lines = transports.InputLines(reading)
        os.write(writing, b"one\ntw")
        os.write(writing, b"o\n" + b"x" * 1000 + b"\n\xff\n")
        os.close(writing)
        return [line async for line in lines]

    assert asyncio.run(scenario()) == ["one\n", "two\n", "x" * 10 + "\n", "\ufffd\n"]


def test_a_token_is_shown_once_where_it_was_made_and_never_where_it_was_given(
    sandtable, monkeypatch
):
    tokens = []

    def serve(settings, running, http, ready) -> None:
        http.check()
        tokens.append(http.token)
        ready("http://127.0.0.1:8765/mcp")

    monkeypatch.setattr(transports, "serve", serve)
    code, output, errors = sandtable("mcp", "--http")
    assert (code, output, errors.count(tokens[0])) == (0, "", 1)
    monkeypatch.setenv("SANDTABLE_MCP_TOKEN", "given-by-the-environment")
    code, output, errors = sandtable("mcp", "--http")
    assert (code, tokens[1]) == (0, "given-by-the-environment")
    assert tokens[1] not in output + errors and "SANDTABLE_MCP_TOKEN" not in os.environ
    code, _, errors = sandtable("mcp", "--http", "--no-token")
    assert (code, tokens[2], "token" in errors) == (0, None, False)


def test_a_signal_ends_it_once_everything_is_closed():
    closed = []

    async def work() -> None:
        asyncio.get_running_loop().call_later(0.01, os.kill, os.getpid(), signal.SIGTERM)
        try:
            await asyncio.sleep(60)
        finally:
            closed.append(True)

    assert asyncio.run(transports.until_stopped(work()))
    assert not asyncio.run(transports.until_stopped(asyncio.sleep(0)))
    assert closed == [True]


def test_what_cannot_be_is_said_in_one_line(sandtable, tmp_path, monkeypatch):
    code, _, errors = sandtable("mcp", "--http", "--no-token", "--host", "0.0.0.0")
    assert (code, errors.count("\n")) == (1, 1)
    assert errors.startswith("error: without a token only this machine is served")
    monkeypatch.setenv("SANDTABLE_MCP_TOKEN", "short")
    code, _, errors = sandtable("mcp", "--http")
    assert (code, errors) == (1, "error: a token has at least 16 characters\n")
    code, _, errors = sandtable("mcp", "--server", "nowhere")
    assert code == 1
    assert errors.startswith("error: 'nowhere' is no address of a server")
    (tmp_path / "file").write_text("x")
    code, output, errors = sandtable("mcp", "--data", tmp_path / "file")
    assert (code, output, errors.count("\n")) == (1, "", 1)


def test_a_missing_extra_is_named(sandtable, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("sandtable.assistants")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    code, output, errors = sandtable("mcp")
    assert (code, output, errors) == (
        1,
        "",
        "error: 'sandtable mcp' needs the extra 'mcp': pip install 'sandtable-games[mcp]'\n",
    )
