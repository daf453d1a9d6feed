"""Nonsense for classes, notes, mistakes, puzzles, series and runs that are really there.

Requests made from the schema alone (``test_fuzzing``) hardly ever name a class or a game that
exists; these do. ``SANDTABLE_ATTACKS=300`` sends as many to every endpoint.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3

import pytest

from sandtable.arena.play.game_loop import play_game
from sandtable.learning.state import LOCK_FILE, STATE_FILE
from sandtable.registry import make_agent, make_game
from sandtable.server.routes.arena import curves_of, runs_in
from server.running import running

EACH = int(os.environ.get("SANDTABLE_ATTACKS", "8"))
DEEP = json.loads("[" * 60 + "]" * 60)
VALUES = (
    None, True, -1, 0, 10**30, 1.5, -0.0, "", "x", "x" * 5000, "\x00", "../../etc/passwd", "a/b",
    "\u202e\u0000", [], {}, DEEP, [[]], {"seat": 0}, "skirmish:level=/etc/passwd", "external:ls",
    "human", "montecarlo:samples=999999999", "<script>", "=1+1", "1" * 4000,
)  # fmt: skip
HALF_A_LETTER = b'{"name": "\\ud800", "text": "\\udfff", "title": "\\ud800", "ply": 0}'
PARTS = (
    "x" * 300, "x" * 9000, "%00", "%ff%fe", "..%2f..%2fetc%2fpasswd", "%ed%a0%80", "-1", "1e5",
    "9" * 40, "%D9%A3", "%0d%0aX: y", "%E2%80%AE", "__proto__", "null", " ",
)  # fmt: skip


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    """A server with a key, a class that plays, and a game of a room and one of a match."""
    folder = tmp_path_factory.mktemp("attacked")
    with running(folder, key="secret") as server:
        key = {"X-Sandtable-Key": "secret"}
        wanted = {"game": "skirmish:max_turns=2", "kind": "swiss", "title": "Class"}
        made = server.post("/api/classes", wanted, headers=key)
        people = [
            server.post(f"/api/classes/{made['name']}/players", {"name": name})
            for name in ("Ann", "Ben")
        ]
        made |= {"people": people, "key": key}
        game = make_game("skirmish:max_turns=2")
        agents = [make_agent("random"), make_agent("random")]
        played = play_game(game, agents, specs=("random", "random"), seed=77, number=0).record
        server.held.archive.add([played])
        made["secret_game"] = played.identity
        server.post(
            f"/api/archive/{played.identity}/notes",
            {"ply": 0, "text": "a secret note"}, headers=key,
        )  # fmt: skip
        yield server, made


def endpoints(made) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return all endpoints of the newer features: method, path, names in the body."""
    name, game = made["name"], made["secret_game"]
    classes, kept = f"/api/classes/{name}", f"/api/archive/{game}"
    return [
        ("POST", "/api/classes", ("title", "game", "kind", "both_sides", "clock")),
        ("GET", "/api/classes/{part}", ()),
        ("GET", f"{classes}/{{part}}", ()),
        ("GET", f"{classes}/me", ()),
        ("POST", f"{classes}/players", ("name",)),
        ("POST", f"{classes}/name", ("name",)),
        ("POST", f"{classes}/programs", ("agent",)),
        ("POST", f"{classes}/rounds", ()),
        ("POST", f"{classes}/decisions", ("room", "seat", "agent")),
        ("POST", f"{classes}/players/{{part}}", ("gone",)),
        ("POST", f"{classes}/end", ("x",)),
        ("POST", f"{kept}/mistakes", ("seat",)),
        ("POST", "/api/archive/{part}/mistakes", ("seat",)),
        ("POST", f"{kept}/notes", ("ply", "text", "actions", "moves")),
        ("GET", "/api/archive/{part}/notes", ()),
        ("DELETE", f"{kept}/notes/{{part}}", ()),
        ("GET", f"{kept}/advisers?ply={{part}}", ()),
        ("GET", "/api/archive/matches?who={part}&since={part}&only={part}", ()),
        ("GET", "/api/series?game={part}&name={part}&games={part}", ()),
        ("GET", f"/api/series?game=lucid&name=ten&games={game}", ()),
        ("GET", "/api/puzzles/{part}/{part}", ()),
        ("GET", "/api/puzzles/skirmish/{part}/hint", ()),
        ("GET", "/api/puzzles/skirmish/1/why?from={part}&to={part}", ()),
        ("POST", "/api/puzzles/skirmish/1", ("action",)),
        ("GET", "/api/training/{part}?points={part}", ()),
        ("GET", "/api/rating?games={part}", ()),
        ("GET", "/api/jobs/{part}", ()),
    ]


