"""Tools: matches between programs, with results as the arena tells them, intervals and all."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from sandtable.arena.play.plan import make_plan
from sandtable.assistants.calls import AgentSpec, GameSpec, Seconds, answer, modest_agent, teller
from sandtable.assistants.host import Host
from sandtable.assistants.seat import TELL_SECONDS, Tell
from sandtable.errors import SandtableError
from sandtable.screens import Data
from sandtable.server.allowed_specs import allowed_game
from sandtable.server.jobs import Job

__all__ = ["add", "result_words"]

MOST_GAMES = 2000
MOST_AGENTS = 8
MOST_MATCH_SECONDS = 1800.0  # after which a match is stopped with what it has
USUAL_WAIT = 40.0
STARTS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)

MatchName = Annotated[
    str, Field(min_length=1, max_length=40, description="the name of a match, from run_match")
]


def add(server: MCPServer[Any], host: Host) -> None:
    """Give a server these tools."""

    @server.tool(annotations=STARTS)
    async def run_match(
        game: GameSpec,
        agents: Annotated[list[AgentSpec], Field(min_length=1, max_length=MOST_AGENTS)],
        context: Context[Any, Any],
        games: Annotated[int, Field(ge=1, le=MOST_GAMES)] = 100,
        seed: Annotated[int, Field(ge=0, le=1 << 53)] = 0,
        rotate: Annotated[
            bool, Field(description="play every deal from all seats; agents must take any seat")
        ] = False,
        wait: Seconds = USUAL_WAIT,
    ) -> CallToolResult:
        """Play a match between programs, one for each seat in order, and read its result.

        One that is not over in time goes on; match_result tells of it. The same seed gives the
        same games.
        """
        spec = allowed_game(game)
        bounded = [await asyncio.to_thread(modest_agent, each) for each in agents]
        plan = await asyncio.to_thread(make_plan, spec, bounded, games, seed, None, rotate)
        given = {
            "kind": "match",
            "game": spec,
            "agents": bounded,
            "games": games,
            "seed": seed,
            "rotate": rotate,
        }
        job = Job("match", f"{plan.game}: {' - '.join(plan.agents)}")
        host.jobs.begin_games(job, given, plan.games)
        host.rooms.in_background(stop_later(host, job))
        return await waited(job, wait, teller(context))

    @server.tool(annotations=READS)
    async def match_result(
        match: MatchName, context: Context[Any, Any], wait: Seconds = USUAL_WAIT
    ) -> CallToolResult:
        """Read the result of a match, or how it stands so far."""
        return await waited(host.jobs.get(match), wait, teller(context))

    @server.tool(annotations=STARTS)
    async def stop_match(match: MatchName, context: Context[Any, Any]) -> CallToolResult:
        """Stop a match; what is finished is kept."""
        job = host.jobs.get(match)
        await host.jobs.stop(job)
        return await waited(job, 0.0, teller(context))


async def stop_later(host: Host, job: Job) -> None:
    """Stop a match that nobody has patience for any more."""
    await asyncio.sleep(MOST_MATCH_SECONDS)
    await host.jobs.stop(job)


async def waited(job: Job, seconds: float, tell: Tell) -> CallToolResult:
    """Wait for a match, for so long, and tell how it stands."""
    began = time.monotonic()
    while job.status == "running" and time.monotonic() - began < seconds:
        assert job.task is not None
        await asyncio.wait({job.task}, timeout=min(TELL_SECONDS, seconds))
        if job.progress is not None:
            done, total = job.progress["done"], job.progress["total"]
            await tell(done, total, f"{done} of {total} games")
    if job.status == "failed":
        raise SandtableError(f"the match cannot be played: {job.error}")
    data = {"match": job.job, "status": job.status, **(job.progress or {}), "result": job.result}
    return answer(result_words(job), data)


def result_words(job: Job) -> str:
    """Tell in words how a match stands."""
    progress = job.progress or {"done": 0, "total": 0}
    state = {"running": "is being played", "done": "is over", "stopped": "was stopped"}[job.status]
    head = f"Match {job.job} ({job.title}) {state}: {progress['done']} of {progress['total']} games"
    if job.result is None:
        return f"{head}. No result yet; call match_result."
    standings = job.result.get("agents") or job.result["seats"]
    lines = [f"{head}. 95% intervals:"]
    for each in standings:
        who = f"{each['seat']} ({each['agent']})" if "seat" in each else each["agent"]
        lines.append(f"  {who}: " + "; ".join(standing_words(each)))
    lines += [f"  note: {note}" for note in job.result["notes"]]
    if job.status == "running":
        lines.append("It goes on; call match_result for more.")
    return "\n".join(lines)


def standing_words(found: Data) -> list[str]:
    """Tell how one seat or agent did, each figure with its interval.

    >>> standing_words({"mean": 0.5, "low": 0.4, "high": 0.6, "forfeits": 0})
    ['mean score 0.5 (0.4 to 0.6)']
    """
    words = []
    kinds = (
        ("mean score", "mean", "low", "high", "no_interval"),
        ("without luck", "adjusted_mean", "adjusted_low", "adjusted_high", "adjusted_no_interval"),
        ("share won", "win_share", "win_share_low", "win_share_high", "win_share_no_interval"),
        ("rating", "rating", "rating_low", "rating_high", "rating_no_interval"),
    )
    for name, mean, low, high, reason in kinds:
        if found.get(mean) is None:
            continue
        between = (
            f"no interval: {found.get(reason, 'too few games')}"
            if found.get(low) is None or found.get(high) is None
            else f"{found[low]:.4g} to {found[high]:.4g}"
        )
        words.append(f"{name} {found[mean]:.4g} ({between})")
    if found["forfeits"]:
        words.append(f"{found['forfeits']} forfeits")
    return words
