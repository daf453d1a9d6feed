"""A draw by agreement: offered, declined, withdrawn by a move, agreed, and kept in the record."""

from __future__ import annotations

import numpy as np

from sandtable.dice import Dice
from sandtable.records.lines import record_from_line
from sandtable.records.replay import check
from sandtable.registry import make_agent, make_game
from sandtable.server import draws
from sandtable.server.pool import AgentFailure
from sandtable.server.worker import Thinker, packed
from server.running import running, wait_until


def two_players(server, game="skirmish"):
    links = server.room(game, None, None)
    return links["room"], [seat["token"] for seat in links["seats"]]


def draw_of(player):
    return player.until(lambda each: each["type"] == "draw")


def test_an_offer_is_declined_withdrawn_and_agreed_over_a_restart(tmp_path):
    with running(tmp_path) as server:
        room, tokens = two_players(server)
        with server.joined(room, tokens[0]) as first, server.joined(room, tokens[1]) as second:
            for each in (first, second):
                each.until_type("state")
            first.send(type="draw", answer="accept")
            assert first.until_type("error")["code"] == "not_allowed"  # nobody offers one
            first.send(type="draw", answer="offer")
            told = draw_of(second)
            assert (told["offered_by"], told["may_offer"]) == (0, False)
            second.send(type="draw", answer="decline")
            told = first.until(lambda each: each.get("declined_by") == 1)
            assert (told["offered_by"], told["may_offer"]) == (None, False)
            first.send(type="draw", answer="offer")  # once in a position is enough
            assert "play on" in first.until_type("error")["text"]
            first.play(first.now["legal"][0]["action"])
            assert first.until_type("steps")["now"]["draw"]["may_offer"]
            first.send(type="draw", answer="offer")
            second.until(lambda each: each["type"] == "draw" and each["offered_by"] == 0)
            second.play(second.now["legal"][0]["action"])  # which withdraws it
            assert second.until_type("steps")["now"]["draw"]["offered_by"] is None
            second.send(type="draw", answer="offer")
            draw_of(second)
    with running(tmp_path) as server, server.joined(room, tokens[0]) as first:
        assert first.until_type("state")["now"]["draw"]["offered_by"] == 1  # it still stands
        first.send(type="draw", answer="accept")
        end = first.until(lambda each: each.get("why") == "end")["now"]
        assert end["outcome"] == {
            "scores": [0.0, 0.0], "reason": "a draw was agreed", "forfeited_by": None,
        }  # fmt: skip
        assert (end["draw"]["offered_by"], end["ending"]) == (None, "")
        line = server.http.get(f"/api/rooms/{room}/record").text
        record = record_from_line(line, "room")
        check(record)
        assert [said[1:] for said in record.annotations["web"]["draws"]] == [
            [0, "offered"], [1, "declined"], [0, "offered"], [1, "withdrawn"],
            [1, "offered"], [0, "accepted"],
        ]  # fmt: skip
        wait_until(lambda: server.http.get(f"/api/archive/{end['archive']}").status_code == 200)


def test_programs_play_on_and_other_games_have_no_such_draw(server):
    links = server.room("skirmish", None, "random")
    with server.joined(links["room"], links["seats"][0]["token"]) as player:
        assert player.until_type("state")["now"]["draw"]["may_offer"]
        player.send(type="draw", answer="offer")
        told = draw_of(player)
        assert (told["offered_by"], told["declined_by"]) == (None, 1)
    for game in ("lucid", "gravwell:players=2"):
        room, tokens = two_players(server, game)
        with server.joined(room, tokens[0]) as player:
            assert not player.until_type("state")["now"]["draw"]["may_offer"]
            player.send(type="draw", answer="offer")
            assert "no draw by agreement" in player.until_type("error")["text"]


CHAMPION = "skirmish/champion:budget=20"


def answer_to_offer(server, chance, monkeypatch, of_class=None):
    """Offer a draw to a program that sees a chance, move, and return its answer."""

    async def chance_of(room, seat):
        if chance is None:
            raise AgentFailure("no answer within 10 s")
        return chance

    monkeypatch.setattr(draws, "chance_of", chance_of)
    links = server.room("skirmish", None, CHAMPION)
    with server.joined(links["room"], links["seats"][0]["token"]) as player:
        player.until_type("state")
        if of_class is not None:
            room = server.inside(lambda held: held.rooms.open[links["room"]])
            room.stored.state["class"] = of_class
        player.send(type="draw", answer="offer")
        told = draw_of(player)
        if told["declined_by"] == 1:
            return "declined at once"
        assert told["offered_by"] == 0  # the program answers when it is its turn
        player.play(player.now["legal"][0]["action"])
        told = player.until(lambda each: each.get("why") == "end" or each.get("declined_by") == 1)
        if told["type"] == "draw":
            return "declined"
        return told["now"]["outcome"]["reason"]


def test_a_program_takes_a_draw_if_it_does_not_stand_better(server, monkeypatch):
    ways = {0.5: "a draw was agreed", 0.51: "declined", None: "declined"}
    for chance, answer in ways.items():
        assert answer_to_offer(server, chance, monkeypatch) == answer
    assert answer_to_offer(server, 0.0, monkeypatch, of_class="8b") == "declined at once"


def test_chances_are_those_of_the_agent_in_its_own_view():
    def chance(game, agent):
        state = make_game(game).start(Dice(1))
        request = {"game": game, "agent": agent, "seat": state.turn, "seed": 1, "ply": 0}
        view = {"operation": "value", "view": packed(np.array(state.view(state.turn).position))}
        return state.view(state.turn), Thinker().answer(request | view)["value"]

    view, value = chance("skirmish", CHAMPION)
    assert value == make_agent(CHAMPION).value_of(view, Dice(1, "draw 0", 0))
    assert 0.0 < value < 1.0
    assert chance("skirmish", "skirmish/dsl")[1] is None  # its numbers are no chances
    assert chance("stratego:setup=choose", "stratego/champion")[1] is None  # no opinion yet
    assert draws.has_chances("stratego", 0, "level:hard")
    assert not draws.has_chances("skirmish", 0, "alphabeta")


def test_clocks_start_when_both_have_come(server):
    links = server.room("skirmish", None, None, clock={"minutes": 1.0})
    tokens = [seat["token"] for seat in links["seats"]]
    with server.joined(links["room"], tokens[0]) as first:
        now = first.until_type("state")["now"]
        assert (now["clock_runs"], now["clocks"]) == (None, [60.0, 60.0])
        with server.joined(links["room"], tokens[1]):
            assert first.until_type("state")["now"]["clock_runs"] == 0


def test_names_are_one_line_of_letters_that_are_seen(server):
    links = server.room("skirmish", None, None)
    seat = links["seats"][0]
    body = {"name": " \u202eAnn\u200b\n <b>B</b> ", "token": seat["token"]}
    assert server.post(f"/api/rooms/{links['room']}/seats/0", body)["name"] == "Ann <b>B</b>"