def test_no_request_to_what_is_there_is_trouble_or_tells_a_secret(attacked):
    server, made = attacked
    chance = random.Random(1)
    secrets = [made["host"], *(each["token"] for each in made["people"]), "a secret note"]
    tokens = [None, "secret", *secrets[:2], "x" * 150, "caf\u00e9"]
    count = 0
    for method, path, names in endpoints(made):
        for _ in range(EACH):
            filled = path.replace("{part}", chance.choice([*PARTS, "0", "1"]))
            token = chance.choice([each for each in tokens if each != "secret"])
            headers = {"Content-Type": "application/json"}
            if token is not None:
                headers["Authorization"] = f"Bearer {token}".encode("latin-1")
            body = json.dumps({name: chance.choice(VALUES) for name in names}).encode()
            body = chance.choice([body, body, body, HALF_A_LETTER, b"[" * 3000, b"\xff", b""])
            if method == "GET":
                body = None
            answer = server.http.request(method, filled, headers=headers, content=body)
            count += 1
            where = method, filled[:80], token, (body or b"")[:80], answer.text[:300]
            assert answer.status_code < 500, where
            if answer.status_code >= 400:
                line = answer.json()["error"]
                assert "\n" not in line and "Traceback" not in line and len(line) < 600, where
            own = token if method == "POST" and filled.endswith("/players") else None
            assert not any(each in answer.text for each in secrets if each != own), where
    assert count == EACH * len(endpoints(made))
    page = server.get(f"/api/classes/{made['name']}")
    assert page["entrants"][1]["name"] == "Ben"  # whose token nobody sent
    assert server.get(f"/api/archive/{made['secret_game']}/notes", headers=made["key"])["notes"]


def test_a_class_that_is_damaged_or_whose_game_is_gone_breaks_no_other(tmp_path):
    with running(tmp_path) as server:
        fine = server.post("/api/classes", {"game": "skirmish", "title": "Fine"})["name"]
        gone = server.post("/api/classes", {"game": "skirmish", "title": "Gone"})["name"]
        broken = server.post("/api/classes", {"game": "skirmish", "title": "Broken"})["name"]
    (path,) = tmp_path.rglob("rooms.db")
    with sqlite3.connect(path) as database:
        change = "UPDATE classes SET data = replace(data, '\"skirmish\"', ?) WHERE class = ?"
        database.execute(change, ('"no-such-game"', gone))
        database.execute("UPDATE classes SET data = ? WHERE class = ?", ("[" * 50000, broken))
    database.close()
    with running(tmp_path) as server:
        listed = {each["name"]: each["game_title"] for each in server.get("/api/classes")}
        assert listed == {fine: "Skirmish", gone: "no-such-game"}
        answer = server.http.get(f"/api/classes/{gone}")
        assert 400 <= answer.status_code < 500 and "no-such-game" in answer.json()["error"]
        assert server.get(f"/api/classes/{fine}")["title"] == "Fine"


def test_runs_that_are_damaged_are_listed_as_far_as_they_go(tmp_path):
    lines = {
        "deep": "[" * 50_000 + "\n" + '{"step": 1}\n',
        "large": '{"step": 0, "loss": 1' + "0" * 400 + "}\n",
        "half": '{"step": 0, "loss": 0.5}\n{"st',
        "fine": '{"step": 0}\n',
    }
    for name, text in lines.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "metrics.jsonl").write_text(text)
        (tmp_path / name / STATE_FILE).write_text("[" * 50_000)
        (tmp_path / name / "config.json").write_text("[" * 50_000)
    (tmp_path / "fine" / LOCK_FILE).mkdir()
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "metrics.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder" / "metrics.jsonl").mkdir(parents=True)
    found = {each["run"]: each["lines"] for each in runs_in(tmp_path)}
    assert found == {"deep": 1, "large": 1, "half": 1, "fine": 1}
    assert curves_of(tmp_path / "large", "large", 10)["rows"] == [[0.0]]
    assert curves_of(tmp_path / "deep", "deep", 10)["config"] == {}
