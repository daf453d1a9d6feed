"""Answers: whether a move is the right one, and what the others are worth, in words."""

from __future__ import annotations

from dataclasses import dataclass

from sandtable.puzzles.puzzle import Puzzle
from sandtable.registry import make_game
from sandtable.screens import screen_of

__all__ = ["PuzzleAnswer", "answered", "hint_words", "margin_words", "task_words", "value_words"]


@dataclass(frozen=True)
class PuzzleAnswer:
    """What is told of a move somebody has chosen.

    >>> PuzzleAnswer("a1-a2", True, "Right.").right
    True
    """

    move: str
    right: bool
    text: str


def task_words(puzzle: Puzzle, who: str | None = None) -> str:
    """Say who is to move, by the title of the seat unless told otherwise, and what is to be found.

    >>> from sandtable.puzzles.puzzle import bundled_puzzles
    >>> task_words(bundled_puzzles("skirmish")[0]).endswith(" to move: find the best move.")
    True
    """
    if who is None:
        who = screen_of(make_game(puzzle.game)).titles()[puzzle.seat]
    return f"{who} to move: {puzzle.task}."


def value_words(puzzle: Puzzle, value: float) -> str:
    """Return a value in the unit of its puzzle.

    >>> from sandtable.puzzles.puzzle import bundled_puzzles
    >>> value_words(bundled_puzzles("skirmish")[0], 0.64)
    '64%'
    """
    return f"{value:.0%}" if puzzle.unit == "chance" else f"{value:.2f}"


def answered(puzzle: Puzzle, move: str) -> PuzzleAnswer:
    """Say of a legal move whether it is the best, and by how much it is better or worse.

    >>> from sandtable.puzzles.puzzle import bundled_puzzles
    >>> puzzle = bundled_puzzles("lucid")[0]
    >>> answered(puzzle, puzzle.best).text.startswith("Right: ")
    True
    """
    best, second = puzzle.values[puzzle.best], puzzle.values[puzzle.second]
    unit = "chance to win" if puzzle.unit == "chance" else "expected score"
    if move == puzzle.best:
        next_best = f"the next best, {puzzle.second}, {value_words(puzzle, second)}"
        text = f"Right: {margin_words(puzzle)} better than the next. "
        text += f"{unit.capitalize()} {value_words(puzzle, best)}; {next_best}."
        return PuzzleAnswer(move, True, text)
    text = (
        f"Not the best: yours {value_words(puzzle, puzzle.values[move])}, "
        f"best {value_words(puzzle, best)} ({unit})."
    )
    return PuzzleAnswer(move, False, text)


def margin_words(puzzle: Puzzle) -> str:
    """Return the margin of a puzzle with its unit.

    >>> from sandtable.puzzles.puzzle import bundled_puzzles
    >>> margin_words(bundled_puzzles("skirmish")[0])[-6:]
    'points'
    """
    if puzzle.unit == "chance":
        return f"{100 * puzzle.margin:.0f} percentage points"
    return f"{puzzle.margin:.2f} points"


def hint_words(puzzle: Puzzle) -> str:
    """Say what the best move is done with, but not where it goes.

    >>> from sandtable.puzzles.puzzle import bundled_puzzles
    >>> hint_words(bundled_puzzles("skirmish")[0]) != ""
    True
    """
    state = puzzle.state
    action = state.game.notation.parse_action(puzzle.best)
    data = screen_of(state.game).action(state.position, action)
    place = data["from"]
    if place is None or data["to"] in (None, place):
        worst = min(puzzle.values, key=lambda move: puzzle.values[move])
        return f"It is not {worst}."
    if ":" in str(place):  # the place is the move itself, as a card in a hand
        ranked = sorted(puzzle.values, key=lambda move: puzzle.values[move])
        return f"It is not {' nor '.join(ranked[: max(1, len(ranked) // 2)][:3])}."
    return f"The best move begins on {place}."
