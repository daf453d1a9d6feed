"""Tools: what can be played, by what rules, and against whom."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, ToolAnnotations

from sandtable.agents.briefing import goal_text, notation_text, rules_of
from sandtable.assistants.calls import GameSpec, answer
from sandtable.registry import make_game
from sandtable.screens import Data
from sandtable.server.allowed_specs import allowed_game
from sandtable.server.routes.games import agents_as_text, all_games, levels_of
from sandtable.types import Game

__all__ = ["add"]

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)


def add(server: MCPServer[Any]) -> None:
    """Give a server these tools."""

    @server.tool(annotations=READS)
    async def list_games() -> CallToolResult:
        """List the games that can be played, with their options."""
        games = await asyncio.to_thread(all_games)
        data = [game_data(each) for each in games]
        return answer("\n\n".join(map(game_words, data)), {"games": data})

    @server.tool(annotations=READS)
    async def read_rules(game: GameSpec) -> CallToolResult:
        """Read the rules of a game, who sits where, and how actions are written."""
        made = await asyncio.to_thread(make_game, allowed_game(game))
        text = await asyncio.to_thread(rules_words, made)
        return answer(text, {"game": made.spec, "seats": list(made.seats)})

    @server.tool(annotations=READS)
    async def list_agents(game: GameSpec) -> CallToolResult:
        """List the programs that can play a game: opponents, advisers, players of matches."""
        spec = allowed_game(game)
        made = await asyncio.to_thread(make_game, spec)
        agents = json.loads(await asyncio.to_thread(agents_as_text, spec, False, ()))
        levels = await asyncio.to_thread(levels_of, made)
        lines = [f"Opponents of {made.title} by strength, the weakest first:"]
        lines += [f"  level:{each['name']} - {each['about'][0]}" for each in levels]
        lines += ["", "All programs (seats they take; 'values': they can analyse):"]
        lines += [f"  {agent_words(each)}" for each in agents]
        found = [{key: each[key] for key in ("name", "summary", "seats", "values")}
                 for each in agents]  # fmt: skip
        named = [{"agent": f"level:{each['name']}", "about": each["about"]} for each in levels]
        return answer("\n".join(lines), {"game": made.spec, "agents": found, "levels": named})


def game_data(found: Data) -> Data:
    """Return what an assistant is told of a game in a list."""
    return {
        "game": found["name"],
        "title": found["title"],
        "summary": found["summary"],
        "seats": list(make_game(found["name"]).seats),
        "hidden": found["hidden"],
        "chance": found["chance"],
        "options": [
            {
                "name": each["name"],
                "meaning": each["meaning"],
                "default": each["default"],
                "choices": [one["value"] for one in each["choices"] or []],
            }
            for each in found["options"]
        ],
        "examples": [
            {"game": preset["spec"], "title": preset["title"]} for preset in found["presets"]
        ],
    }


def game_words(game: Data) -> str:
    """Tell of one game in a few lines."""
    kinds = [
        "things are hidden" if game["hidden"] else "nothing is hidden",
        "dice or cards" if game["chance"] else "no dice",
    ]
    lines = [
        f"{game['game']}: {game['title']}. {game['summary']}",
        f"  seats: {', '.join(game['seats'])}; {', '.join(kinds)}",
    ]
    for each in game["options"]:
        values = f" ({', '.join(each['choices'])})" if each["choices"] else ""
        lines.append(f"  option {each['name']}={each['default']}: {each['meaning']}{values}")
    lines += [f"  for example {each['game']}: {each['title']}" for each in game["examples"]]
    return "\n".join(lines)


def agent_words(agent: Data) -> str:
    """Tell of one agent in a line."""
    values = "; values" if agent["values"] else ""
    return f"{agent['name']} ({', '.join(agent['seats'])}{values}): {agent['summary']}"


def rules_words(game: Game) -> str:
    """Return the rules of a game as text, with its notation and what its seats play for."""
    aims = [goal_text(game, seat).splitlines()[-1] for seat in range(len(game.seats))]
    told = [f"{seat}: {aim}" for seat, aim in zip(game.seats, aims, strict=True)]
    return "\n\n".join([rules_of(game).rstrip(), notation_text(game), "\n".join(told)])
