"""Routes: the puzzles that come with the games.

A puzzle holds nothing but what its seat may know (``sandtable.puzzles.puzzle``), so neither can
what is sent of it. Nothing is computed here: values were judged when the puzzles were made.
"""

from __future__ import annotations

import functools
from contextlib import suppress
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import Field

from sandtable.errors import IllegalAction, SandtableError
from sandtable.puzzles.answers import answered, hint_words, task_words
from sandtable.puzzles.puzzle import Puzzle, bundled_puzzles
from sandtable.registry import game_names, make_game
from sandtable.screens import screen_of
from sandtable.server.application import ServerNow
from sandtable.server.connections import NotFound, encoded
from sandtable.server.requests import PuzzleMoveChosen
from sandtable.server.summaries import seat_colours

__all__ = ["facts_of", "hint_of", "router", "verdict_on", "why_of"]

router = APIRouter()

MOST_SHOWN = 6  # moves of a solution
GameWord = Annotated[str, Path(min_length=1, max_length=80)]
Number = Annotated[int, Path(ge=1, le=1 << 20)]
PlaceName = Annotated[str, Field(max_length=40)]


@router.get("/puzzles", response_model=None)
async def puzzle_sets(server: ServerNow) -> Response:
    """List the games that have puzzles."""
    return Response(await server.desk.read(sets_as_text), media_type="application/json")


@functools.cache
def sets_as_text() -> str:
    """Write down which puzzles there are, once for all who ask."""
    found = []
    for name in game_names():
        with suppress(SandtableError):  # a game that cannot be loaded is left out
            puzzles = bundled_puzzles(name)
            if puzzles:
                named = [puzzle.identity for puzzle in puzzles]
                found.append({"game": name, "title": make_game(name).title, "puzzles": named})
    return encoded(found)


@router.get("/puzzles/{game}/{number}")
async def get_puzzle(server: ServerNow, game: GameWord, number: Number) -> dict[str, Any]:
    """Show one puzzle."""
    return await server.desk.read(lambda: facts_of(found(game, number), game, number))


@router.get("/puzzles/{game}/{number}/hint")
async def get_hint(server: ServerNow, game: GameWord, number: Number) -> dict[str, Any]:
    """Tell a little of the answer."""
    return await server.desk.read(lambda: hint_of(found(game, number)))


@router.get("/puzzles/{game}/{number}/why")
async def get_why(
    server: ServerNow,
    game: GameWord,
    number: Number,
    start: Annotated[PlaceName, Query(alias="from")],
    goal: Annotated[PlaceName | None, Query(alias="to")] = None,
) -> dict[str, Any]:
    """Say why nothing goes from a place to another."""
    return await server.desk.read(lambda: why_of(found(game, number), start, goal))


@router.post("/puzzles/{game}/{number}")
async def answer(
    server: ServerNow, game: GameWord, number: Number, chosen: PuzzleMoveChosen
) -> dict[str, Any]:
    """Say what a move is worth, or give the solution."""
    return await server.desk.read(lambda: verdict_on(found(game, number), chosen.action))


def found(game: str, number: int) -> Puzzle:
    """Return a puzzle of a game."""
    puzzles = bundled_puzzles(game) if game in game_names() else ()
    if number > len(puzzles):
        raise NotFound("there is no such puzzle")
    return puzzles[number - 1]


def action_data(puzzle: Puzzle, action: int) -> dict[str, Any]:
    """Return one action as a board takes it."""
    state = puzzle.state
    name = state.game.notation.action_name(action)
    screen = screen_of(state.game)
    return {"action": action, "text": name, **screen.action(np.array(state.position), action)}


def facts_of(puzzle: Puzzle, name: str, number: int) -> dict[str, Any]:
    """Return what somebody sees of a puzzle before the answer."""
    state = puzzle.state
    game, screen = state.game, screen_of(state.game)
    view = np.array(state.position)
    return {
        "id": puzzle.identity,
        "number": number,
        "total": len(bundled_puzzles(name)),
        "game": game.name,
        "spec": game.spec,
        "title": game.title,
        "seat": puzzle.seat,
        "titles": screen.titles(),
        "seat_colours": seat_colours(game),
        "task": task_words(puzzle),
        "progress": screen.progress(view),
        "board": screen.board(view, puzzle.seat),
        "legal": [action_data(puzzle, action) for action in state.legal],
    }


def hint_of(puzzle: Puzzle) -> dict[str, Any]:
    """Return what the best move is done with."""
    place = action_data(puzzle, puzzle.actions(puzzle.best)[0])["from"]
    text = hint_words(puzzle)
    return {"text": text, "place": place if place and place in text else None}


def why_of(puzzle: Puzzle, start: str, goal: str | None) -> dict[str, Any]:
    """Return why a move cannot be made, from the view alone."""
    screen, text = screen_of(puzzle.state.game), ""
    with suppress(SandtableError, ValueError, LookupError):  # no such places
        text = screen.with_titles(screen.why_not(np.array(puzzle.state.position), start, goal))
    return {"text": text, "place": None}


def verdict_on(puzzle: Puzzle, action: int | None) -> dict[str, Any]:
    """Return what is said of an action; None: the solution is wanted."""
    game = puzzle.state.game
    best = game.notation.parse_action(puzzle.best)
    right, text = False, f"The best move: {action_data(puzzle, best)['label']}."
    if action is not None:
        if action not in puzzle.state.legal:
            raise IllegalAction("this move is not legal here", "move")
        said = answered(puzzle, game.notation.action_name(action))
        right, text = said.right, said.text
    shown = right or action is None
    ranked = sorted(puzzle.values, key=lambda move: -puzzle.values[move])[:MOST_SHOWN]
    first = puzzle.judgements[0]
    return {
        "right": right,
        "text": text,
        "solution": action_data(puzzle, best) if shown else None,
        "unit": puzzle.unit,
        "margin": round(puzzle.margin, 4) if shown else None,
        "moves": [move_data(puzzle, move) for move in ranked] if shown else [],
        "judged": f"{first.by}; each move tried {first.samples} times" if shown else "",
    }


def move_data(puzzle: Puzzle, move: str) -> dict[str, Any]:
    """Return a move with its value."""
    action = puzzle.state.game.notation.parse_action(move)
    label = action_data(puzzle, action)["label"]
    return {"text": move, "label": label, "value": round(puzzle.values[move], 4)}
