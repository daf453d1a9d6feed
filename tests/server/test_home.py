"""What the first page asks for: levels, a person's rooms and rating, weights of a folder."""

from __future__ import annotations

import shutil

import pytest

from sandtable.arena.statistics.known_opponents import rating_against_known
from sandtable.games.skirmish.agents.champion.evaluation import BUNDLED
from sandtable.records.record import Record
from sandtable.registry import make_game
from sandtable.server import person_ratings
from sandtable.server.person_ratings import ratings_from
from sandtable.types import Outcome
from server.running import running, wait_until


def test_a_game_tells_its_levels_and_a_room_seats_one_by_its_title(server):
    facts = server.get("/api/game", params={"spec": "skirmish"})
    names = [level["name"] for level in facts["levels"]]
    assert names[0] == "beginner"
    assert names[-1] == "champion"
    links = server.room("skirmish:max_turns=4", None, "level:easy")
    seats = server.get(f"/api/rooms/{links['room']}")["seats"]
    assert (seats[1]["name"], seats[1]["agent"], seats[1]["kind"]) == (
        "Easy",
        "level:easy",
        "program",
    )
    with server.joined(links["room"], links["seats"][0]["token"]) as player:
        player.until_type("state")
        player.play_to_end(lambda legal: legal[0]["action"])
    wanted = {"game": "skirmish", "seats": [{"person": ""}, {"agent": "level:nobody"}]}
    answer = server.http.post("/api/rooms", json=wanted)
    assert answer.status_code == 400
    assert "there is no level 'nobody'" in answer.json()["error"]
    agents = server.get("/api/agents", params={"game": "skirmish"})
    assert "level" not in [agent["name"] for agent in agents]


def test_rooms_one_knows_are_told_and_others_left_out(server):
    mine = server.room("skirmish", None, "random")["room"]
    gone = "A" * 12
    found = server.get("/api/yours", params={"rooms": f"{mine},{gone}"})
    assert [room["room"] for room in found] == [mine]
    assert (found[0]["turn"], found[0]["over"]) == (0, False)
    assert found[0]["made_at"] > 1.7e9
    assert "token" not in str(found)
    assert server.http.get("/api/yours", params={"rooms": "../x"}).status_code == 422


def test_a_rating_comes_from_kept_games(server):
    links = server.room("skirmish", None, "level:easy")
    with server.joined(links["room"], links["seats"][0]["token"]) as player:
        player.until_type("state")
        player.send(type="resign")
        player.until(lambda message: message.get("why") == "end")
    archive = server.get(f"/api/rooms/{links['room']}")["archive"]
    wait_until(lambda: server.http.get(f"/api/archive/{archive}").status_code == 200)
    found = server.get("/api/rating", params={"games": f"{archive},0123456789abcdef-0"})
    assert all(each["games"] == 1 and each["game"] == "skirmish" for each in found)


def record(*seats, scores=(1.0, -1.0), reason="because", **more):
    game = make_game("skirmish")
    return Record(
        game="skirmish",
        version=game.version,
        seats=seats,
        seed=1,
        number=0,
        actions=(),
        outcome=Outcome(scores, reason),
        final="",
        annotations={"web": more},
    )


def test_only_games_of_one_person_against_levels_count(monkeypatch):
    monkeypatch.setattr(person_ratings, "ratings_of", lambda game: {"easy": 600.0, "hard": 900.0})
    counted = [
        record("human", "level:easy"),
        record("level:hard", "human"),
        record("human", "level:hard", scores=(0.0, 0.0)),
    ]
    others = [
        record("human", "random"),
        record("human", "human"),
        record("human", "level:easy", takebacks=1),
        record("human", "level:casual"),
        record("human", "level:hard", scores=(0.0, 0.0), reason="a draw was agreed"),
    ]
    (found,) = ratings_from(counted + others)
    assert found["games"] == 3
    assert 600 < found["rating"] < 900
    assert (found["low"], found["high"]) == (None, None)
    assert found["reason"] == "fewer than 20 observations"
    (long,) = ratings_from(counted * 10)
    assert long["low"] < long["rating"] < long["high"] and not long["reason"]


def test_intervals_of_a_person_shrink_and_a_game_counts_once_however_many_sit_in_it():
    few, many = (rating_against_known([[(800.0, 1.0)], [(800.0, 0.0)]] * n) for n in (15, 150))
    assert many.high - many.low < 0.5 * (few.high - few.low)
    three = rating_against_known([[(800.0, 1.0)] * 3, [(800.0, 0.0)] * 3] * 15)
    assert (three.low, three.high) == (few.low, few.high)
    always, never = (rating_against_known([[(800.0, share)]] * 9) for share in (1.0, 0.0))
    assert never.mean < 700 and always.mean > 900 and not always.shown


