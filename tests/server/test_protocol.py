"""The protocol is written once: types of the client, document and answers follow the schemas."""

from __future__ import annotations

import importlib.util
import re
import typing
from pathlib import Path

import pytest
from pydantic import BaseModel, TypeAdapter

from sandtable.dice import Dice
from sandtable.registry import make_game
from sandtable.screens import screen_of
from sandtable.server import client_messages, requests, server_messages
from sandtable.server.responses import (
    analysis,
    archive,
    classes,
    games,
    jobs,
    puzzles,
    reviews,
    rooms,
)
from server.running import wait_until

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "web-protocol.md"
GAMES = ROOT / "web" / "src" / "games"
ANSWERS = (games, rooms, classes, puzzles, archive, reviews, analysis, jobs)
MODULES = (requests, *ANSWERS, client_messages, server_messages)
BASES = {"RequestBody", "Strict"}


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location(
        "protocol_types", ROOT / "scripts" / "protocol_types.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def models() -> dict[str, type[BaseModel]]:
    return {
        name: value
        for module in MODULES
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, BaseModel)
        and value.__module__ == module.__name__
    }


def fields(model: type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def test_the_types_of_the_client_are_those_of_the_schemas(script):
    assert script.TYPES.read_text(encoding="utf-8") == script.protocol_text(), (
        "run scripts/protocol_types.py"
    )


@pytest.mark.parametrize(
    ("hint", "text"),
    [
        (int, "number"),
        (list[int | None], "(number | null)[]"),
        (dict[str, list[str]] | None, "Record<string, string[]> | null"),
        (typing.Literal["a", "b"], "'a' | 'b'"),
        (typing.Any, "unknown"),
    ],
)
def test_types_of_python_become_types_of_typescript(script, hint, text):
    assert script.type_text(hint) == text


def test_what_has_no_type_there_is_refused(script):
    with pytest.raises(TypeError, match="no TypeScript"):
        script.type_text(set[int])


def test_the_tables_of_the_document_are_those_of_the_schemas(script):
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == script.document_text(text), "run scripts/protocol_types.py"
    headings = re.findall(r"^#### `(\w+)`$", text, re.MULTILINE)
    assert set(headings) == set(models()) - BASES


def names_in(sketch: str) -> set[str]:
    """The names of the fields of an object that a text sketches, as in ``{ply, turn: number}``."""
    depth, text = 0, ""
    for letter in sketch:
        depth += (letter in "{[") - (letter in "}]")
        text += letter if depth == 1 and letter not in "}]" else " "
        if depth == 0:
            break
    parts = re.sub(r"//.*", "", text).strip().lstrip("{").split(",")
    return {re.split(r"[?:]", part)[0].strip() for part in parts}


def sketches() -> list[tuple[str, set[str]]]:
    """The messages that the prose of the document sketches: type and names of fields."""
    prose = DOCUMENT.read_text(encoding="utf-8").partition("## Schemas")[0]
    found = []
    for start in re.finditer(r'\{type: "(\w+)"', prose):
        found.append((start[1], names_in(prose[start.start() :])))
    return found


def test_the_document_tells_of_every_message_with_its_fields():
    unions = (client_messages.ClientMessage, server_messages.ServerMessage)
    shapes = [model for union in unions for model in typing.get_args(typing.get_args(union)[0])]
    told = sketches()
    for model in shapes:
        (name,) = typing.get_args(model.model_fields["type"].annotation)
        wanted = fields(model) - {"id"}  # which any message may carry
        assert any(name == other and names - {"id"} == wanted for other, names in told), name
    names = {name for name, _ in told}
    assert names == {typing.get_args(model.model_fields["type"].annotation)[0] for model in shapes}


@pytest.mark.parametrize("name", sorted(each.name for each in GAMES.iterdir()))
def test_boards_are_what_document_and_client_say(name):
    """A board of ours has the same fields on the server, in the document and in the client."""
    game = make_game(name)
    board = screen_of(game).board(game.start(Dice(1)).position, None)
    prose = DOCUMENT.read_text(encoding="utf-8")
    (told,) = re.findall(rf"^\*\*{name}\*\*: `(\{{.*?\}})`", prose, re.MULTILINE | re.DOTALL)
    assert names_in(told) == set(board)
    types = (GAMES / name / "types.ts").read_text(encoding="utf-8")
    (fields_there,) = re.findall(
        r"^export interface \w+Board extends Board \{(.*?)^\}", types, re.S | re.M
    )
    assert set(re.findall(r"^  (\w+):", fields_there, re.MULTILINE)) == set(board)


ANSWERS = {
    "/api/about": games.About,
    "/api/games": list[games.GameInfo],
    "/api/game?spec=stratego:variant=mini": games.GameFacts,
    "/api/rules?spec=lucid": games.Rules,
    "/api/agents?game=skirmish": list[games.AgentInfo],
    "/api/rooms": list[rooms.RoomSummary],
    "/api/jobs": list[jobs.Job],
    "/api/training": list[jobs.TrainingRun],
    "/api/rooms/{room}": rooms.RoomSummary,
    "/api/rooms/{room}/log": rooms.LogPage,
    "/api/archive/{game}": archive.ArchivedGame,
    "/api/archive/{game}/steps": archive.Steps,
    "/api/archive/{game}/notes": reviews.Notes,
    "/api/archive/{game}/transcript?ply=1": reviews.Transcript,
    "/api/archive/{game}/advisers": reviews.Advisers,
    "/api/archive/matches": reviews.ArchiveList,
}
QUESTIONS = {
    "move": ({"agent": "skirmish/greedy"}, analysis.MoveAnswer),
    "candidates": ({"playouts": 10}, analysis.Candidates),
    "curve": ({"playouts": 10}, analysis.Curve),
}


@pytest.fixture(scope="module")
def finished(server):
    """A finished game: its room, and its name in the archive."""
    made = server.post(
        "/api/rooms",
        {
            "game": "skirmish:max_turns=2",
            "seats": [{"agent": "random"}, {"agent": "random"}],
            "listed": True,
        },
    )
    TypeAdapter(rooms.RoomLinks).validate_python(made)
    room = made["room"]
    wait_until(lambda: server.get(f"/api/rooms/{room}")["archive"] is not None)
    game = server.get(f"/api/rooms/{room}")["archive"]
    wait_until(lambda: server.http.get(f"/api/archive/{game}").status_code == 200)
    return {"room": room, "game": game}


@pytest.mark.parametrize("path", ANSWERS)
def test_answers_have_the_shape_that_is_promised(server, finished, path):
    answer = server.http.get(path.format(**finished))
    assert answer.status_code == 200, answer.text
    TypeAdapter(ANSWERS[path]).validate_json(answer.text)


@pytest.mark.parametrize("what", QUESTIONS)
def test_answers_to_questions_have_the_shape_that_is_promised(server, finished, what):
    more, shape = QUESTIONS[what]
    asked = server.post("/api/analysis", {"archive": finished["game"], "what": what, **more})
    job = server.job(asked["job"])
    TypeAdapter(jobs.Job).validate_python(job)
    TypeAdapter(shape).validate_python(job["result"])


def test_a_question_that_a_game_does_not_know_is_answered_with_one_line(server, finished):
    asked = server.post("/api/analysis", {"archive": finished["game"], "what": "beliefs"})
    job = server.job(asked["job"])
    assert job["status"] == "failed"
    assert "skirmish does not answer the question 'beliefs'" in job["error"]
