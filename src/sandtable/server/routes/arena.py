"""Routes: matches and other jobs in the background, and the curves of training runs."""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import re
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi import Path as InPath
from fastapi.responses import Response

from sandtable.arena.play.plan import make_plan
from sandtable.arena.tournaments.schedules import make_tournament
from sandtable.errors import DAMAGED, SandtableError
from sandtable.learning.logs import CONFIG, METRICS
from sandtable.learning.state import state_of
from sandtable.server.allowed_specs import allowed_agent, allowed_game
from sandtable.server.application import KnowsAll, Operator, ServerNow
from sandtable.server.connections import NotFound
from sandtable.server.jobs import Job
from sandtable.server.requests import NewMatch, NewTournament
from sandtable.server.weights_folder import listed_weights

__all__ = ["router"]

router = APIRouter()

JobId = Annotated[str, InPath(pattern=r"^[A-Za-z0-9_-]{12}$")]
RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}(/[A-Za-z0-9][A-Za-z0-9_.+-]{0,99})?")
WEIGHTS_SECONDS = 60.0  # to find out who can play with them
MOST_RUNS = 200


@router.post("/matches", dependencies=[Operator])
async def start_match(server: ServerNow, wanted: NewMatch) -> dict[str, Any]:
    """Begin a match in the background; its games go to the archive."""
    agents = [allowed_agent(spec, server.settings.external) for spec in wanted.agents]
    game = allowed_game(wanted.game)
    plan = await asyncio.to_thread(
        make_plan, game, agents, wanted.games, wanted.seed, None, wanted.rotate
    )
    given = wanted.model_dump() | {"kind": "match", "game": game, "agents": agents}
    job = Job("match", f"{plan.game}: {' - '.join(plan.agents)}")
    return {"job": server.jobs.begin_games(job, given, plan.games).job}


@router.post("/tournaments", dependencies=[Operator])
async def start_tournament(server: ServerNow, wanted: NewTournament) -> dict[str, Any]:
    """Begin a tournament in the background; its games go to the archive."""
    agents = [allowed_agent(spec, server.settings.external) for spec in wanted.agents]
    game = allowed_game(wanted.game)
    plan = await asyncio.to_thread(
        make_tournament, wanted.kind, [game], agents, wanted.deals, wanted.seed,
        rotate=wanted.rotate,
    )  # fmt: skip
    given = wanted.model_dump() | {"game": game, "agents": agents}
    job = Job("tournament", f"{game}: {wanted.kind} of {len(agents)}")
    return {"job": server.jobs.begin_games(job, given, plan.games).job}


@router.get("/jobs")
async def list_jobs(
    server: ServerNow, everything: KnowsAll, request: Request
) -> list[dict[str, Any]]:
    """List all jobs, the newest first, without their results; none to whoever has no key."""
    if not everything:
        return []
    jobs = [job.as_data() | {"result": None} for job in server.jobs.jobs.values()][::-1]
    return jobs if server.shared is None else jobs + await server.shared.others_lists(request)


@router.get("/jobs/{job}")
async def get_job(server: ServerNow, job: JobId) -> dict[str, Any]:
    """Tell how a job stands."""
    return server.jobs.get(job).as_data()


@router.delete("/jobs/{job}", dependencies=[Operator])
async def stop_job(server: ServerNow, job: JobId) -> dict[str, Any]:
    """Stop a job."""
    found = server.jobs.get(job)
    await server.jobs.stop(found)
    return found.as_data()


# --- training runs -------------------------------------------------------------------------------


@router.get("/training")
async def list_runs(server: ServerNow, everything: KnowsAll) -> list[dict[str, Any]]:
    """List the training runs in the folder of runs; none to whoever has no key."""
    if not everything:
        return []
    found: list[dict[str, Any]] = await server.desk.read(runs_in, server.settings.runs)
    return found


