"""Looking back over HTTP: mistakes, notes, advisers, the list of matches, series, moving now."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest

from sandtable.arena.play.game_loop import play_game
from sandtable.records.lines import record_to_line
from sandtable.registry import make_agent, make_game
from sandtable.server.jobs import Job
from sandtable.server.responses.jobs import PlayableWeights, TrainingRun
from sandtable.server.responses.reviews import (
    Advisers,
    ArchiveList,
    Notes,
    Review,
    SeriesResult,
)
from server.running import running, wait_until

SHORT = "skirmish:max_turns=4"


def record_of(spec: str, *agents: str, seed: int = 3, number: int = 0, names=None):
    game, made = make_game(spec), [make_agent(agent) for agent in agents]
    return play_game(game, made, specs=names or agents, seed=seed, number=number).record


@pytest.fixture(scope="module")
def kept(server):
    """Games brought into the archive: a match of three, with rotation, and two of people."""
    records = [record_of(SHORT, "random", "random", seed=9, number=each) for each in range(2)]
    pair = ("random", "montecarlo:samples=1")
    records += [record_of(SHORT, *pair, seed=5, number=0)]
    records += [record_of(SHORT, *pair[::-1], seed=5, number=1)]
    records += [record_of(SHORT, "random", "random", seed=7, names=("human", "random"))]
    records += [
        record_of(
            "stratego:variant=mini,max_plies=40", "random", "random", names=("random", "human")
        )
    ]
    lines = "\n".join(record_to_line(record) for record in records)
    assert server.post("/api/archive", {"lines": lines})["problems"] == []
    return records


def test_mistakes_of_a_person_are_found_once_for_all(server, kept):
    record = kept[4]
    path = f"/api/archive/{record.identity}/mistakes"
    job = server.post(path, {})["job"]
    assert server.post(path, {"seat": 0})["job"] == job  # the person's seat, and not twice
    done = server.job(job)
    assert done["status"] == "done", done
    review = Review.model_validate(done["result"])
    assert (review.by, review.scale, review.seat) == ("skirmish/champion", "chance", 0)
    assert review.done
    assert (review.judged, review.turns) == (4, 4)
    assert review.given_away >= max((mistake.loss for mistake in review.mistakes), default=0) - 0.5
    for mistake in review.mistakes:
        assert mistake.loss == pytest.approx(mistake.better_value - mistake.played_value, abs=2e-4)
        assert mistake.played.actions[0].action == record.actions[mistake.ply]
        assert mistake.better.actions[0].label
    assert server.http.post(path, json={"seat": 5}).status_code == 400
    for wrong in ("0000000000-1", "nonsense"):
        answer = server.http.post(f"/api/archive/{wrong}/mistakes", json={})
        assert answer.status_code in (404, 422)


def test_notes_and_variations_are_kept_in_the_record(server, kept):
    record = kept[0]
    path = f"/api/archive/{record.identity}/notes"
    assert server.get(path) == {"notes": []}
    name = make_game(record.game).notation.action_name(record.actions[1])
    told = Notes.model_validate(server.post(path, {"ply": 1, "text": " Good. ", "moves": name}))
    assert [(note.ply, note.text) for note in told.notes] == [(1, "Good.")]
    assert told.notes[0].variation.actions[0].action == record.actions[1]
    downloaded = json.loads(server.http.get(f"/api/archive/{record.identity}/record").text)
    assert downloaded["annotations"]["notes"][0]["text"] == "Good."
    for wrong in (
        {"ply": 999, "text": "x"},
        {"ply": 0, "text": ""},
        {"ply": 0, "text": "x", "moves": "zz-zz"},
        {"ply": 0, "text": "x", "actions": [4]},
    ):
        answer = server.http.post(path, json=wrong)
        assert answer.status_code == 400, answer.text
        assert "\n" not in answer.json()["error"]
    assert server.http.delete(f"{path}/7").status_code == 400
    assert server.http.delete(f"{path}/0").json() == {"notes": []}


def test_only_programs_that_can_answer_are_offered(server, kept):
    stratego = kept[5].identity
    start = Advisers.model_validate(server.get(f"/api/archive/{stratego}/advisers"))
    specs = {each.spec: each for each in start.advisers}
    assert "human" not in specs
    assert "mcts" not in specs  # the game hides things
    assert specs["ismcts"].values
    assert specs["random"].played
    assert not specs["random"].values
    assert start.advisers[0].values  # those come first
    end = server.get(f"/api/archive/{stratego}/advisers", params={"ply": len(kept[5].actions)})
    assert end["turn"] is None
    assert all(each["curve"] and not each["plays"] for each in end["advisers"])
    skirmish = server.get(f"/api/archive/{kept[0].identity}/advisers")["advisers"]
    own = next(each for each in skirmish if each["spec"] == "skirmish/dsl")
    assert (own["plays"], own["values"], own["curve"]) == (True, False, False)  # not in percent
    answer = server.http.get(f"/api/archive/{stratego}/advisers", params={"ply": 9999})
    assert answer.status_code == 400


def test_a_match_is_one_row_and_rows_can_be_chosen(server, kept):
    def rows(**asked):
        return ArchiveList.model_validate(server.get("/api/archive/matches", params=asked))

    found = rows(game="skirmish")
    sizes = sorted(row.games for row in found.matches)
    assert sizes[-2:] == [2, 2]
    rotated = next(row for row in found.matches if len(row.experiments) == 2)
    assert {mean.agent for mean in rotated.means} == {"random", "montecarlo:samples=1"}
    inside = server.get("/api/archive", params={"experiments": ",".join(rotated.experiments)})
    assert inside["total"] == 2
    assert {game["number"] for game in inside["games"]} == {0, 1}
    people = rows(who="people")
    assert all("human" in row.game.players for row in people.matches)
    assert people.total >= 2
    assert not any("human" in row.game.players for row in rows(who="programs").matches)
    mine = rows(only=f"{kept[4].identity},{kept[1].identity}")
    assert (mine.total, mine.games) == (2, 2)
    today = time.strftime("%Y-%m-%d", time.gmtime())
    assert rows(since=today).total == rows().total
    assert rows(until="2000-01-01").total == 0
    assert all(row.game.added.startswith("20") for row in found.matches)
    for wrong in ({"who": "cats"}, {"since": "soon"}, {"only": "x"}):
        assert server.http.get("/api/archive/matches", params=wrong).status_code == 422


def test_a_series_counts_games_without_luck_and_says_why_there_is_no_interval(server):
    lucid = next(game for game in server.get("/api/games") if game["name"] == "lucid")
    (series,) = lucid["series"]
    assert (series["games"], series["beside"]) == (20, 9.47)
    assert "luck_weights" not in series
    played = [
        record_of("lucid", "lucid/one-axis-blue", "lucid/axes-red", seed=seed,
                  names=("human", "lucid/axes-red"))
        for seed in (1, 2)
    ]  # fmt: skip
    other = record_of("lucid", "lucid/one-axis-blue", "lucid/axes-red", seed=3)
    records = [*(web(record) for record in played), web(other)]
    server.held.archive.add(records)
    asked = {"game": "lucid", "name": "expert", "games": ",".join(r.identity for r in records)}
    result = SeriesResult.model_validate(server.get("/api/series", params=asked))
    assert [each.score for each in result.games] == [r.outcome.scores[0] for r in played]
    assert any(each.score != each.luck_free for each in result.games)
    assert [each.why for each in result.left_out] == ["it is another game"]
    assert result.luck_free.low is None
    assert "fewer than 20" in result.luck_free.reason
    empty = server.get("/api/series", params={"game": "lucid", "name": "expert"})
    assert empty["luck_free"] is None
    for wrong in ({"game": "lucid", "name": "none"}, {"game": "skirmish", "name": "expert"}):
        assert server.http.get("/api/series", params=wrong).status_code == 404


def web(record):
    """Return a record as one of a room, which whoever knows its name may see."""
    from dataclasses import replace

    return replace(record, annotations={"web": {}})


def test_a_program_that_thinks_can_be_told_to_move_now(server):
    links = server.room("skirmish", None, "mcts:seconds=50")
    seat = links["seats"][0]
    with server.joined(links["room"], seat["token"]) as player:
        player.until_type("state")
        assert not player.now["can"]["hurry"]
        player.send(type="hurry")
        assert player.until_type("error")["code"] == "not_allowed"
        if player.now["turn"] == 0:
            player.play(player.now["legal"][0]["action"])
            player.until_type("steps")
        assert player.now["can"]["hurry"]
        began = time.monotonic()
        while player.now["turn"] == 1:  # the first may come while it is still being compiled
            player.send(type="hurry")
            player.send(type="ping")
            player.until(lambda each: each["type"] in ("pong", "steps"))
            time.sleep(0.2)
        assert time.monotonic() - began < 45
        assert player.steps[-1]["seat"] == 1
        assert player.now["outcome"] is None
    links = server.room("skirmish", None, "random")
    with server.joined(links["room"], links["seats"][0]["token"]) as player:
        player.until_type("state")
        assert not player.now["can"]["hurry"]  # there is nothing to hurry


def test_runs_tell_their_true_state_and_weights_who_can_play_with_them(tmp_path):
    from sandtable.games.skirmish.agents.champion.agent import BUNDLED
    from sandtable.learning.state import RunMark

    weights = tmp_path / "weights"
    weights.mkdir()
    (weights / "mine.bin").write_bytes(Path(BUNDLED).read_bytes())
    (weights / "other.bin").write_bytes(b"nothing of the kind")
    with running(tmp_path, weights=weights) as server:
        marks = {}
        for name in ("goes-on", "killed", "done"):
            folder = server.settings.runs / name
            folder.mkdir(parents=True)
            (folder / "metrics.jsonl").write_text('{"game": 0}\n{"game": 1}\n')
            marks[name] = RunMark(folder, "game", 8)
        marks["killed"].lock.close()  # as when its process ends
        marks["done"].end("finished")
        runs = [TrainingRun.model_validate(each) for each in server.get("/api/training")]
        states = {run.run: (run.state, run.done, run.total) for run in runs}
        assert states == {
            "goes-on": ("running", 2, 8),
            "killed": ("failed", 2, 8),
            "done": ("finished", 2, 8),
        }
        assert "without a word" in next(run.reason for run in runs if run.run == "killed")
        marks["goes-on"].end("stopped")
        assert {run["state"] for run in server.get("/api/training")} == {
            "stopped", "failed", "finished",
        }  # fmt: skip
        found = [PlayableWeights.model_validate(each) for each in server.get("/api/weights")]
        assert [(each.file, each.agent) for each in found] == [
            ("mine.bin", "skirmish/champion:weights=@mine.bin")
        ]
        links = server.room("skirmish", None, found[0].agent)
        wait_until(lambda: server.get(f"/api/rooms/{links['room']}")["ply"] >= 0)


def test_without_a_key_only_games_of_rooms_are_judged_and_nothing_is_written(tmp_path):
    with running(tmp_path, key="secret") as server:
        mine = web(record_of(SHORT, "random", "random", seed=21))
        secret = record_of(SHORT, "random", "random", seed=22)
        server.held.archive.add([mine, secret])
        post, get = server.http.post, server.http.get
        assert post(f"/api/archive/{mine.identity}/mistakes", json={}).status_code == 200
        assert post(f"/api/archive/{secret.identity}/mistakes", json={}).status_code == 404
        for what in ("notes", "advisers"):
            assert get(f"/api/archive/{mine.identity}/{what}").status_code == 200
            assert get(f"/api/archive/{secret.identity}/{what}").status_code == 404
        assert get("/api/archive/matches").json()["total"] == 0  # no room was listed
        note = {"ply": 0, "text": "x"}
        assert post(f"/api/archive/{mine.identity}/notes", json=note).status_code == 401
        assert server.http.delete(f"/api/archive/{mine.identity}/notes/0").status_code == 401
        assert get("/api/weights").json() == []
        guests_take_no_place_of_matches(server, mine)


def guests_take_no_place_of_matches(server, record) -> None:
    """Fill the places of guests: others of them wait, the operator does not, a failure ends."""
    jobs = server.held.jobs

    async def for_ever(job) -> None:
        await asyncio.sleep(3600)

    async def mistaken(job) -> None:
        raise KeyError("ours")

    def added(work, count):
        new = [Job("mistakes", "x", for_guests=True) for _ in range(count)]
        return server.inside(lambda held: [jobs.add(each, work) for each in new])

    (failed,) = added(mistaken, 1)
    wait_until(lambda: failed.status == "failed")
    assert "ours" in failed.error
    added(for_ever, 20 - server.inside(lambda held: jobs.running(True)))
    path = f"/api/archive/{record.identity}/mistakes"
    refused = server.http.post(path, json={"seat": 1})
    assert refused.status_code == 409 and "wait a moment" in refused.json()["error"]
    match = {"game": SHORT, "agents": ["random", "random"], "games": 2}
    key = {"X-Sandtable-Key": "secret"}
    assert server.http.post("/api/matches", json=match, headers=key).status_code == 200
