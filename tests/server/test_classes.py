"""A class plays a tournament: on a real server, over a kill in the middle of a round."""

from __future__ import annotations

import csv
import io
import json
import signal

import pytest
from pydantic import TypeAdapter
from typer.testing import CliRunner

from sandtable.cli import classes as classes_command
from sandtable.cli.serve import ready_line
from sandtable.errors import SandtableError
from sandtable.server.responses import classes
from sandtable.server.settings import Limits
from server.running import Process, running, settings_in

GAME = "skirmish:max_turns=2"
PAGE = TypeAdapter(classes.ClassPage)
KEY = {"X-Sandtable-Key": "secret"}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


class Class:
    """A tournament as a host and its players use it."""

    def __init__(self, server, **wanted):
        self.server = server
        links = server.post("/api/classes", {"game": GAME, "title": "4b", **wanted})
        self.path, self.host = f"/api/classes/{links['name']}", bearer(links["host"])
        self.tokens: list[str] = []

    def enter(self, *names: str) -> list[str]:
        entered = [self.server.post(f"{self.path}/players", {"name": name}) for name in names]
        self.tokens += [each["token"] for each in entered]
        return [each["name"] for each in entered]

    def rule(self, what: str, **body):
        return self.server.post(f"{self.path}{what}", body, headers=self.host)

    @property
    def page(self):
        answer = self.server.http.get(self.path)
        PAGE.validate_json(answer.text)
        assert not any(token in answer.text for token in self.tokens)
        return answer.json()

    def games(self, player: int):
        """The rooms of a player's open games, and the token of the seat there."""
        me = self.server.get(f"{self.path}/me", headers=bearer(self.tokens[player]))
        assert me["player"] == player
        links = [game["link"] for game in me["games"]]
        return [(link.split("/")[2].split("#")[0], link.split("token=")[1]) for link in links]

    def resign(self, player: int) -> None:
        """Give up all that a player plays."""
        for room, token in self.games(player):
            with self.server.joined(room, token) as client:
                client.until_type("state")
                client.send(type="resign")
                client.until(lambda each: each.get("why") == "end")

    def standings(self):
        page = self.page
        return [
            (page["entrants"][row["player"]]["name"], row["points"]) for row in page["standings"]
        ]


def test_a_round_robin_with_byes_goes_on_where_a_killed_server_stopped(tmp_path):
    server = Process(tmp_path, tmp_path)
    school = Class(server)
    assert school.enter("Ann", "Ben", "Eve") == ["Ann", "Ben", "Eve"]
    page = school.rule("/rounds")
    assert (page["round"], page["rounds_planned"], page["joinable"]) == (1, 3, False)
    (meeting,), (resting,) = page["rounds"][0]["meetings"], page["rounds"][0]["byes"]
    assert sorted([*meeting["players"], resting]) == [0, 1, 2]
    assert meeting["games"][0]["here"] == [False, False]
    loser, winner = meeting["players"]
    ((room, token),) = school.games(loser)
    with server.joined(room, token) as player:
        player.until_type("state")
        player.play(player.now["legal"][0]["action"])
        player.until_type("steps")
    before = school.page
    server.stop(signal.SIGKILL)  # in the middle of a round
    server = school.server = Process(tmp_path, tmp_path)
    try:
        after = school.page
        assert after["rounds"][0]["meetings"][0]["players"] == meeting["players"]
        assert after["standings"] == before["standings"]
        assert school.games(winner)[0][0] == room
        early = server.http.post(f"{school.path}/rounds", json={}, headers=school.host)
        assert (early.status_code, early.json()["error"]) == (409, "round 1 is not over yet")
        school.resign(loser)
        points = dict(school.standings())
        names = ["Ann", "Ben", "Eve"]
        assert points == {names[loser]: 0.0, names[winner]: 1.0, names[resting]: 1.0}
        for _ in range(2):
            started = school.rule("/rounds")["rounds"][-1]
            school.resign(max(started["meetings"][0]["players"]))
        page = school.page
        assert page["over"]
        assert len({player for each in page["rounds"] for player in each["byes"]}) == 3
        assert school.standings()[0] == ("Ann", 3.0)
        assert all(game["archive"] for each in page["rounds"]
                   for meeting in each["meetings"] for game in meeting["games"])  # fmt: skip
        done = server.http.post(f"{school.path}/rounds", json={}, headers=school.host)
        assert (done.status_code, done.json()["error"]) == (409, "the tournament is over")
        exported(tmp_path, school)
    finally:
        server.stop(signal.SIGKILL)


