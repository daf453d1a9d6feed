"""Nothing the server sends tells more than a viewer may know.

For two positions that a viewer cannot tell apart, every byte it is sent is the same: the state, the
log, steps, errors, what is taken back, answers over HTTP. Both games have the same dice, names and
tokens; only what is hidden differs.
"""

from __future__ import annotations

import dataclasses

import pytest

from sandtable.dice import Dice
from sandtable.registry import make_game
from sandtable.server.storage import Storage, StoredRoom, StoredSeat
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
    storage.close()
    with running(folder) as server:
        yield server


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
    """Messages that are refused, each in its way."""
    yield {"type": "play", "ply": ply + 1, "actions": [0], "id": "stale"}
    for action in (0, 3, 17, 52, 53, 60, 361, 365, 99999):
        yield {"type": "play", "ply": ply, "actions": [action, action]}
        yield {"type": "undo", "ply": ply, "scope": "action"}
    yield {"type": "undo", "ply": ply, "scope": "turn"}
    yield {"type": "hint"}
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
