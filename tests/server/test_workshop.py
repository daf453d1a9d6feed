"""Archive, analysis, matches, training curves, labels, set-ups: everything besides rooms."""

from __future__ import annotations

import json

import pytest

from sandtable.arena.play.match import play_match
from sandtable.arena.play.plan import make_plan
from sandtable.arena.play.run import RunOptions, play_plans
from sandtable.arena.tournaments.schedules import make_tournament
from sandtable.arena.tournaments.standings import Games
from sandtable.games.lucid.agents.expert.games import BUNDLED_GAMES, read_expert_games
from sandtable.records.archive import Archive
from server.running import running, wait_until


@pytest.fixture(scope="module")
def match(server):
    """A match that was played through the server."""
    wanted = {"game": "lucid", "agents": ["lucid/simple-blue", "lucid/axes-red"], "games": 30}
    return server.job(server.post("/api/matches", {**wanted, "seed": 4})["job"])


def test_a_match_in_the_background_is_the_same_as_any_other(server, match):
    assert match["status"] == "done", match["error"]
    assert match["progress"] == {"done": 30, "total": 30}
    plan = make_plan("lucid", ["lucid/simple-blue", "lucid/axes-red"], 30, 4)
    expected = play_match(plan).as_data()
    for data in (expected, match["result"]):
        data.pop("timing")
    assert match["result"] == expected
    found = server.get("/api/archive", params={"game": "lucid", "agent": "lucid/axes-red"})
    assert found["total"] == 30
    assert len(found["games"]) == 30
    assert server.get("/api/archive", params={"agent": "random"})["total"] == 0
    lines = server.http.get("/api/archive/records", params={"game": "lucid"}).text.splitlines()
    assert {json.loads(line)["seed"] for line in lines} == {4}
    again = server.post("/api/archive", {"lines": "\n".join([*lines[:3], "{}"])})
    assert (again["added"], again["known"], len(again["problems"])) == (0, 3, 1)


def test_a_match_that_cannot_be_says_why_and_a_long_one_can_be_stopped(server):
    body = {"game": "lucid", "agents": ["lucid/axes-red", "random"], "games": 1}
    answer = server.http.post("/api/matches", json=body)
    assert answer.status_code == 400
    assert "plays red, not blue" in answer.json()["error"]
    agents = ["lucid/imitation-1", "lucid/axes-red"]
    job = server.post("/api/matches", {"game": "lucid", "agents": agents, "games": 5000})["job"]
    wait_until(lambda: bool(server.get(f"/api/jobs/{job}")["result"]))
    stopped = server.http.delete(f"/api/jobs/{job}").json()
    assert stopped["status"] == "stopped"
    assert 0 < stopped["progress"]["done"] < 5000
    assert stopped["result"]["seats"][0]["agent"] == agents[0]


def test_a_tournament_in_the_background(server):
    agents = ["random", "skirmish/greedy"]
    wanted = {"game": "skirmish:max_turns=8,start=random", "agents": agents, "deals": 3}
    job = server.job(server.post("/api/tournaments", wanted)["job"])
    assert job["status"] == "done", job["error"]
    plan = make_tournament("round-robin", [wanted["game"]], agents, 3, 0)
    expected = Games(plan)
    for number, chunk in play_plans(plan.matches, RunOptions(jobs=1)):
        expected.add(number, chunk)
    assert job["result"] == json.loads(json.dumps(expected.conclude().as_data()))
    answer = server.http.post("/api/tournaments", json={**wanted, "agents": ["random"] * 2})
    assert "named twice" in answer.json()["error"]


def test_replays_can_be_seen_from_any_seat(server, match):
    game = server.get("/api/archive")["games"][0]["id"]
    assert server.get(f"/api/archive/{game}")["id"] == game
    whole = server.get(f"/api/archive/{game}/steps", params={"first": 5, "count": 3})
    assert [step["ply"] for step in whole["steps"]] == [6, 7, 8]
    assert whole["start"]["ply"] == 5
    missing = server.http.get("/api/archive/0123456789-1")
    assert (missing.status_code, "holds no game" in missing.text) == (404, True)
    assert server.http.get(f"/api/archive/{game}/steps", params={"seat": 5}).status_code == 400


