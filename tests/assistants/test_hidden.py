"""An assistant is told the same, letter by letter, of positions that its seat cannot tell apart.

As in the exchange tests of the server: two hosts hold the same games, with the same names and dice;
only what is hidden differs.
"""

from __future__ import annotations

import asyncio
import dataclasses

from assistants.talking import assistant
from sandtable.server.storage import Storage
from sandtable.server.table import SPECTATOR
from server.test_exchange import cases, pair_for, room_of, same_looking_actions

CASES = [case for case in cases() if case[2] != SPECTATOR]
NONSENSE = ("zz", "a1-a2", "b2-b5", "1", "-", "\N{SNOWMAN}", "a1-a2 a2-a3")


def prepare(folder, number: int) -> None:
    """Keep one of the two positions of every case, in rooms of the same names."""
    storage = Storage(folder)
    for place, case in enumerate(CASES):
        for kind, agents in (("p", False), ("a", True)):
            room = room_of(f"AAAAAAA{kind}{place:04}", pair_for(*case)[number], agents=agents)
            seats = tuple(
                dataclasses.replace(held, token=f"{kind}-{place}-{seat}")
                for seat, held in enumerate(room.seats)
            )
            storage.add_room(dataclasses.replace(room, seats=seats))
    storage.close()


async def told(each, place: int, number: int) -> None:
    """Hear all that a seat can hear of a case."""
    case = CASES[place]
    viewer, states = case[2], pair_for(*case)
    turn, names = states[0].turn, states[0].game.notation
    mine, mover = f"p-{place}-{viewer}", f"p-{place}-{turn}"
    await each.raw("look", game=mine, wait=0, board=True)
    illegal = [names.action_name(a) for a in range(0, states[0].game.action_count, 31)]
    for words in (*NONSENSE, *illegal[:12]):
        await each.raw("play", game=mine, actions=words, wait=0) if viewer != turn or (
            words not in states[0].legal_names
        ) else None
    for tool, more in (
        ("ask_agent", {}), ("take_back", {}), ("play_again", {}), ("draw", {"say": "accept"}),
    ):  # fmt: skip
        await each.raw(tool, game=mine, **more)
    actions = same_looking_actions(states, viewer)
    if actions is not None:
        heard = list(each.heard)
        await each.call("look", game=mover, wait=0)
        await each.call("play", game=mover, actions=names.action_name(actions[number]), wait=0)
        each.heard = heard  # what the mover hears is another matter
        await each.raw("look", game=mine, wait=0, board=True)


def test_what_the_tools_return_does_not_depend_on_what_is_hidden(tmp_path):
    async def scenario(number: int) -> list[str]:
        folder = tmp_path / str(number)
        prepare(folder, number)
        async with assistant(data=folder) as each:
            for place in range(len(CASES)):
                await told(each, place, number)
            return each.heard

    one, two = (asyncio.run(scenario(number)) for number in (0, 1))
    assert one == two
    assert sum("The board as you see it" in text for text in one) >= len(CASES)
    pairs = [pair_for(*case) for case in CASES]
    assert sum(first.line != second.line for first, second in pairs) >= len(CASES) - 2


def test_an_adviser_gets_the_view_of_whoever_asks(tmp_path, monkeypatch):
    asked = []

    async def scenario(number: int) -> list[str]:
        folder = tmp_path / str(number)
        prepare(folder, number)
        async with assistant(data=folder) as each:

            async def ask(request, **more):
                asked.append((number, request))
                return {"agent": "random", "actions": [], "text": "", "thoughts": None}

            monkeypatch.setattr(each.host.pool, "ask", ask)
            for place, case in enumerate(CASES):
                if pair_for(*case)[0].turn == case[2] == 0:
                    await each.call("ask_agent", game=f"a-{place}-0", agent="random")
            return each.heard

    monkeypatch.setattr("sandtable.server.hints.secrets.randbits", lambda bits: 7)
    one, two = (asyncio.run(scenario(number)) for number in (0, 1))
    hints = [[request for number, request in asked if number == each] for each in (0, 1)]
    assert hints[0] and hints[0] == hints[1]
    assert one == two