def runs_in(folder: Path) -> list[dict[str, Any]]:
    """Find the runs of a folder, one level down or two, those written last first."""
    logs = [*folder.glob(f"*/{METRICS}"), *folder.glob(f"*/*/{METRICS}")]
    logs = [path for path in logs if RUN_NAME.fullmatch(str(path.parent.relative_to(folder)))]
    logs = [path for path in logs if path.is_file()]
    logs.sort(key=lambda path: -written_at(path))
    found = []
    for path in logs[:MOST_RUNS]:
        try:
            lines = read_log(path)
        except SandtableError:  # it was removed a moment ago, or may not be read
            continue
        state = state_of(path.parent)
        last = number_or_none(lines[-1].get(state.unit)) if lines else None
        found.append(
            {
                "run": str(path.parent.relative_to(folder)),
                "lines": len(lines),
                "state": state.state,
                "reason": state.reason,
                "unit": state.unit,
                "done": None if last is None else int(last) + 1,
                "total": state.length or None,
                "columns": columns_of(lines),
            }
        )
    return found


def written_at(path: Path) -> float:
    """Return when a file was last written; one that has gone since is the oldest."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


@router.get("/weights")
async def list_weights(server: ServerNow, everything: KnowsAll) -> list[dict[str, Any]]:
    """List the trained weights that can be played against, and by whom; none without the key."""
    names = listed_weights(server.settings.weights)
    if not everything or not names:
        return []
    request = {
        "operation": "weights",
        "folder": server.settings.weights_text,
        "names": list(names),
    }
    reply = await server.pool.ask(request, limit=WEIGHTS_SECONDS, name="weights")
    found: list[dict[str, Any]] = reply["weights"]
    return found


@router.get("/training/{run:path}", response_model=None)
async def get_run(
    server: ServerNow,
    everything: KnowsAll,
    run: Annotated[str, InPath(max_length=210)],
    points: Annotated[int, Query(ge=2, le=2000)] = 300,
) -> Response:
    """Give the curves of a run, thinned out to so many points."""
    if not everything or not RUN_NAME.fullmatch(run):
        raise NotFound("there is no such run")
    return await server.desk.page(curves_of, server.settings.runs / run, run, points)


def curves_of(folder: Path, run: str, points: int) -> dict[str, Any]:
    """Read the log of a run."""
    if not (folder / METRICS).is_file():
        raise NotFound("there is no such run")
    lines = read_log(folder / METRICS)
    columns = columns_of(lines)
    step = max(1, math.ceil(len(lines) / points))
    kept = lines[::step]
    if lines and kept[-1] is not lines[-1]:
        kept.append(lines[-1])
    config: Any = {}
    if (folder / CONFIG).is_file():
        try:
            config = json.loads((folder / CONFIG).read_text("utf-8"))
        except (OSError, *DAMAGED):
            config = {}
    rows = [[number_or_none(line.get(column)) for column in columns] for line in kept]
    return {"run": run, "config": config, "columns": columns, "rows": rows, "total": len(lines)}


def read_log(path: Path) -> list[dict[str, Any]]:
    """Read the lines of a log; the last one may just be being written."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError as problem:
        raise SandtableError(f"cannot read the log: {problem.strerror}") from None
    found = []
    for line in text.splitlines():
        try:
            facts = json.loads(line)
        except DAMAGED:
            continue
        if isinstance(facts, dict):
            found.append(facts)
    return found


def columns_of(lines: list[dict[str, Any]]) -> list[str]:
    """Return the names of all numbers in a log, those first that count its lines."""
    names: dict[str, None] = {}
    for line in lines:
        for name, value in line.items():
            if number_or_none(value) is not None:
                names.setdefault(name)
    return sorted(names, key=lambda name: not counts_up(lines, name))


def counts_up(lines: list[dict[str, Any]], name: str) -> bool:
    """Say whether a number grows from line to line, so that the others can be drawn over it."""
    values = [number_or_none(line.get(name)) for line in lines]
    pairs = itertools.pairwise(values)
    return None not in values and all(one < other for one, other in pairs)  # type: ignore[operator]


def number_or_none(value: Any) -> float | None:
    """Return a number as it can be drawn."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number of hundreds of digits
        return None
    return number if math.isfinite(number) else None