def ask(server, **question):
    job = server.job(server.post("/api/analysis", question)["job"])
    assert job["status"] == "done", job["error"]
    return job["result"]


def test_questions_about_a_position_of_lucid(server, match):
    game = next(each for each in server.get("/api/archive")["games"] if each["game"] == "lucid")
    steps = server.get(f"/api/archive/{game['id']}/steps", params={"count": 200})["steps"]
    ply = next(step["ply"] for step in steps if step["turn"] == 0 and step["text"] == "end")
    about = {"archive": game["id"], "ply": ply}
    move = ask(server, what="move", agent="lucid/semantic", **about)
    assert move["text"].endswith("end")
    assert "Group 1" in move["explanation"]
    assert move["svg"].startswith("<svg")
    candidates = ask(server, what="candidates", playouts=20, **about)["candidates"]
    assert candidates == sorted(candidates, key=lambda each: -each["value"])
    known = [each for each in candidates if each["low"] is not None]  # else too little is known
    assert all(each["low"] <= each["value"] <= each["high"] for each in known)
    assert all(each["high"] is None for each in candidates if each not in known)
    groups = ask(server, what="groups", **about)["groups"]
    assert groups[0]["nodes"]
    assert len(groups[0]["categories"]) == 12
    judged = ask(server, what="candidates", agent="lucid/champion-blue", **about)
    assert (judged["by"], judged["scale"], judged["seat"]) == ("lucid/champion-blue", "score", 0)
    assert judged["candidates"][0]["text"].endswith("end")  # whole turns
    assert judged["candidates"][0]["value"] == judged["value"]
    own = ask(server, what="curve", agent="lucid/champion-blue", archive=game["id"])
    assert own["points"][-1]["means"] == game["outcome"]["scores"]
    curve = ask(server, what="curve", playouts=10, archive=game["id"])
    assert curve["points"][0]["ply"] == 0
    assert curve["points"][-1]["ply"] == game["plies"]
    assert curve["points"][-1]["means"] == game["outcome"]["scores"]


def test_beliefs_are_told_of_finished_games_only(server):
    links = server.room("stratego:variant=mini", None, None)
    question = {"what": "beliefs", "room": links["room"], "seat": 0}
    answer = server.http.post("/api/analysis", json=question)
    assert (answer.status_code, answer.json()["error"]) == (
        409, "this game hides things, and is not over yet",
    )  # fmt: skip
    with server.joined(links["room"], links["seats"][0]["token"]) as player:
        player.until_type("state")
        player.send(type="resign")
        end = player.until(lambda message: message.get("why") == "end")
    assert all(piece["rank"] for piece in end["now"]["board"]["pieces"])  # nothing is hidden now
    pieces = ask(server, **question)["pieces"]
    assert len(pieces) == 12  # of Blue, none of them known
    for piece in pieces:
        assert sum(piece["ranks"].values()) == pytest.approx(1.0)
    bombs = sum(piece["ranks"].get("B", 0.0) for piece in pieces)
    assert bombs == pytest.approx(2.0)


def test_labels_are_shown_corrected_and_kept_and_bundled_games_stay(server):
    before = BUNDLED_GAMES.read_bytes()
    listed = server.get("/api/labels")
    assert len(listed["categories"]) == 12
    assert len(listed["games"]) == len(read_expert_games(BUNDLED_GAMES))
    turns = server.get("/api/labels/1")["turns"]
    number = next(turn["number"] for turn in turns if turn["groups"])
    path = f"/api/labels/1/turns/{number}"
    turn = server.get(path)
    group = turn["groups"][0]
    assert turn["before"]["game"] == "lucid"
    body = {"group": group["key"], "labels": ["outflank", "attack"]}
    changed = server.http.put(path, json=body).json()["groups"][0]
    assert (sorted(changed["labels"]), changed["corrected"]) == (["attack", "outflank"], True)
    assert server.get("/api/labels")["games"][0]["corrected"] == 1
    kept = read_expert_games(server.settings.data / "expert.jsonl")
    assert kept[0].record.annotations["expert"]["corrected"] == {str(number): [group["key"]]}
    assert BUNDLED_GAMES.read_bytes() == before
    for wrong in ({"group": "z9", "labels": []}, {"group": group["key"], "labels": ["dance"]}):
        answer = server.http.put(path, json=wrong)
        assert answer.status_code == 400
    assert server.http.get("/api/labels/999").status_code == 404


