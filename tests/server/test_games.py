"""Whole games of all four games over a real server, and what rooms do besides playing."""

from __future__ import annotations

import gc
import random
import weakref

import pytest

from sandtable.dice import Dice
from sandtable.records.lines import record_from_line
from sandtable.records.replay import check
from sandtable.registry import make_game
from sandtable.server.worker import Thinker, packed
from server.running import wait_until

GAMES = {
    "lucid": ("lucid", None, "lucid/axes-red"),
    "skirmish": ("skirmish:max_turns=12", None, "skirmish/greedy"),
    "stratego": ("stratego:variant=mini,setup=choose,max_plies=60", None, "random"),
    "gravwell": ("gravwell:players=3", None, "random", "gravwell/random-no-stop"),
}


def chooser(seed):
    """Choose at random, but close turns soon so that games stay short."""
    dice = random.Random(seed)

    def choose(legal):
        ends = [each for each in legal if each["kind"] == "end"]
        moves = [each for each in legal if each["kind"] != "end"]
        wanted = ends if ends and (not moves or dice.random() < 0.4) else moves
        return dice.choice(wanted)["action"]

    return choose


@pytest.mark.parametrize("name", GAMES)
def test_a_person_plays_a_whole_game_and_the_archive_keeps_it(server, name):
    game, *seats = GAMES[name]
    links = server.room(game, *seats)
    with server.joined(links["room"], links["seats"][0]["token"]) as player:
        first = player.until_type("state")
        begun = first["now"]["ply"] - len(first.get("steps", []))  # by agents, before we joined
        end = player.play_to_end(chooser(7))
    now = end["now"]
    assert now["outcome"]["scores"]
    assert now["legal"] is None
    assert 0 <= begun < len(seats)
    assert [step["ply"] for step in player.steps] == list(range(begun + 1, now["ply"] + 1))
    line = server.http.get(f"/api/rooms/{links['room']}/record").text
    record = record_from_line(line, "here")
    check(record)
    assert record.seats == tuple(agent or "human" for agent in seats)
    wait_until(lambda: server.http.get(f"/api/archive/{now['archive']}").status_code == 200)
    replay = server.get(f"/api/archive/{now['archive']}/steps", params={"count": 200})
    shown = {step["ply"]: step for step in replay["steps"]}
    assert replay["total"] == now["ply"]
    # Where nothing is hidden a replay shows what the player saw, board by board.
    if not end["room"]["hidden"]:
        assert all(shown[step["ply"]]["board"] == step["board"] for step in player.steps[:200])


def test_finished_games_leave_memory_and_are_still_found(server):
    links = server.room("skirmish:max_turns=2", None, "random", listed=True)
    room = links["room"]
    held = server.inside(lambda inner: weakref.ref(inner.rooms.open[room].table))
    with server.joined(room, links["seats"][0]["token"]) as player:
        player.until_type("state")
        end = player.play_to_end(chooser(3))
        wait_until(lambda: server.inside(lambda inner: inner.rooms.open[room].archived))
        server.inside(lambda inner: inner.rooms.let_go(1e12))
        assert held() is not None  # somebody still looks at it
    before = server.get(f"/api/rooms/{room}")
    wait_until(
        lambda: server.inside(
            lambda inner: inner.rooms.let_go(1e12) or room not in inner.rooms.open
        )
    )
    wait_until(lambda: gc.collect() >= 0 and held() is None)  # what told of it last has ended too
    assert server.inside(lambda inner: [key for key in inner.pool.last_worker if room in key]) == []
    assert server.get(f"/api/rooms/{room}") == before
    assert before in server.get("/api/rooms")
    assert server.inside(lambda inner: room not in inner.rooms.open)  # a list loads nothing
    with server.joined(room) as spectator:
        assert spectator.until_type("state")["now"]["outcome"] == end["now"]["outcome"]


