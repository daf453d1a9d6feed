"""Routes: expert games of Operation Lucid, their labels, and training from them."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends
from fastapi import Path as InPath
from pydantic import Field

from sandtable.agents.human.turn import compact
from sandtable.games.lucid.agents.categories import CATEGORIES
from sandtable.games.lucid.agents.expert.games import (
    BUNDLED_GAMES,
    ExpertGame,
    ExpertTurn,
    corrected,
    expert_game,
    read_expert_games,
)
from sandtable.games.lucid.learning.expert_database import as_expert, counts, write_games
from sandtable.games.lucid.learning.semantic.recipe import ACCURACY_FILE, WEIGHTS_FILE
from sandtable.games.lucid.notation import node_name
from sandtable.games.lucid.rules import DESTINATION, DIRECTIONS
from sandtable.registry import make_game
from sandtable.screens import screen_of
from sandtable.server.application import Operator, Server, ServerNow
from sandtable.server.connections import NotFound, Refused
from sandtable.server.jobs import Job
from sandtable.server.requests import GameName, RequestBody

__all__ = ["add_experts", "router"]

router = APIRouter()

Place = Annotated[int, InPath(ge=1, le=100_000)]
TurnNumber = Annotated[int, InPath(ge=1, le=36)]
RECIPE = "lucid/semantic"
MOST_GAMES = 2000
EXPERTS = "lucid/experts"  # under which the server keeps the file for these routes
PROGRESS = re.compile(r"([0-9]+) of ([0-9]+)")


class Correction(RequestBody):
    """The categories of what a force group did."""

    group: Annotated[str, Field(min_length=1, max_length=100)]
    labels: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=12)]


class Retraining(RequestBody):
    """How long the networks of the semantic agent are to learn."""

    examples: Annotated[int, Field(ge=100, le=30_000_000)] = 3_000_000  # shown to each of them


class ImportWanted(RequestBody):
    """A game of the archive that becomes an expert game."""

    archive: GameName
    seat: Literal["blue", "red"] = "blue"


class ExpertFile:
    """The expert games of this server: at first the bundled ones, which are never changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = asyncio.Lock()
        self.games: list[ExpertGame] | None = None
        self.read_at: float | None = None

    async def all(self) -> list[ExpertGame]:
        """Return the games as they are in the file now."""
        source = self.path if self.path.exists() else BUNDLED_GAMES
        written = source.stat().st_mtime
        if self.games is None or self.read_at != written:
            self.games = await asyncio.to_thread(read_expert_games, source)
            self.read_at = written
        return self.games

    async def one(self, place: int) -> ExpertGame:
        """Return a game by its place from 1."""
        games = await self.all()
        if place > len(games):
            raise NotFound(f"there is no game {place}; there are 1 to {len(games)}")
        return games[place - 1]

    async def write(self, games: Sequence[ExpertGame]) -> None:
        """Write the file anew."""
        await asyncio.to_thread(write_games, self.path, [game.record for game in games])
        self.games, self.read_at = list(games), self.path.stat().st_mtime


def add_experts(server: Server) -> None:
    """Let a server keep expert games, in a file of its own folder."""
    server.kept_by_games[EXPERTS] = ExpertFile(server.settings.data / "expert.jsonl")


def experts_of(server: ServerNow) -> ExpertFile:
    """Return the expert games of a server."""
    experts: ExpertFile = server.kept_by_games[EXPERTS]
    return experts


Experts = Annotated[ExpertFile, Depends(experts_of)]


@router.get("/labels", dependencies=[Operator])
async def list_games(experts: Experts) -> dict[str, Any]:
    """List the expert games, and count their labels."""
    games = await experts.all()
    return {
        "games": [game_data(place, game) for place, game in enumerate(games, start=1)],
        "categories": list(CATEGORIES),
        "counts": await asyncio.to_thread(counts, games),
    }


def game_data(place: int, game: ExpertGame) -> dict[str, Any]:
    """Return one game of the list."""
    outcome = game.record.outcome
    groups = [group for turn in game.turns for group in turn.groups]
    return {
        "place": place,
        "id": game.record.identity,
        "players": list(game.record.seats),
        "score": outcome.scores[game.seat] if outcome else None,
        "turns": len(game.turns),
        "corrected": sum(group.by_person for group in groups),
    }


@router.get("/labels/{place}", dependencies=[Operator])
async def get_game(experts: Experts, place: Place) -> dict[str, Any]:
    """List the turns of one game."""
    game = await experts.one(place)
    rules = make_game("lucid")
    turns = [
        {
            "number": turn.number,
            "seat": turn.seat,
            "text": compact(rules, turn.actions),
            "groups": len(turn.groups),
        }
        for turn in game.turns
    ]
    return game_data(place, game) | {"turns": turns}


