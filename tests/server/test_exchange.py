"""Nothing the server sends tells more than a viewer may know.

For two positions that a viewer cannot tell apart, every byte it is sent is the same: the state, the
log, steps, errors, what is taken back, answers over HTTP. Both games have the same dice, names and
tokens; only what is hidden differs.
"""

from __future__ import annotations

import dataclasses
import json

import pytest

from sandtable.arena.mistakes import Decision
from sandtable.dice import Dice
from sandtable.registry import make_game
from sandtable.server.classes.storage import ClassStorage
from sandtable.server.classes.tournament import (
    ClassGame,
    ClassPlayer,
    ClassRound,
    ClassTournament,
    Meeting,
)
from sandtable.server.reviews import decision_data
from sandtable.server.storage import Storage, StoredRoom, StoredSeat
from sandtable.server.summaries import archive_id
from sandtable.server.table import SPECTATOR, Table
from sandtable.types import OVER, State
from server.running import running, settings_in

SEED = 5
GAMES = ("stratego:variant=mini", "stratego:setup=choose,variant=mini", "gravwell:players=3")
PLIES = {"stratego:variant=mini": (1, 8, 25, 44), "gravwell:players=3": (2, 10, 21, 38)}
NAMES = ("AAAAAAAAAAAA", "BBBBBBBBBBBB")  # of the two rooms; the only difference that may show


def seen_by(state: State, viewer: int):
    """Return what a viewer sees, as bytes."""
    table = Table(state.game, 0, start=state.line)
    return table.shown(0, viewer).tobytes()


def after(state: State, action: int) -> State:
    return state.play(action, Dice(SEED, "game", 0))


def played(game, plies: int, dice: Dice) -> State:
    state = game.start(dice)
    for _ in range(plies):
        legal = state.legal
        following = state.play(legal[dice.below(len(legal))], dice)
        if following.turn == OVER:
            break
        state = following
    return state


def twin_of(state: State, viewer: int, dice: Dice) -> State:
    """Return another position in which the viewer sees the same."""
    seats = range(len(state.game.seats)) if viewer == SPECTATOR else (viewer,)
    found = state
    for seat in seats:
        found = found.view(seat).guess(dice)
    # A spectator knows less than each seat, so guesses one after the other shuffle all sides.
    assert seen_by(found, viewer) == seen_by(state, viewer)
    return found


def same_looking_actions(states, viewer: int):
    """Return for each position an action after which the viewer still sees the same."""
    one, two = states
    table = Table(one.game, SEED, start=one.line)
    for action in one.legal:
        table.play(action)
        known = table.sees_action(1, viewer)
        table.cut(0)
        choices = [action] if known else two.legal
        for other in choices:
            if other not in two.legal:
                continue
            following = after(one, action), after(two, other)
            if OVER in {each.turn for each in following}:
                continue
            if following[0].turn == following[1].turn and seen_by(following[0], viewer) == seen_by(
                following[1], viewer
            ):
                if not known and action == other and len(two.legal) > 1:
                    continue  # rather one that really differs
                return action, other
    return None


def room_of(name: str, state: State, *, agents: bool) -> StoredRoom:
    game = state.game
    seats = [
        StoredSeat(seat, "random" if agents and number else None, f"token-of-{number}")
        for number, seat in enumerate(game.seats)
    ]
    return StoredRoom(
        room=name,
        made_at=1e12,
        game=game.spec,
        version=game.version,
        seed=SEED,
        start=state.line,
        branched=None,
        seats=tuple(seats),
        owner="token-of-owner",
        clock=None,
        listed=True,
        state={"paused": agents},
        over=False,
        archived=False,
    )


def cases():
    for game in GAMES:
        seats = len(make_game(game).seats)
        for number, plies in enumerate(PLIES.get(game, (3, 14, 22))):
            yield game, plies, (number + 1) % seats
            yield game, plies, SPECTATOR


