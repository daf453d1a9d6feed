"""Whole games through the tools, by the client of the SDK: here, and against each other."""

from __future__ import annotations

import asyncio

from assistants.talking import assistant, play_out
from example_plugin import installed_here
from sandtable.server.jobs import Jobs

SHORT = "stratego:max_plies=30,variant=mini"


def test_two_assistants_play_games_of_two_and_read_their_records(tmp_path):
    async def scenario():
        async with assistant(archive=tmp_path / "games.db") as each:
            for game in (SHORT, "gravwell:players=2"):
                text, data = await each.call("start_game", game=game, seats=["me", "other"])
                assert f"The name of your game: {data['game']}" in text
                other = next(iter(data["for_others"]))
                players = {data["seat"]: (each, data["game"])}
                players[other] = (each, data["for_others"][other])
                end = await play_out(players)
                assert end["outcome"]["reason"] and len(end["outcome"]["scores"]) == 2
                assert end["legal"] == [] and not end["your_turn"]
                text, data = await each.call("show_record", record=end["record"], first=2, count=3)
                assert data["game"] == game and len(data["actions"]) == 3
                assert "After 5 of" in text
                _, seen = await each.call("show_record", record=end["record"], count=3, seat=other)
                assert seen["line"] is None and '"actions"' in data["line"]
                line = await each.refused("play", game=players[other][1], actions="a1-a2")
                assert line.startswith("nothing can be played any more: The game is over")
            _, listed = await each.call("list_records", game="gravwell")
            assert [found["record"] for found in listed["records"]] == [end["record"]]
        async with assistant(archive=tmp_path / "games.db") as later:  # the archive stays
            assert (await later.call("list_records"))[1]["total"] == 2

    asyncio.run(scenario())


def test_a_game_of_somebody_elses_package_against_a_program(example_package):
    """Also: advice, another game, taking back, and what programs think of a finished game."""

    async def scenario():
        async with assistant(mode="legacy") as each:
            _, games = await each.call("list_games")
            assert {"hexapawn", "kuhn"} <= {found["game"] for found in games["games"]}
            rules, _ = await each.call("read_rules", game="hexapawn")
            assert "# Hexapawn" in rules and "An action is one word" in rules
            _, agents = await each.call("list_agents", game="hexapawn")
            assert "hexapawn/machine" in {found["name"] for found in agents["agents"]}
            _, data = await each.call("start_game", game="hexapawn", seats=["me", "random"])
            name, first = data["game"], data["legal"]
            text, told = await each.call("ask_agent", game=name, agent="hexapawn/machine")
            assert told["text"] in first and "hexapawn/machine would play" in text
            _, data = await each.call("play", game=name, actions=first[0])
            assert data["happened"][0]["action"] == first[0]
            assert len(data["happened"]) == 2 and data["your_turn"]
            _, data = await each.call("take_back", game=name, what="turn")
            assert (data["ply"], data["legal"]) == (0, first)
            while not data["over"]:
                _, data = await each.call("play", game=name, actions=data["legal"][-1])
            text, told = await each.call("analyse_record", record=data["record"], playouts=50)
            assert told["candidates"][0]["low"] <= told["candidates"][0]["value"]
            _, again = await each.call("play_again", game=name)
            assert again["game"] != name and not again["over"]
            _, over = await each.call("resign", game=again["game"])
            assert over["outcome"]["forfeited_by"] == 0

    with installed_here(example_package):
        asyncio.run(scenario())


def test_a_match_tells_its_progress_and_its_intervals():
    async def scenario():
        async with assistant() as each:
            text, data = await each.call(
                "run_match", game="gravwell:players=2", agents=["random"] * 2, games=40, wait=0
            )
            assert (data["status"], data["result"]) == ("running", None)
            assert "No result yet; call match_result." in text
            text, data = await each.call("match_result", match=data["match"], wait=50)
            assert (data["status"], data["done"], data["total"]) == ("done", 40, 40)
            seats = data["result"]["seats"]
            assert all(seat["low"] < seat["mean"] < seat["high"] for seat in seats)
            assert "95% intervals" in text and " to " in text
            assert (40, 40, "40 of 40 games") in each.progress
            again, _ = await each.call("match_result", match=data["match"])
            assert again == text
            _, listed = await each.call("list_records", limit=3)
            assert (listed["total"], len(listed["records"])) == (40, 3)

    asyncio.run(scenario())


def test_matches_are_few_and_can_be_stopped(monkeypatch):
    async def forever(jobs, job, plan) -> None:
        await asyncio.sleep(1000)

    async def scenario():
        async with assistant() as each:
            asked = {"game": "gravwell:players=2", "agents": ["random"] * 2, "wait": 0}
            _, one = await each.call("run_match", **asked)
            await each.call("run_match", **asked)
            assert "2 jobs are running" in await each.refused("run_match", **asked)
            _, stopped = await each.call("stop_match", match=one["match"])
            assert stopped["status"] == "stopped"
            await each.call("run_match", **asked)

    monkeypatch.setattr(Jobs, "run_match", forever)
    asyncio.run(scenario())


def test_an_open_game_goes_on_after_a_restart(tmp_path):
    async def scenario():
        async with assistant(data=tmp_path) as each:
            _, data = await each.call("start_game", game=SHORT, seats=["me", "other"])
            _, moved = await each.call("play", game=data["game"], actions=data["legal"][0], wait=0)
        async with assistant(data=tmp_path) as each:
            _, found = await each.call("look", game=data["game"], wait=0)
            assert found["view"] == moved["view"]
            assert found["happened"][0]["action"] == data["legal"][0]

    asyncio.run(scenario())