def test_a_game_of_the_archive_becomes_an_expert_game(server, match):
    game = next(each for each in server.get("/api/archive")["games"] if each["game"] == "lucid")
    body = {"archive": game["id"], "seat": "blue"}
    place = server.post("/api/labels/import", body)["place"]
    assert server.get(f"/api/labels/{place}")["id"] == game["id"]
    assert server.post("/api/labels/import", body)["place"] == place  # once


def test_curves_of_training_runs(server):
    folder = server.settings.runs / "first-run"
    folder.mkdir(parents=True)
    lines = [json.dumps({"game": n, "loss": 1 / (n + 1), "text": "x"}) for n in range(1000)]
    (folder / "metrics.jsonl").write_text("\n".join(lines) + '\n{"game": 10')  # half a line
    (folder / "config.json").write_text('{"games": 1000}')
    run = server.get("/api/training")[0]
    assert (run["run"], run["lines"], run["state"]) == ("first-run", 1000, "running")
    curve = server.get("/api/training/first-run", params={"points": 50})
    assert curve["columns"] == ["game", "loss"]
    assert curve["rows"][-1] == [999.0, 0.001]
    assert len(curve["rows"]) <= 51
    assert curve["config"] == {"games": 1000}
    for name in ("../data", "..%2f..", "second", ".hidden"):
        assert server.http.get(f"/api/training/{name}").status_code == 404


def test_setups_levels_games_and_agents(server):
    own = server.get("/api/setups", params={"variant": "mini"})
    assert {setup["name"] for setup in own} == {"corner", "bait"}
    rows = server.get("/api/setups/random", params={"variant": "mini"})["rows"]
    body = {"variant": "mini", "name": "mine", "rows": rows}
    assert server.http.put("/api/setups", json=body).status_code == 200
    saved = server.get("/api/setups", params={"variant": "mini"})[-1]
    assert saved == {"name": "mine", "rows": rows, "idea": "", "saved": True}
    wrong = server.post("/api/setups/check", {"variant": "mini", "rows": ["FFFFFF", "......"]})
    assert "flag: 6 instead of 1" in wrong["problems"]
    assert server.http.put("/api/setups", json={**body, "name": "corner"}).status_code == 400
    assert server.http.delete("/api/setups/mini/mine").status_code == 200
    assert server.http.delete("/api/setups/mini/mine").status_code == 404
    assert len(server.get("/api/levels")) == 7
    assert server.post("/api/levels/check", {"level": "nonsense"})["problems"]
    assert {game["name"] for game in server.get("/api/games")} >= {"lucid", "gravwell"}
    agents = server.get("/api/agents", params={"game": "lucid"})
    assert {"human", "external"}.isdisjoint(agent["name"] for agent in agents)
    seats = {agent["name"]: agent["seats"] for agent in agents}
    assert seats["lucid/axes-red"] == ["red"]
    facts = server.get("/api/game", params={"spec": "gravwell:players=2"})
    assert facts["seats"] == ["first", "second"]


def test_a_record_that_was_lost_on_the_way_to_the_archive_gets_there_at_the_next_start(tmp_path):
    with running(tmp_path, workers=0) as server:
        links = server.room("skirmish", None, None)
        with server.joined(links["room"], links["seats"][0]["token"]) as player:
            player.until_type("state")
            player.send(type="resign")
            name = player.until(lambda message: message.get("why") == "end")["now"]["archive"]
        held = server.server.config.app.application.state.server
        wait_until(lambda: held.rooms.open[links["room"]].archived)
    (tmp_path / "archive.db").unlink()
    from sandtable.server.storage import Storage

    storage = Storage(tmp_path / "data")
    storage.database.execute("UPDATE rooms SET archived = 0")
    storage.close()
    with running(tmp_path, workers=0) as server:
        wait_until(lambda: server.http.get(f"/api/archive/{name}").status_code == 200)
    archive = Archive.open(tmp_path / "archive.db")
    assert archive.count() == 1
    archive.close()
