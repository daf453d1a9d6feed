"""What an assistant can get wrong is one clear line, and changes nothing."""

from __future__ import annotations

import asyncio

from assistants.talking import assistant

SHORT = "stratego:max_plies=30,variant=mini"
WRONG = [
    ("start_game", {"game": "strategy"}, "there is no game 'strategy'. Did you mean 'stratego'?"),
    ("start_game", {"game": "stratego:variant=huge"}, "huge"),
    ("start_game", {"game": SHORT, "seats": ["me"]}, "stratego has 2 seats"),
    ("start_game", {"game": SHORT, "seats": ["random", "random"]}, "exactly one seat is yours"),
    ("start_game", {"game": SHORT, "seats": ["me", "me"]}, "exactly one seat is yours"),
    ("start_game", {"game": SHORT, "seats": ["me", "nobody"]}, "there is no agent 'nobody'"),
    ("start_game", {"game": SHORT, "seats": ["me", "lucid/axes-red"]}, "plays lucid, not stratego"),
    ("start_game", {"game": SHORT, "seats": ["me", "external:./bot"]}, "is not for assistants"),
    ("start_game", {"game": SHORT, "seats": ["me", "model:x"]}, "is not for assistants"),
    ("start_game", {"game": SHORT, "seats": ["me", "file:./bot.py:Bot"]}, "files cannot be named"),
    ("start_game", {"game": SHORT, "seats": ["me", "human"]}, "plays at a terminal"),
    ("start_game", {"game": SHORT, "seats": ["me", "ismcts:simulations=1000000"]}, "at most 2000"),
    ("start_game", {"game": "x" * 5000}, "game: String should have at most 300 characters"),
    ("start_game", {}, "game: Field required"),
    ("start_game", {"game": 7}, "game: Input should be a valid string"),
    ("read_rules", {"game": "../etc/passwd"}, "../etc/passwd"),
    ("read_rules", {"game": "lucid:scenario=/etc/passwd"}, "files cannot be named"),
    ("look", {"game": "token-of-somebody"}, "there is no such game here"),
    ("look", {"game": "x", "wait": 1e9}, "wait: Input should be less than or equal to 55"),
    ("play", {"game": "x", "actions": ""}, "actions: String should have at least 1 character"),
    ("run_match", {"game": SHORT, "agents": ["random"]}, "stratego needs 2 agents"),
    ("run_match", {"game": SHORT, "agents": ["random"] * 2, "games": 10**9}, "games: Input should"),
    ("run_match", {"game": SHORT, "agents": ["montecarlo:playouts=9999999", "random"]}, "at most"),
    ("match_result", {"match": "nothing"}, "there is no such job"),
    ("show_record", {"record": "../../etc"}, "record: String should match pattern"),
    ("show_record", {"record": "abc-0"}, "the archive holds no game 'abc-0'"),
    ("analyse_record", {"record": "abc-0", "playouts": 10**6}, "playouts: Input should be less"),
    ("list_rooms", {}, "no server answers at http://127.0.0.1:1"),
    ("join_room", {"link": "http://203.0.113.7/room/AAAAAAAAAAAA#token=x"}, "only rooms of"),
    ("join_room", {"link": "file:///etc/passwd"}, "only rooms of"),
    ("join_room", {"link": "dance"}, "is no link to a room"),
    ("dance", {}, "Unknown tool: dance"),
]


def test_every_mistake_is_one_line_that_says_what_is_wrong():
    async def scenario():
        async with assistant() as each:
            for tool, arguments, words in WRONG:
                assert words in await each.refused(tool, **arguments), (tool, arguments)
            assert not each.host.rooms.open and not each.host.jobs.jobs

    asyncio.run(scenario())


def test_a_game_stays_as_it_is_when_a_move_is_refused():
    async def scenario():
        async with assistant() as each:
            _, data = await each.call("start_game", game=SHORT, seats=["me", "other"])
            game, other = data["game"], next(iter(data["for_others"].values()))
            _, before = await each.call("look", game=game)
            assert "is no move" in await each.refused("play", game=game, actions="a1-f6")
            illegal = await each.refused("play", game=game, actions="c3-c4")
            assert illegal.startswith("'c3-c4' is not legal")
            assert "zz" in await each.refused("play", game=game, actions="zz")
            two = f"{data['legal'][0]} {data['legal'][1]}"
            assert "only the last action in a row" in await each.refused(
                "play", game=game, actions=two
            )
            waiting = await each.refused("play", game=other, actions=data["legal"][0])
            assert waiting.startswith("it is not your turn: Red")
            assert "when all others are programs" in await each.refused("ask_agent", game=game)
            assert "nobody offers a draw" in await each.refused("draw", game=game, say="accept")
            await each.refused("take_back", game=game)
            await each.refused("play_again", game=game)
            await each.refused("draw", game=game, say="dance")
            _, after = await each.call("look", game=game)
            assert {**after, "happened": []} == {**before, "happened": []}
            await each.call("resign", game=other)
            for tool, more in (("resign", {}), ("ask_agent", {}), ("draw", {"say": "offer"})):
                assert "the game is over" in await each.refused(tool, game=game, **more)

    asyncio.run(scenario())