def exported(folder, school) -> None:
    """Results are written out by the command while the server is running."""
    files = [folder / "standings.csv", folder / "results.json"]
    words = ["4b", "--data", str(folder / "data")]
    words += ["--csv", str(files[0]), "--json", str(files[1])]
    done = CliRunner().invoke(classes_command.command, words)
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(io.StringIO(files[0].read_text())))
    assert [(row["name"], float(row["points"])) for row in rows] == school.standings()
    found = json.loads(files[1].read_text())
    assert [game["round"] for game in found["games"]] == [1, 2, 3]
    assert found == school.server.get(f"{school.path}/results.json")
    assert not any(token in files[1].read_text() for token in school.tokens)
    listed = CliRunner().invoke(classes_command.command, words[1:3])
    assert "4b" in listed.output and "over" in listed.output


@pytest.fixture(scope="module")
def keyed(tmp_path_factory):
    with running(tmp_path_factory.mktemp("classes"), key="secret") as found:
        yield found


def test_guests_play_and_only_the_host_rules(keyed):
    assert keyed.http.post("/api/classes", json={"game": GAME}).status_code == 401
    links = keyed.post("/api/classes", {"game": GAME}, headers=KEY)
    path = f"/api/classes/{links['name']}"
    mine = keyed.post(f"{path}/players", {"name": "Ann"})  # without the key
    keyed.post(f"{path}/players", {"name": "Ben"})
    asked = {
        "/rounds": {}, "/end": {}, "/players/0": {"gone": True}, "/programs": {"agent": "random"},
        "/decisions": {"room": "A" * 12, "seat": 0},
    }  # fmt: skip
    for what, body in asked.items():
        for headers in ({}, bearer(mine["token"]), bearer("x"), {"X-Sandtable-Key": "no"}):
            answer = keyed.http.post(f"{path}{what}", json=body, headers=headers)
            assert answer.status_code == 401, what
    assert keyed.get(f"{path}/me", headers=bearer(links["host"]))["host"]
    assert keyed.get(f"{path}/me", headers=KEY)["host"]
    assert keyed.get(f"{path}/me") == {"host": False, "player": None, "games": []}
    assert keyed.post(f"{path}/rounds", {}, headers=KEY)["round"] == 1
    late = keyed.http.post(f"{path}/players", json={"name": "Max"})
    assert (late.status_code, "ask its host" in late.text) == (409, True)
    assert keyed.http.get("/api/classes/AAAAAAAA").status_code == 404
    wrong = keyed.http.post("/api/classes", json={"game": "gravwell"}, headers=KEY)
    assert "games of two" in wrong.json()["error"]


def test_without_the_key_or_its_link_nobody_finds_a_class(keyed):
    made = [
        keyed.post("/api/classes", {"game": GAME, "listed": listed}, headers=KEY)["name"]
        for listed in (False, True)
    ]
    assert len({letter for name in made for letter in name}) > 8 and len(made[0]) == 12
    seen = [each["name"] for each in keyed.get("/api/classes")]
    assert made[1] in seen and made[0] not in seen
    assert set(made) <= {each["name"] for each in keyed.get("/api/classes", headers=KEY)}
    assert keyed.get(f"/api/classes/{made[0]}")["listed"] is False  # by its link