def test_a_worker_makes_an_agent_anew_that_another_worker_had_in_between():
    thinker = Thinker()
    game = make_game("skirmish")
    view = packed(game.start(Dice(1)).view(0).position)
    asked = {"operation": "choose", "key": "room/0/0", "game": "skirmish", "agent": "random"}
    asked |= {"seat": 0, "view": view, "dice": [1, 2, 3, 4], "history": []}
    assert "actions" in thinker.answer(asked | {"since": 0, "ply": 4})
    assert "actions" in thinker.answer(asked | {"since": 4, "ply": 6})
    assert thinker.answer(asked | {"since": 8, "ply": 10}) == {"missing": True}
    assert "actions" in thinker.answer(asked | {"since": 0, "ply": 10})
    assert thinker.answer({"operation": "forget", "leaving": ["room/"]}) == {}
    assert thinker.agents == {}


def test_two_persons_see_their_own_sides_and_can_undo_open_turns_only(server):
    links = server.room("lucid", None, None)
    tokens = [seat["token"] for seat in links["seats"]]
    with (
        server.joined(links["room"], tokens[0]) as blue,
        server.joined(links["room"], tokens[1]) as red,
    ):
        assert [each.until_type("state")["you"] for each in (blue, red)] == [0, 1]
        mover, other = (blue, red) if blue.now["turn"] == 0 else (red, blue)
        assert other.now["legal"] is None
        other.play(100)
        assert other.until_type("error")["code"] == "turn"
        empty = [f"{column}{row}" for column in "abcde" for row in "24"]  # in front of both sides
        move = next(each for each in mover.now["legal"] if each["to"] in empty)
        mover.play(move["action"])
        for each in (mover, other):
            step = each.until_type("steps")["steps"][0]
            assert step["text"] == move["text"]
            assert step["events"][0]["kind"] == "move"
        assert mover.now["can"]["undo_action"]
        assert not mover.now["can"]["undo_turn"]  # against a person
        mover.send(type="undo", ply=1, scope="turn")
        assert mover.until_type("error")["code"] == "not_allowed"
        mover.send(type="undo", ply=1, scope="action")
        for each in (mover, other):
            assert each.until_type("state")["why"] == "undo"
            assert each.now["ply"] == 0
        mover.play(move["action"], move["action"], 100)  # two units and END, all at once
        played = [step["text"] for step in other.until_type("steps")["steps"]]
        assert played == [move["text"], move["text"], "end"]
        assert not mover.now["can"]["undo_action"]  # the dice have fallen


def test_a_turn_is_taken_back_from_a_program_and_the_record_says_so(server):
    links = server.room("skirmish:max_turns=30", None, "skirmish/greedy")
    with server.joined(links["room"], links["seats"][0]["token"]) as player:
        player.until_type("state")
        for _ in range(2):
            player.play(player.now["legal"][0]["action"])
            player.until(lambda message: bool(message.get("now", {}).get("legal")))
        assert player.now["ply"] == 4
        board = player.now["board"]
        player.send(type="undo", ply=4, scope="turn")
        assert player.until_type("state")["now"]["ply"] == 2
        player.play(player.now["legal"][0]["action"])
        player.until(lambda message: bool(message.get("now", {}).get("legal")))
        assert player.now["board"] == board  # the same choice, the same dice, the same answer
        player.send(type="resign")
        outcome = player.until(lambda message: message.get("why") == "end")["now"]["outcome"]
        assert outcome == {"scores": [-1.0, 1.0], "reason": "Blue resigns", "forfeited_by": 0}
    record = record_from_line(server.http.get(f"/api/rooms/{links['room']}/record").text, "here")
    check(record)
    assert record.annotations["web"]["takebacks"] == 1


