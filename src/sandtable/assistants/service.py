"""The server that speaks the Model Context Protocol: its tools, and its errors in one line."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.types import CallToolResult, InputRequiredResult, TextContent
from pydantic import ValidationError

from sandtable.assistants.host import Host
from sandtable.assistants.running_server import RunningServer
from sandtable.assistants.tools import asides, games, looking_back, measuring, playing, rooms
from sandtable.errors import DISTRIBUTION, SandtableError, failure_line
from sandtable.server.client_messages import problem_of
from sandtable.server.connections import Refused, readable
from sandtable.specs import without_files

__all__ = ["Service", "make_service"]

LONGEST_ERROR = 500
INSTRUCTIONS = " ".join(
    (
        "Sandtable is a workbench for strategy games. To play: list_games, read_rules, start_game;",
        "then look and play in turn until the game is over. You hold one seat and see what it may",
        "see. Actions are written as look lists them. To play a person in the browser: open_room,",
        "or join_room with the link they give you. list_agents names opponents and advisers;",
        "ask_agent asks one of them in your place; run_match measures programs against each other,",
        "with intervals; list_records, show_record and analyse_record look back at finished games.",
    )
)


class Service(MCPServer[Any]):
    """Answers every mistake of a call with one line, and lets no spec name a file."""

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any],
        context: Context[Any, Any] | None = None,
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; what goes wrong is told to whoever called it."""
        try:
            with without_files():
                return await super().call_tool(name, arguments, context)
        except UnexpectedToolError as problem:
            line = problem_line(problem.__cause__ or problem)
        except ToolError as problem:
            line = problem_line(problem.__cause__ or problem)
        text = TextContent(type="text", text=" ".join(readable(line).split())[:LONGEST_ERROR])
        return CallToolResult(content=[text], is_error=True)


def problem_line(problem: BaseException) -> str:
    """Say in one line what is wrong, without repeating what was sent.

    >>> problem_line(SandtableError("there is no such game"))
    'there is no such game'
    """
    if isinstance(problem, ValidationError):
        return problem_of(problem)
    if isinstance(problem, (SandtableError, Refused, ToolError)):
        return str(problem)
    return failure_line(problem)


def make_service(host: Host, running: RunningServer) -> Service:
    """Return the server with all its tools."""
    service = Service(
        "sandtable",
        title="Sandtable",
        instructions=INSTRUCTIONS,
        version=version(DISTRIBUTION),
        log_level="WARNING",
    )
    games.add(service)
    playing.add(service, host)
    asides.add(service, host, running)
    measuring.add(service, host)
    looking_back.add(service, host, running)
    rooms.add(service, host, running)
    return service