def test_one_guest_cannot_keep_a_class_full(keyed, monkeypatch):
    monkeypatch.setattr("sandtable.server.classes.classes.MOST_PLAYERS", 4)
    links = keyed.post("/api/classes", {"game": GAME, "kind": "swiss"}, headers=KEY)
    path = f"/api/classes/{links['name']}"

    def enter(name, status=200, **more):
        answer = keyed.http.post(f"{path}/players", json={"name": name}, **more)
        assert answer.status_code == status, answer.text
        return answer.json()

    def names():
        return [each["name"] for each in keyed.get(path)["entrants"]]

    def rule(what, **body):
        return keyed.post(f"{path}{what}", body, headers=bearer(links["host"]))

    ann = enter("Ann")
    assert keyed.get(f"{path}/me", headers=bearer(ann["token"]))["player"] == 0
    assert enter("Ann again", headers=bearer(ann["token"])) == ann  # one place for one browser
    for number in range(3):
        enter(f"x{number}")
    assert "at most 4" in enter("Ben", 409)["error"]
    monkeypatch.setattr("sandtable.server.classes.classes.CONFIRM_SECONDS", 0.0)
    enter("Ben")  # in the places of those whose page never asked for anything
    monkeypatch.setattr("sandtable.server.classes.classes.CONFIRM_SECONDS", 60.0)
    assert names() == ["Ann", "Ben"]
    for number in range(2):
        made = enter(f"y{number}")
        keyed.get(f"{path}/me", headers=bearer(made["token"]))  # this one asks
    assert len(rule("/players/2", gone=True, and_later=True)["entrants"]) == 2
    assert rule("/entry", closed=True)["joinable"] is False
    assert "lets nobody else in" in enter("Eve", 409)["error"]
    assert keyed.http.post(f"{path}/entry", json={"closed": False}).status_code == 401
    rule("/programs", agent="random")
    rule("/entry", closed=False)
    assert rule("/rounds")["round"] == 1
    enter("Late")
    page = rule("/players/1", gone=True, and_later=True)
    assert [(each["name"], each["gone"]) for each in page["entrants"]] == [
        ("Ann", False), ("Ben", True), ("random", True),
    ]  # fmt: skip


def test_equal_names_are_told_apart_bounded_and_no_formula(server):
    school = Class(server, kind="swiss")
    assert school.enter("Ann", "ann", "=1+1", "x" * 40) == ["Ann", "ann (2)", "=1+1", "x" * 40]
    assert school.enter("<b>Ann</b>\n", "x" * 40) == ["<b>Ann</b>", "x" * 36 + " (2)"]
    for name in ("", " \u200b ", "x" * 41):
        answer = server.http.post(f"{school.path}/players", json={"name": name})
        assert answer.status_code in (400, 422)
    renamed = server.post(f"{school.path}/name", {"name": "ANN"}, headers=bearer(school.tokens[3]))
    assert renamed["entrants"][3]["name"] == "ANN (3)"
    text = server.http.get(f"{school.path}/results.csv").text
    assert "\r\n1,'=1+1,person,0.0" in text
    school.rule("/players/0", gone=True)  # before the first round it is forgotten
    assert school.page["entrants"][0]["name"] == "ann (2)"


def test_who_does_not_come_forfeits_or_is_replaced_by_a_program(server):
    school = Class(server, kind="swiss", clock={"minutes": 5.0})
    school.enter("Ann", "Ben", "Eve", "Max")
    meetings = school.rule("/rounds")["rounds"][0]["meetings"]
    game = meetings[0]["games"][0]
    page = school.rule("/decisions", room=game["room"], seat=1)
    assert page["rounds"][0]["meetings"][0]["points"] == [1.0, 0.0]
    assert (
        "the host decided so" in page["rounds"][0]["meetings"][0]["games"][0]["outcome"]["reason"]
    )
    other = meetings[1]["games"][0]
    absent = other["players"][1]
    ((room, void),) = school.games(absent)
    ((_, token),) = school.games(other["players"][0])
    with server.joined(room, token) as player, server.joined(room, void) as turned_out:
        for each in (player, turned_out):
            each.until_type("state")
        page = school.rule("/decisions", room=room, seat=1, agent="level:beginner")
        assert page["rounds"][0]["meetings"][1]["games"][0]["replaced"] == [False, True]
        told = turned_out.until(lambda each: each["type"] == "state" and each["you"] is None)
        assert told["role"] == "spectator"
        assert told["room"]["seats"][1]["kind"] == "program"
        assert school.games(absent) == []
        with server.joined(room, void) as stranger:
            assert stranger.closing_code() == 4401
        player.until(lambda each: "room" in each and each["room"]["seats"][1]["agent"] is not None)
        assert (player.now["can"]["hint"], player.now["can"]["undo_turn"]) == (False, False)
        player.send(type="hint")  # whom a program plays for is not helped by another
        assert player.until_type("error")["code"] == "not_allowed"
        end = player.play_to_end(lambda legal: legal[0]["action"])
        assert end["room"]["of_class"] and not end["now"]["can"]["rematch"]
        player.send(type="rematch")
        assert "begins with its round" in player.until_type("error")["text"]
    page = school.page
    assert page["rounds"][0]["meetings"][1]["points"][1] == 0.0
    assert page["rounds"][0]["over"]
    again = server.http.post(
        f"{school.path}/decisions", json={"room": room, "seat": 0}, headers=school.host
    )
    assert again.status_code == 409


