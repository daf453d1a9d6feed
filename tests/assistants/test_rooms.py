"""Rooms of a real running server: a person in the browser plays an assistant."""

from __future__ import annotations

import asyncio
import threading

import pytest

from assistants.talking import assistant
from sandtable.assistants.running_server import Invitation, RunningServer
from sandtable.errors import SandtableError
from server.running import running

SHORT = "stratego:max_plies=20,variant=mini"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("rooms"), workers=0) as found:
        yield found


def person(server, room: str, token: str) -> threading.Thread:
    """Play a seat as the browser does, in a thread of its own."""

    def play() -> None:
        with server.joined(room, token) as player:
            player.play_to_end(lambda legal: legal[len(legal) // 2]["action"])

    thread = threading.Thread(target=play, daemon=True)
    thread.start()
    return thread


async def play_to_end(each, data) -> dict:
    for _ in range(200):
        if data["over"]:
            return data
        if data["your_turn"]:
            words = {"actions": data["legal"][data["ply"] * 5 % len(data["legal"])]}
            _, data = await each.call("play", game=data["game"], wait=30, **words)
        else:
            _, data = await each.call("look", game=data["game"], wait=30)
    raise AssertionError("the game does not end")


def test_an_assistant_plays_a_person_by_the_link_of_its_seat(server):
    links = server.room(SHORT, None, None)
    mine = links["seats"][1]

    async def scenario():
        async with assistant(f"http://{server.host}") as each:
            link = f"http://localhost:{server.settings.port}{mine['link']}"
            _, data = await each.call("join_room", link=link, name="Ada")
            assert (data["seat"], data["your_turn"]) == ("blue", False)
            assert server.get(f"/api/rooms/{links['room']}")["seats"][1]["name"] == "Ada"
            line = await each.refused("play", game=data["game"], actions="a1-a2")
            assert line == "it is not your turn: Red (Red) is to act"
            thread = person(server, links["room"], links["seats"][0]["token"])
            end = await play_to_end(each, data)
            thread.join(30)
            assert end["outcome"]["reason"] and end["record"]
            record = server.http.get(f"/api/rooms/{links['room']}/record").text
            assert '"stratego:max_plies=20,variant=mini"' in record
            _, shown = await each.call("show_record", record=end["record"], count=1)
            assert shown["plies"] == end["ply"]
            told = "".join(each.heard)
            assert mine["token"] not in told and links["seats"][0]["token"] not in told
            watching = await each.refused("join_room", link=f"/room/{links['room']}")
            assert watching.startswith("no seat of this room is open")
            wrong = await each.refused("join_room", link=f"/room/{links['room']}#token=wrong")
            assert "this link is not valid" in wrong
            gone = await each.refused("join_room", link="/room/AAAAAAAAAAAA")
            assert "there is no such room" in gone

    asyncio.run(scenario())


def test_an_assistant_opens_a_room_and_never_learns_the_link_of_the_person(server):
    async def scenario():
        async with assistant(f"http://{server.host}") as each:
            text, data = await each.call("open_room", game=SHORT, seats=["person", "me"])
            assert f"http://{server.host}/" in text
            _, listed = await each.call("list_rooms")
            room = next(found for found in listed["rooms"] if found["open"] == ["red"])
            claimed = server.post(f"/api/rooms/{room['room']}/seats/0", {"name": "Eve"})
            thread = person(server, room["room"], claimed["token"])
            end = await play_to_end(each, data)
            thread.join(30)
            assert end["over"]
            assert claimed["token"] not in "".join(each.heard)

    asyncio.run(scenario())


def test_a_line_that_breaks_is_opened_again(server):
    links = server.room(SHORT, None, None)

    async def scenario():
        async with assistant(f"http://{server.host}") as each:
            _, data = await each.call("join_room", link=links["seats"][0]["link"])
            seat = each.host.seats[data["game"]]
            await seat.line.close()
            while seat.gone is None:
                await asyncio.sleep(0.01)
            _, again = await each.call("look", game=data["game"])
            assert (again["legal"], again["view"]) == (data["legal"], data["view"])

    asyncio.run(scenario())


def test_only_rooms_of_the_one_server_are_joined():
    known = RunningServer("http://127.0.0.1:8000")
    assert known.invitation("http://localhost:8000/room/AAAAAAAAAAAA") == Invitation(
        "AAAAAAAAAAAA", None
    )
    for link in (
        "http://127.0.0.1:8001/room/AAAAAAAAAAAA",
        "http://127.0.0.1/room/AAAAAAAAAAAA",
        "https://127.0.0.1:8000/room/AAAAAAAAAAAA",
        "http://127.0.0.1:8000@evil.example.org/room/AAAAAAAAAAAA",
        "http://evil.example.org:8000/room/AAAAAAAAAAAA",
        "//evil.example.org/room/AAAAAAAAAAAA",
        "/api/rooms/AAAAAAAAAAAA",
        "room/../AAAAAAAAAAAA",
    ):
        with pytest.raises(SandtableError):
            known.invitation(link)
    for address in ("ftp://x", "localhost:8000", "http://", "http://x:99999999"):
        with pytest.raises(SandtableError, match="is no address of a server"):
            RunningServer(address)