def test_trained_weights_come_from_the_folder_alone(tmp_path):
    folder = tmp_path / "trained"
    folder.mkdir()
    shutil.copy(BUNDLED, folder / "mine.bin")
    (tmp_path / "secret.bin").write_bytes(BUNDLED.read_bytes())
    with running(tmp_path, weights=folder) as server:
        agents = {
            each["name"]: each for each in server.get("/api/agents", params={"game": "skirmish"})
        }
        assert agents["skirmish/champion"]["weights"] == ["mine.bin"]
        assert agents["random"]["weights"] == []
        spec = "skirmish/champion:budget=20,weights=@mine.bin"
        links = server.room("skirmish:max_turns=2", None, spec)
        assert str(folder) not in str(server.get(f"/api/rooms/{links['room']}"))
        with server.joined(links["room"], links["seats"][0]["token"]) as player:
            player.until_type("state")
            end = player.play_to_end(lambda legal: legal[0]["action"])
        assert end["now"]["outcome"]["forfeited_by"] is None
        for wrong in ("@other.bin", "@../secret.bin", str(folder / "mine.bin")):
            wanted = [{"person": ""}, {"agent": f"skirmish/champion:weights={wrong}"}]
            answer = server.http.post("/api/rooms", json={"game": "skirmish", "seats": wanted})
            assert answer.status_code == 400, wrong


def test_a_browser_gets_pages_and_a_program_gets_data(server):
    page = server.http.get("/api/nothing", headers={"Accept": "text/html,*/*;q=0.8"})
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert "To the games" in page.text
    assert server.http.get("/api/nothing").json()["error"]
    for path, status, word in (
        ("/api/archive?limit=%3Cb%3E", 422, "valid integer"),
        ("/api/game?spec=%3Cb%3E", 400, "&lt;b&gt;"),
        ("/api/classes/00000000", 404, "no such class"),
    ):
        refused = server.http.get(path, headers={"Accept": "text/html"})
        assert (refused.status_code, refused.headers["content-type"][:9]) == (status, "text/html")
        assert word in refused.text and "<b>" not in refused.text
    wrong = server.http.get("/", headers={"Accept": "text/html", "Host": "<b>x.example"})
    assert wrong.status_code == 421
    assert "--allow-host NAME:PORT" in wrong.text
    named = server.http.get("/", headers={"Accept": "text/html", "Host": "x.example"})
    assert "--allow-host x.example" in named.text


@pytest.mark.parametrize("host", ["0.0.0.0"])
def test_a_server_for_all_answers_under_every_address_of_its_machine(tmp_path, host):
    with running(tmp_path, host=host, hosts=("table.example.org:8000",)) as server:
        port = server.settings.port
        about = server.get("/api/about")
        assert about["addresses"][0] == "http://table.example.org:8000/"
        for known in (f"127.0.0.1:{port}", "table.example.org:8000"):
            assert server.http.get("/api/about", headers={"Host": known}).status_code == 200
        for other in ("192.0.2.9", "evil.example"):
            refused = server.http.get("/api/about", headers={"Host": f"{other}:{port}"})
            assert refused.status_code == 421


def test_an_open_seat_is_taken_once_and_guests_have_names(tmp_path):
    with running(tmp_path) as server:
        seats = [{"person": "Ann"}, {"person": "", "open": True}]
        links = server.post("/api/rooms", {"game": "skirmish", "seats": seats, "listed": True})
        room = links["room"]
        assert server.get("/api/rooms")[0]["open_seats"] == [1]
        place = f"/api/rooms/{room}/seats"
        assert server.http.post(f"{place}/0", json={"name": "Eve"}).status_code == 409
        mine = server.post(f"{place}/1", {"name": "  Ben  "})
        assert (mine["seat"], mine["name"]) == ("second", "Ben")
        assert server.http.post(f"{place}/1", json={"name": "Eve"}).status_code == 409
        wrong = {"name": "Eve", "token": "x" * 20}
        assert server.http.post(f"{place}/1", json=wrong).status_code == 409
        with server.joined(room, mine["token"]) as player:
            assert player.until_type("state")["you"] == 1
            server.post(f"{place}/1", {"name": "Benny", "token": mine["token"]})
            told = player.until_type("state")["room"]
            assert [seat["name"] for seat in told["seats"]] == ["Ann", "Benny"]
    with running(tmp_path) as server:  # names and open seats survive a restart
        found = server.get(f"/api/rooms/{room}")
        assert [seat["name"] for seat in found["seats"]] == ["Ann", "Benny"]
        assert found["open_seats"] == []
        hidden = server.post("/api/rooms", {"game": "skirmish", "seats": seats})["room"]
        assert server.get(f"/api/rooms/{hidden}")["open_seats"] == []