def test_swiss_takes_people_who_come_late_and_programs_and_ends_when_the_host_says(server):
    school = Class(server, kind="swiss")
    school.enter("Ann", "Ben")
    assert school.rule("/programs", agent="level:easy")["entrants"][2]["name"] == "Easy"
    first = school.rule("/rounds")["rounds"][0]
    assert len(first["byes"]) == 1
    (late,) = school.enter("Late")
    people = [player for player in first["meetings"][0]["players"] if player != 2]
    school.resign(people[0])
    assert school.rule("/players/0", gone=True)["entrants"][0]["gone"]
    second = school.rule("/rounds")["rounds"][1]
    seated = {player for each in second["meetings"] for player in each["players"]}
    assert 0 not in seated | set(second["byes"])
    assert 3 in seated | set(second["byes"])
    assert late == "Late"
    assert school.rule("/end")["over"]
    assert server.get("/api/classes")[0]["name"] is not None


def test_where_only_scores_count_a_meeting_is_a_game_from_each_side(server):
    school = Class(server, game="lucid")
    school.enter("Ann", "Ben")
    (meeting,) = school.rule("/rounds")["rounds"][0]["meetings"]
    assert [game["players"] for game in meeting["games"]] == [[0, 1], [1, 0]]
    assert len({game["room"] for game in meeting["games"]}) == 2
    school.resign(1)
    page = school.page
    assert page["rounds"][0]["meetings"][0]["points"] == [1.0, 0.0]
    assert page["standings"][0]["score"]["value"] > 0
    assert page["notes"]


def test_a_round_that_cannot_be_stored_has_not_begun(server, monkeypatch):
    school = Class(server)
    school.enter("Ann", "Ben")
    rooms = server.held.storage.open_rooms()

    def full(*_):
        raise SandtableError("the disk is full")

    monkeypatch.setattr(server.held.storage, "insert_room", full)
    answer = server.http.post(f"{school.path}/rounds", json={}, headers=school.host)
    assert (answer.status_code, answer.json()["error"]) == (400, "the disk is full")
    assert school.page["round"] == 0
    assert set(server.held.storage.open_rooms()) <= set(rooms)
    monkeypatch.undo()
    assert school.rule("/rounds")["round"] == 1


def test_serve_prints_a_link_for_the_class_without_the_key(tmp_path, capsys):
    settings = settings_in(
        tmp_path, host="0.0.0.0", hosts=("table.example.org:8000",), key="secret"
    )
    ready_line(tmp_path)("http://127.0.0.1:8000/#key=secret", settings)
    lines = capsys.readouterr().out.splitlines()
    told = "A class joins by the link and the code on its page, a listed one at "
    assert f"{told}http://table.example.org:8000/class" in lines
    assert "  http://table.example.org:8000/#key=secret" in lines
    ready_line(tmp_path)("http://127.0.0.1:8000/", settings_in(tmp_path, port=8000))
    assert "A class joins at http://127.0.0.1:8000/class" in capsys.readouterr().out


def test_a_school_behind_one_address_may_look_as_often_as_its_pages_do():
    people, seconds = 200, 2.0  # LOOK_AGAIN in web/src/lib/class.svelte.ts
    assert people / seconds <= Limits().requests_per_second / 2
    assert people <= Limits().room_burst  # they all say their name at once


def test_a_folder_without_a_server_is_told_in_one_line(tmp_path):
    done = CliRunner().invoke(classes_command.command, ["--data", str(tmp_path)])
    assert "no server's folder" in str(done.exception)