@router.get("/labels/{place}/turns/{number}", dependencies=[Operator])
async def get_turn(experts: Experts, place: Place, number: TurnNumber) -> dict[str, Any]:
    """Show one turn with its force groups."""
    return turn_data(turn_of(await experts.one(place), number))


def turn_of(game: ExpertGame, number: int) -> ExpertTurn:
    """Return a turn of a game."""
    for turn in game.turns:
        if turn.number == number:
            return turn
    raise NotFound(f"game {game.record.identity} has no turn {number}")


def turn_data(turn: ExpertTurn) -> dict[str, Any]:
    """Return a turn as data."""
    rules = make_game("lucid")
    return {
        "number": turn.number,
        "seat": turn.seat,
        "text": compact(rules, turn.actions),
        "before": screen_of(rules).board(turn.before.copy(), None),
        "moves": [
            {"from": start, "to": goal, "units": units}
            for (start, goal), units in Counter(map(ends_of, turn.actions)).items()
        ],
        "groups": [
            {
                "key": labelled.group.key,
                "nodes": [node_name(node) for node in labelled.group.nodes],
                "units": int(sum(labelled.group.units)),
                "labels": labelled.names,
                "corrected": labelled.by_person,
            }
            for labelled in turn.groups
        ],
    }


def ends_of(action: int) -> tuple[str, str]:
    """Return the names of the nodes a movelet joins."""
    return node_name(action // DIRECTIONS), node_name(int(DESTINATION[action]))


@router.put("/labels/{place}/turns/{number}", dependencies=[Operator])
async def correct(
    experts: Experts, place: Place, number: TurnNumber, correction: Correction
) -> dict[str, Any]:
    """Correct the labels of one group, and keep that at once."""
    async with experts.lock:
        game = await experts.one(place)
        record = corrected(game.record, number, correction.group, correction.labels)
        changed = await asyncio.to_thread(expert_game, record)
        games = list(await experts.all())
        games[place - 1] = changed
        await experts.write(games)
    return turn_data(turn_of(changed, number))


@router.post("/labels/import", dependencies=[Operator])
async def import_game(server: ServerNow, experts: Experts, request: ImportWanted) -> dict[str, Any]:
    """Let a game of the archive join the expert games, labelled by the rules."""
    record = await server.rooms.archived(request.archive)
    seat = make_game("lucid").seat_number(request.seat)
    expert = await asyncio.to_thread(lambda: expert_game(as_expert(record, seat)))
    async with experts.lock:
        games = list(await experts.all())
        for place, game in enumerate(games, start=1):
            if game.record.identity == record.identity:
                return {"place": place}
        if len(games) >= MOST_GAMES:
            raise Refused("busy", f"there are {len(games)} expert games already")
        games.append(expert)
        await experts.write(games)
    return {"place": len(games)}


@router.post("/labels/retrain", dependencies=[Operator])
async def retrain(server: ServerNow, experts: Experts, training: Retraining) -> dict[str, Any]:
    """Train the networks of the semantic agent anew, in the background."""
    running = [job for job in server.jobs.jobs.values() if job.status == "running"]
    if any(job.kind == "training" for job in running):
        raise Refused("busy", "the networks are being trained already")
    folder, name = new_run(server)
    database = experts.path if experts.path.exists() else BUNDLED_GAMES
    arguments = ["-m", "sandtable", "train", RECIPE]
    arguments += ["--database", str(database.resolve()), "--out", str(folder)]
    arguments += ["--examples", str(training.examples)]

    async def work(job: Job) -> None:
        def note_progress(line: str) -> None:
            if match := PROGRESS.search(line):
                job.progress = {"run": name, "done": int(match[1]), "total": int(match[2])}

        await server.jobs.run_process(job, arguments, "", note_progress)
        job.result = {
            "run": name,
            "weights": str(folder / WEIGHTS_FILE),
            "accuracy": json.loads((folder / ACCURACY_FILE).read_text("utf-8")),
        }

    job = Job("training", f"{RECIPE} from the expert games")
    job.progress = {"run": name}
    return {"job": server.jobs.add(job, work).job}


def new_run(server: Server) -> tuple[Path, str]:
    """Return a folder that no run has used, and its name."""
    day = time.strftime("%Y-%m-%d")
    for number in itertools.count(1):
        name = f"semantic-{day}-{number}"
        if not (server.settings.runs / name).exists():
            return server.settings.runs / name, name
    raise AssertionError  # numbers do not run out
