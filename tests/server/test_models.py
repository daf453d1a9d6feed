"""Language models in rooms: what they say is kept for the record, and told to nobody before."""

from __future__ import annotations

import pytest

from agents.stand_in import Answer, legal_player, standing_in
from sandtable.dice import Dice
from sandtable.records.lines import record_from_line
from sandtable.records.replay import check
from sandtable.records.transcripts import decisions_of
from sandtable.registry import make_game
from sandtable.server.allowed_specs import allowed_agent, allowed_hint
from sandtable.server.responses.reviews import Transcript
from sandtable.server.storage import Storage
from sandtable.server.worker import Thinker, packed
from server.running import running, wait_until

GAME = "stratego:variant=mini,max_plies=6"
SECRET = "I hide my flag here"


def test_what_a_model_said_is_read_when_the_game_is_over(tmp_path):
    def script(messages):
        return Answer(f"{SECRET}.\n{legal_player(messages)}", reasoning=f"{SECRET} too")

    with standing_in(script) as endpoint, running(tmp_path, external=True) as server:
        spec = f"model:stand-in,url={endpoint.url}"
        links = server.room(GAME, None, spec)
        room = links["room"]
        with (
            server.joined(room) as spectator,
            server.joined(room, links["seats"][0]["token"]) as player,
        ):
            state = player.until_type("state")
            while player.now["ply"] < 2:
                if player.now.get("legal"):
                    player.play(player.now["legal"][0]["action"])
                player.receive()
            wait_until(lambda: server.held.storage.transcript(room) != [])
            refused = server.http.get(f"/api/rooms/{room}/record")
            assert refused.status_code != 200
            seen = server.http.get(f"/api/rooms/{room}").text + refused.text
            assert SECRET not in seen + server.http.get(f"/api/rooms/{room}/log").text
            player.send(type="undo", ply=player.now["ply"], scope="turn")
            player.until(lambda message: message.get("why") == "undo")
            assert server.held.storage.transcript(room) == []  # with what was taken back
            assert state["room"]["hidden"]
            end = player.play_to_end(lambda legal: legal[0]["action"])
            spectator.until(lambda message: message.get("why") == "end")
            assert SECRET not in "".join(player.texts + spectator.texts)
        record = record_from_line(server.http.get(f"/api/rooms/{room}/record").text, "here")
        check(record)
        decisions = decisions_of(record.annotations)
        assert [decision.ply for decision in decisions] == [1, 3, 5]
        assert all(SECRET in decision.exchanges[0].answer for decision in decisions)
        place = f"/api/archive/{end['now']['archive']}"
        wait_until(lambda: server.http.get(place).status_code == 200)
        assert server.get(place)["talked"]
        told = Transcript.model_validate(server.get(f"{place}/transcript?ply=4"))
        assert told.decisions[0].exchanges[0].reasoning == f"{SECRET} too"
        assert told.decisions[0].exchanges[0].prompt[0].role == "system"
        assert server.get(f"{place}/transcript?ply=4&seat=1") == told.model_dump()
        for other in ("ply=4&seat=0", "ply=3", "ply=0"):
            assert server.get(f"{place}/transcript?{other}") == {"decisions": []}


def test_a_model_that_gives_up_leaves_its_words(tmp_path):
    with standing_in(lambda messages: "No.") as endpoint:
        thinker = Thinker()
        view = packed(make_game(GAME).start(Dice(1)).view(0).position)
        asked = {"operation": "choose", "key": "room/0/0", "game": GAME, "seat": 0, "view": view}
        asked |= {"agent": f"model:stand-in,url={endpoint.url},rethinks=0", "dice": [1, 2, 3, 4]}
        with pytest.raises(Exception, match="1 unreadable"):
            thinker.answer(asked | {"history": [], "since": 0, "ply": 0})
        assert thinker.said[0]["exchanges"][0]["answer"] == "No."
        thinker.answer({"operation": "forget", "leaving": ["room/"]})
    storage = Storage(tmp_path)
    storage.add_transcript("one", 3, [{"ply": 3}])
    storage.add_transcript("one", 1, [{"ply": 1}])
    storage.add_transcript("two", 1, [{"ply": 9}])
    assert storage.transcript("one") == [{"ply": 1}, {"ply": 3}]
    storage.close()


@pytest.mark.parametrize("allowed", [allowed_hint, lambda spec: allowed_agent(spec, False)])
def test_models_cost_their_owner_so_a_browser_needs_permission(allowed):
    with pytest.raises(Exception, match="language models are not allowed here"):
        allowed("model:some")
    assert allowed_agent("model:some", True) == "model:some"