def test_a_rematch_begins_when_all_persons_want_it(server):
    links = server.room("skirmish", None, None)
    tokens = [seat["token"] for seat in links["seats"]]
    with (
        server.joined(links["room"], tokens[0]) as first,
        server.joined(links["room"], tokens[1]) as second,
        server.joined(links["room"]) as spectator,
    ):
        first.until_type("state")
        first.send(type="rematch")
        assert first.until_type("error")["code"] == "not_allowed"
        first.send(type="resign")
        for each in (first, second, spectator):
            each.until(lambda message: message.get("why") == "end")
        first.send(type="rematch")
        assert second.until_type("rematch") == {
            "type": "rematch", "offered_by": [0], "room": None, "link": None,
        }  # fmt: skip
        second.send(type="rematch")
        ways = [
            each.until(lambda message: message["type"] == "rematch" and message["room"])["link"]
            for each in (first, second, spectator)
        ]
    assert len(set(ways)) == 3
    assert "#" not in ways[2]  # who watched may watch again
    room, _, token = ways[1].removeprefix("/room/").partition("#token=")
    with server.joined(room, token) as again:
        assert again.until_type("state")["you"] == 1


def test_programs_play_at_a_chosen_pace_and_only_the_owner_sets_it(server):
    links = server.room("gravwell:players=2", "random", "random", pace=10.0)
    with (
        server.joined(links["room"], links["owner"]) as owner,
        server.joined(links["room"]) as spectator,
    ):
        assert owner.until_type("state")["role"] == "owner"
        spectator.until_type("state")
        spectator.send(type="pace", seconds=0.0)
        assert spectator.until_type("error")["code"] == "not_allowed"
        spectator.send(type="play", ply=spectator.now["ply"], actions=[0])
        assert spectator.until_type("error")["code"] == "not_allowed"
        owner.send(type="pace", paused=True)
        owner.until(lambda message: bool(message.get("now", {}).get("paused")))
        owner.send(type="stop")
        end = owner.until(lambda message: message.get("why") == "end")
    assert end["now"]["outcome"] is None
    assert end["now"]["status"] == "The game was broken off"


def test_a_branch_goes_on_from_any_position_of_a_finished_game(server):
    links = server.room("lucid", None, "lucid/axes-red")
    with server.joined(links["room"], links["seats"][0]["token"]) as player:
        player.until_type("state")
        while player.now["ply"] < 12:
            if player.now["legal"]:
                player.play(player.legal("end"))
            player.until(lambda message: "now" in message)
        player.send(type="resign")
        archive = player.until(lambda message: message.get("why") == "end")["now"]["archive"]
    wait_until(lambda: server.http.get(f"/api/archive/{archive}").status_code == 200)
    steps = server.get(f"/api/archive/{archive}/steps", params={"count": 12})["steps"]
    ply = next(step["ply"] for step in steps if step["text"] == "end" and step["turn"] == 0)
    branch = server.room("lucid", None, "lucid/axes-red", start={"archive": archive, "ply": ply})
    with server.joined(branch["room"], branch["seats"][0]["token"]) as player:
        state = player.until_type("state")
        assert state["now"]["board"] == steps[ply - 1]["board"]
        assert state["room"]["branched"] == f"{archive} {ply}"
        player.play(player.legal("end"))
        player.until_type("steps")
        player.send(type="resign")
        player.until(lambda message: message.get("why") == "end")
    record = record_from_line(server.http.get(f"/api/rooms/{branch['room']}/record").text, "here")
    check(record)
    far = {"archive": archive, "ply": 5000}
    body = {"game": "lucid", "seats": [{"person": ""}, {"person": ""}], "start": far}
    assert "actions, not 5000" in server.http.post("/api/rooms", json=body).json()["error"]


def test_hints_are_for_those_who_play_against_programs(server):
    alone = server.room("skirmish", None, "random")
    with server.joined(alone["room"], alone["seats"][0]["token"]) as player:
        player.until_type("state")
        legal = {each["action"] for each in player.now["legal"]}
        player.send(type="hint", agent="skirmish/greedy")
        hint = player.until_type("hint")
        assert {each["action"] for each in hint["actions"]} <= legal
        player.send(type="hint", agent="external:/bin/true", id="one")
        assert "external programs are not allowed" in player.until_type("error")["text"]
    both = server.room("skirmish", None, None)
    with server.joined(both["room"], both["seats"][0]["token"]) as player:
        player.until_type("state")
        player.send(type="hint")
        assert player.until_type("error")["code"] == "not_allowed"
