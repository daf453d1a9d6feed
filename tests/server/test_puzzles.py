"""Puzzles over HTTP: the board of the seat, no answer before it is given, and no secret at all."""

from __future__ import annotations

import json

import pytest
from pydantic import TypeAdapter

from sandtable.dice import Dice
from sandtable.puzzles.plan import asked_moves
from sandtable.puzzles.puzzle import Puzzle, bundled_puzzles, position_text
from sandtable.registry import make_game
from sandtable.server.connections import encoded
from sandtable.server.responses import puzzles
from sandtable.server.routes import puzzles as routes
from server.test_exchange import played, twin_of

GAMES = ("gravwell", "lucid", "skirmish", "stratego")


def test_every_game_is_listed_with_names_that_stay(server):
    found = TypeAdapter(list[puzzles.PuzzleSet]).validate_python(server.get("/api/puzzles"))
    assert {each.game for each in found} >= set(GAMES)
    for each in found:
        known = [puzzle.identity for puzzle in bundled_puzzles(each.game)]
        assert each.puzzles == known


@pytest.mark.parametrize("game", GAMES)
def test_a_puzzle_is_shown_hinted_and_answered(server, game):
    puzzle = bundled_puzzles(game)[0]
    path = f"/api/puzzles/{game}/1"
    facts = server.get(path)
    TypeAdapter(puzzles.PuzzleFacts).validate_python(facts)
    assert {each["text"] for each in facts["legal"]} == set(puzzle.values)
    assert not {"best", "values", "solution", "judgements", "source"} & set(facts)
    TypeAdapter(puzzles.PuzzleHint).validate_python(server.get(f"{path}/hint"))
    by_name = {each["text"]: each["action"] for each in facts["legal"]}

    def said(action):
        answer = server.http.post(path, json={"action": action})
        assert answer.status_code == 200
        TypeAdapter(puzzles.PuzzleVerdict).validate_python(answer.json())
        return answer.json()

    wrong = said(by_name[puzzle.second])
    assert not wrong["right"]
    assert wrong["solution"] is None and wrong["moves"] == [] and wrong["margin"] is None
    assert puzzle.best not in json.dumps(wrong)
    right = said(by_name[puzzle.best])
    assert right["right"] and right["solution"]["text"] == puzzle.best
    assert right["margin"] == round(puzzle.margin, 4)
    given_up = said(None)
    assert not given_up["right"] and given_up["solution"] == right["solution"]


def test_what_is_not_there_is_one_line(server):
    for path in ("/api/puzzles/lucid/100000", "/api/puzzles/chess/1"):
        answer = server.http.get(path)
        assert answer.status_code == 404
        assert answer.json() == {"error": "there is no such puzzle"}
    assert server.http.get("/api/puzzles/lucid/0").status_code == 422
    answer = server.http.post("/api/puzzles/lucid/1", json={"action": 99})
    assert answer.status_code in (200, 400)
    answer = server.http.post("/api/puzzles/lucid/1", json={"action": 100000})
    assert answer.status_code == 400
    assert answer.json() == {"error": "this move is not legal here"}
    assert server.http.post("/api/puzzles/lucid/1", json={"move": 1}).status_code == 422


def puzzle_of(state) -> Puzzle:
    """Make a puzzle of a position as mining would: from the view of who is to move."""
    bundled = bundled_puzzles(state.game.name)[0]
    view = state.view(state.turn)
    names = [state.game.notation.action_name(move[0]) for move in asked_moves(view, False)]
    return Puzzle(
        game=state.game.spec,
        version=state.game.version,
        position=position_text(view),
        seat=state.turn,
        closes=False,
        task="find it",
        unit="chance",
        best=names[0],
        second=names[1],
        values={name: 0.5 - place for place, name in enumerate(names)},
        judgements=bundled.judgements,
        source={},
    )


@pytest.mark.parametrize(
    ("spec", "plies"),
    [("stratego:variant=mini", 9), ("stratego:variant=mini", 30), ("gravwell:players=3", 21)],
)
def test_positions_that_a_seat_cannot_tell_apart_give_the_same_bytes(spec, plies):
    dice = Dice(plies, "puzzle exchange")
    state = played(make_game(spec), plies, dice)
    while len(state.legal) < 2:
        state = state.play(state.legal[0], dice)
    twin = twin_of(state, state.turn, dice)
    assert twin.line != state.line
    told = []
    for each in (state, twin):
        puzzle = puzzle_of(each)
        texts = [routes.facts_of(puzzle, each.game.name, 1), routes.hint_of(puzzle)]
        texts += [routes.verdict_on(puzzle, action) for action in (*puzzle.state.legal, None)]
        texts += [routes.why_of(puzzle, *ends) for ends in (("a1", "a2"), ("b2", None))]
        told.append(encoded(texts))
    assert told[0] == told[1]


def test_no_rank_and_no_card_of_others_is_on_a_board():
    for number, puzzle in enumerate(bundled_puzzles("stratego"), start=1):
        for piece in routes.facts_of(puzzle, "stratego", number)["board"]["pieces"]:
            hidden = not piece["known"] and piece["seat"] != puzzle.seat
            assert (piece["rank"] is None) == hidden
    for number, puzzle in enumerate(bundled_puzzles("gravwell"), start=1):
        for player in routes.facts_of(puzzle, "gravwell", number)["board"]["players"]:
            own = player["seat"] == puzzle.seat
            assert all((card is None) == (not own) for card in player["secret"])
