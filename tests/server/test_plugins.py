"""A game of somebody else's package on our server, with a board, a form and rules of its own."""

from __future__ import annotations

import pytest

from example_plugin import installed_here
from server.running import running


@pytest.fixture(scope="module")
def server(example_package, tmp_path_factory):
    with installed_here(example_package), running(tmp_path_factory.mktemp("server")) as found:
        yield found


def test_its_form_and_its_rules_come_from_its_screen(server):
    listed = {game["name"]: game for game in server.get("/api/games")}
    game = listed["hexapawn"]
    assert [option["name"] for option in game["options"]] == ["columns", "rows"]
    assert (game["options"][0]["least"], game["options"][0]["most"]) == (3, 6)
    preset = {"spec": "hexapawn:columns=4,rows=4", "title": "Four by four", "seats": []}
    assert preset in game["presets"]
    assert list(game["seat_colours"]) == ["#b9a26a", "#2b2b2b"]
    rules = server.get("/api/rules", params={"spec": "hexapawn"})["text"]
    assert rules.startswith("# Hexapawn\n")
    # The other game of the package has no screen, and is shown all the same.
    assert listed["kuhn"]["options"] == []


def test_its_board_is_played_by_places(server):
    links = server.room("hexapawn:columns=4", None, "hexapawn/machine")
    with server.joined(links["room"], links["seats"][0]["token"]) as player:
        now = player.until_type("state")["now"]
        assert now["board"]["game"] == "hexapawn"
        for move in now["legal"]:
            assert f'data-place="{move["from"]}"' in now["board"]["svg"]
            assert f'data-place="{move["to"]}"' in now["board"]["svg"]
        assert {(move["from"], move["to"]) for move in now["legal"]} == {
            (f"{column}1", f"{column}2") for column in "abcd"
        }
        end = player.play_to_end(lambda legal: legal[0]["action"])
    assert sorted(end["now"]["outcome"]["scores"]) == [-1.0, 1.0]
    record = server.http.get(f"/api/rooms/{links['room']}/record").text
    assert '"hexapawn:columns=4"' in record


def test_its_agent_says_what_it_thinks(server):
    agents = {agent["name"]: agent for agent in server.get("/api/agents?game=hexapawn")}
    assert agents["hexapawn/machine"]["explains"]
    assert agents["hexapawn/machine"]["values"]