def pair_for(game: str, plies: int, viewer: int):
    dice = Dice(plies, "exchange", viewer + 1)
    state = played(make_game(game), plies, dice)
    return state, twin_of(state, viewer, dice)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A server whose storage holds the twins of all cases."""
    folder = tmp_path_factory.mktemp("exchange")
    storage = Storage(settings_in(folder).data)
    for number, case in enumerate(cases()):
        states = pair_for(*case)
        for name, state in zip(NAMES, states, strict=True):
            named = f"{name[:-4]}{number:04}"
            storage.add_room(room_of(named, state, agents=False))
    for name, state in zip(NAMES, pair_for(GAMES[0], 8, 0), strict=True):
        storage.add_room(room_of(f"{name[:-4]}undo", state, agents=True))
    classes = ClassStorage(storage)
    for name in NAMES:
        classes.save(class_of(f"{name[:-4]}0000", name[:8]))
    storage.close()
    with running(folder) as server:
        yield server


def class_of(room: str, name: str) -> ClassTournament:
    """A class whose only game is that of a room."""
    people = tuple(ClassPlayer(each, f"player-{each}", None) for each in ("Ann", "Ben"))
    round_now = ClassRound((Meeting((0, 1), (ClassGame(room, (0, 1)),)),))
    facts = {"title": "4b", "made_at": 1e12, "game": GAMES[0], "kind": "swiss"}
    return ClassTournament(name, "token-of-host", players=people, rounds=(round_now,), **facts)


def normal(texts, room: str) -> list[str]:
    """Return messages without the name of the room, and without presence, which goes by time."""
    return [text.replace(room, "ROOM") for text in texts if '"presence"' not in text]


def talk(player, messages) -> None:
    """Send messages and wait until all of them have been answered."""
    for message in messages:
        player.send(**message)
    player.send(type="ping")
    player.until_type("pong")


def nonsense(ply: int):
    """Messages that are refused, each in its way, besides an offer of a draw and a look."""
    yield {"type": "play", "ply": ply + 1, "actions": [0], "id": "stale"}
    for action in (0, 3, 17, 52, 53, 60, 361, 365, 99999):
        yield {"type": "play", "ply": ply, "actions": [action, action]}
        yield {"type": "undo", "ply": ply, "scope": "action"}
    yield {"type": "undo", "ply": ply, "scope": "turn"}
    for start, goal in (("a1", "a2"), ("b2", "b5"), ("f6", None), ("c1", None), ("d5", "d4")):
        yield {"type": "why", "ply": ply, "from": start, "to": goal}
    for answer in ("accept", "decline", "offer"):
        yield {"type": "draw", "answer": answer}
    yield {"type": "look"}
    yield {"type": "hint"}
    yield {"type": "hurry"}
    yield {"type": "rematch"}
    yield {"type": "stop"}
    yield {"type": "join"}
    yield {"type": "dance"}


def illegal(state: State):
    """Single actions that are refused because of what is hidden, or because of what is not."""
    mask = state.mask
    return [
        {"type": "play", "ply": 0, "actions": [action]}
        for action in range(0, state.game.action_count, 7)
        if not mask[action]
    ]


@pytest.mark.parametrize(("number", "case"), list(enumerate(cases())))
def test_a_viewer_is_sent_the_same_for_positions_it_cannot_tell_apart(prepared, number, case):
    _, _, viewer = case
    states = pair_for(*case)
    token = None if viewer == SPECTATOR else f"token-of-{viewer}"
    actions = same_looking_actions(states, viewer)
    traffic = []
    for place, (name, state) in enumerate(zip(NAMES, states, strict=True)):
        room = f"{name[:-4]}{number:04}"
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        with prepared.joined(room, token) as player:
            talk(player, nonsense(0))
            if viewer == state.turn:
                talk(player, illegal(state))
            if actions is not None:
                with prepared.joined(room, f"token-of-{state.turn}") as mover:
                    mover.until_type("state")
                    mover.play(actions[place])
                    mover.until_type("steps")
                player.until_type("steps")
            talk(player, nonsense(1))
        answers = [
            prepared.http.get(f"/api/rooms/{room}/{what}", headers=headers)
            for what in ("log", "record", "socket", "")
        ]
        asked = {"what": "beliefs", "room": room, "seat": 0}
        answers.append(prepared.http.post("/api/analysis", json=asked))
        told = [
            f"{answer.status_code} {sorted_headers(answer)} {answer.text}" for answer in answers
        ]
        traffic.append(normal([*player.texts, *told], room))
    assert traffic[0] == traffic[1]


def sorted_headers(answer) -> str:
    """Return the headers of an answer except its date."""
    return str(sorted((name, value) for name, value in answer.headers.items() if name != "date"))


def test_most_cases_differ_in_what_is_hidden_and_go_on_by_an_action():
    pairs = [(pair_for(*case), case[2]) for case in cases()]
    assert sum(one.line != two.line for (one, two), _ in pairs) >= len(pairs) - 4
    assert sum(same_looking_actions(pair, viewer) is not None for pair, viewer in pairs) > 8


def test_taking_back_a_turn_tells_nothing(prepared):
    states = pair_for(GAMES[0], 8, 0)
    assert states[0].line != states[1].line
    assert states[0].turn == 0
    action, _ = same_looking_actions(states, 0)
    traffic = []
    for name in NAMES:
        room = f"{name[:-4]}undo"
        with prepared.joined(room, "token-of-0") as player:
            player.until_type("state")
            player.play(action)
            player.until_type("steps")
            player.send(type="undo", ply=1, scope="turn")
            assert player.until_type("state")["why"] == "undo"
            talk(player, nonsense(0))
        traffic.append(normal(player.texts, room))
    assert traffic[0] == traffic[1]


def test_links_mistakes_and_notes_tell_nothing_of_a_game_that_goes_on(prepared):
    """A game gets into the archive when it is over; until then its name there leads nowhere."""
    states = pair_for(GAMES[0], 8, 0)
    assert states[0].line != states[1].line
    told = []
    for name in NAMES:
        room = f"{name[:-4]}undo"
        place = archive_id(prepared.held.storage.get_room(room)[0])
        archived = f"/api/archive/{place}"
        note = {"ply": 0, "text": "x", "actions": [0]}
        answers = [
            prepared.http.get(f"/api/archive/matches?only={place}"),
            prepared.http.get(f"/api/series?game=lucid&name=expert&games={place}"),
            *(prepared.http.get(archived + what)
              for what in ("", "/steps", "/record", "/notes", "/advisers")),
            prepared.http.post(f"{archived}/mistakes", json={"seat": 0}),
            prepared.http.post(f"{archived}/notes", json=note),
            prepared.http.delete(f"{archived}/notes/0"),
        ]  # fmt: skip
        assert {answer.status_code for answer in answers[2:]} == {404}
        told.append([
            f"{answer.status_code} {answer.text}".replace(place, "GAME") for answer in answers
        ])  # fmt: skip
    assert told[0] == told[1]


def test_mistakes_are_judged_from_views_alone():
    """What goes to a judge of a finished game is the same for games a seat cannot tell apart."""
    for game, plies, viewer in (case for case in cases() if case[2] != SPECTATOR):
        told = []
        for state in pair_for(game, plies, viewer):
            view = state.view(viewer)
            decision = Decision(viewer, 0, (view,), (0,))
            told.append(json.dumps(decision_data(decision)))
        assert told[0] == told[1]


def test_a_seat_gets_its_own_view_and_a_spectator_what_both_know():
    """The boards themselves: no rank and no card that the viewer may not know."""
    game = make_game(GAMES[0])
    state = played(game, 30, Dice(3, "boards"))
    table = Table(game, 0, start=state.line)
    for viewer in (0, 1, SPECTATOR):
        for piece in table.board(0, viewer)["pieces"]:
            hidden = not piece["known"] and piece["seat"] != viewer
            assert (piece["rank"] is None) == hidden
    cards = make_game(GAMES[2])
    table = Table(cards, 0, start=played(cards, 12, Dice(4, "boards")).line)
    for viewer in (0, 1, 2, SPECTATOR):
        for player in table.board(0, viewer)["players"]:
            assert all((card is None) == (player["seat"] != viewer) for card in player["secret"])


def test_the_page_of_a_class_and_its_host_learn_nothing_of_a_running_game(prepared):
    states = pair_for(*next(iter(cases())))
    assert states[0].line != states[1].line
    told = []
    for name in NAMES:
        room, said = f"{name[:-4]}0000", []
        for token in (None, "player-Ann", "token-of-host", "token-of-0"):
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            for what in ("", "/me", "/results.json", "/results.csv"):
                path = f"/api/classes/{name[:8]}{what}"
                answer = prepared.http.get(path, headers=headers)
                said.append(f"{answer.status_code} {sorted_headers(answer)} {answer.text}")
        assert not any("token-of-1" in text or '"board"' in text for text in said)
        assert sum("token-of-0" in text for text in said) == 1  # Ann's own seat, told to Ann
        told.append([text.replace(room, "ROOM").replace(name[:8], "CLASS") for text in said])
    assert told[0] == told[1]


def test_nobody_sits_down_with_a_wrong_token(prepared):
    room = f"{NAMES[0][:-4]}undo"
    for token in ("", "token-of-9", "token-of-", "x" * 100, "töken"):
        with prepared.joined(room, token) as player:
            assert player.until_type("error")["code"] == "token"
            assert player.closing_code() == 4401
    answer = prepared.http.get(f"/api/rooms/{room}/log", headers={"Authorization": "Bearer no"})
    assert answer.status_code == 401


def test_seeds_and_tokens_are_in_no_message(prepared):
    room = f"{NAMES[0][:-4]}0000"
    stored = dataclasses.asdict(
        prepared.server.config.app.application.state.server.storage.get_room(room)[0]
    )
    assert stored["start"]
    with prepared.joined(room, "token-of-1") as player:
        player.until_type("state")
    texts = [*player.texts, prepared.http.get(f"/api/rooms/{room}").text]
    for secret in (stored["start"], "token-of-", '"seed"'):
        assert not any(secret in text for text in texts)
