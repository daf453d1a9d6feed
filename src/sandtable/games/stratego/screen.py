"""Stratego on the screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.games.stratego.drawing.text import (
    Piece,
    StrategoSituation,
    fight_line,
    pieces_on,
    situation_of,
)
from sandtable.games.stratego.notation.text import reason_of
from sandtable.games.stratego.notation.validate import (
    reason_against_piece,
    reason_against_repetition,
    reason_against_way,
    repeating_moves,
)
from sandtable.games.stratego.options import OPTIONS
from sandtable.games.stratego.rules.placement import left_to_place
from sandtable.games.stratego.rules.repetition import watched
from sandtable.games.stratego.rules.views import hide
from sandtable.screens import BoardScreen, Choice, FormOption, Preset, choices
from sandtable.types import Game, Position, State

if TYPE_CHECKING:
    from fastapi import APIRouter

__all__ = ["StrategoScreen", "rank_letter"]

YES_NO = choices(("true", "Yes"), ("false", "No"))
ORIGINS = choices(("random", "Random"), ("choose", "Chosen in play"), ("named", "Any with a name"))
FORM = (
    FormOption(
        "variant",
        "Variant",
        "board and pieces",
        "classic",
        tuple(Choice(word, word.capitalize()) for word in OPTIONS["variant"].words),
    ),
    FormOption("setup", "Set-ups", "where both sides' come from", "random", ORIGINS),
    *(
        FormOption(
            seat.lower(),
            f"{seat}'s set-up",
            "instead, for one side",
            "",
            (Choice("", "As both"), *ORIGINS),
        )
        for seat in layout.SEAT_NAMES
    ),
    FormOption("long_scouts", "Long scouts", "scouts move any distance", "true", YES_NO),
    FormOption(
        "two_squares",
        "Two squares",
        "how often in a row a piece may go between two squares; 0: no limit",
        "3",
        None,
        0,
        OPTIONS["two_squares"].high,
    ),
    FormOption("more_squares", "No endless chases", "they are forbidden", "true", YES_NO),
    FormOption(
        "no_attack",
        "Quiet moves",
        "a draw after so many without attack; 0: never",
        "200",
        None,
        0,
        OPTIONS["no_attack"].high,
    ),
    FormOption(
        "max_plies",
        "Most moves",
        "a draw after so many",
        "4000",
        None,
        1,
        OPTIONS["max_plies"].high,
    ),
    FormOption(
        "ends",
        "Ends of a game",
        "by the paper nothing is drawn, and repetition is free",
        "tournament",
        choices(("tournament", "Tournament"), ("paper", "As in the paper")),
    ),
    FormOption(
        "repetition",
        "Repetition",
        "how the two rules against it are read",
        "tournament",
        choices(("tournament", "Tournament"), ("version-1", "As in version 1 of the rules")),
    ),
)
GUESSES = 400  # that beliefs are counted from
SMALLEST_CHANCE = 0.001  # of a belief that is worth showing


class StrategoScreen(BoardScreen):
    """Pieces as far as they are seen, with their marks, and what is left of both armies."""

    options = FORM
    presets = (
        Preset("stratego:setup=choose", "Classic, own set-ups"),
        Preset("stratego:setup=choose,variant=mini", "Mini, own set-ups"),
        Preset("stratego:setup=choose,variant=barrage", "Barrage, own set-ups"),
        Preset("stratego:setup=choose,variant=duel", "Duel, own set-ups"),
        Preset("stratego", "Classic, random set-ups"),
        Preset("stratego:variant=mini", "Mini, random set-ups"),
        Preset("stratego:variant=barrage", "Barrage, random set-ups"),
        Preset("stratego:variant=duel", "Duel, random set-ups"),
    )
    seat_colours = ("red", "blue")
    questions: ClassVar[Mapping[str, str]] = {"beliefs": "What a seat can know of the others"}

    @classmethod
    def routes(cls, server: Any) -> APIRouter | None:
        """Return the routes of set-ups."""
        from sandtable.games.stratego.routes import router

        return router

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.side = game.board_shape[0]
        self.base = layout.first_setup_action(self.side)

    def board(self, position: Position, viewer: int | None) -> dict[str, Any]:
        """Return the board."""
        situation = situation_of(position)
        return {
            "game": "stratego",
            "variant": layout.VARIANT_NAMES[int(position[layout.VARIANT])],
            "side": situation.side,
            "mover": None if situation.mover == layout.OVER else situation.mover,
            "move": situation.plies + (0 if situation.mover == layout.OVER else 1),
            "quiet": situation.quiet,
            "quiet_limit": situation.quiet_limit,
            "setting_up": situation.setting_up,
            "lakes": [self.place(square) for square in sorted(situation.lakes)],
            "pieces": [self.piece(piece) for piece in situation.pieces],
            "last_moves": [self.last_move(move) for move in situation.last_moves],
            "lost": [[rank_letter(rank) for rank in ranks] for ranks in situation.lost],
            "left": [counted(counts) for counts in situation.left],
            "army": counted(situation.army),
            "setup": self.setup(position, situation, viewer),
        }

    def place(self, square: int) -> str:
        """Return the name of a square."""
        return layout.square_name(square, self.side)

    def piece(self, piece: Piece) -> dict[str, Any]:
        """Return one piece."""
        return {
            "place": self.place(piece.square),
            "seat": piece.seat,
            "rank": rank_letter(piece.rank),
            "known": piece.known,
            "moved": piece.moved,
        }

    def last_move(self, move: tuple[int, int] | None) -> dict[str, Any] | None:
        """Return the last move of a seat."""
        return None if move is None else {"from": self.place(move[0]), "to": self.place(move[1])}

    def setup(
        self, position: Position, situation: StrategoSituation, viewer: int | None
    ) -> dict[str, Any] | None:
        """Return what a seat needs for its set-up, until it has finished."""
        if (
            viewer is None
            or not situation.setting_up
            or position[layout.DECIDED + viewer] == layout.READY
        ):
            return None
        squares = range(int(layout.setup_squares(position)))
        places = [
            self.place(int(layout.setup_square(position, viewer, index))) for index in squares
        ]
        left = {
            layout.RANK_LETTERS[rank]: int(left_to_place(position, viewer, rank))
            for rank in range(layout.RANKS)
        }
        actions = {layout.RANK_LETTERS[rank]: self.base + rank for rank in range(layout.RANKS)}
        return {
            "places": places,
            "left": {letter: count for letter, count in left.items() if count},
            "decided": int(position[layout.DECIDED + viewer]),
            "actions": {**actions, "done": self.base + layout.DONE},
        }

    def public(self, position: Position) -> Position | None:
        """Take out what either side hides: spectators see what both know."""
        shared = np.array(position)
        hide(shared, layout.RED)
        hide(shared, layout.BLUE)
        return shared

    def action(self, view: Position, action: int) -> dict[str, Any]:
        """Return a move with its two places, or a word of the set-up."""
        if action >= self.base:
            return self.setup_action(view, action - self.base)
        start, goal = (
            layout.from_square_of(self.side, action),
            layout.to_square_of(self.side, action),
        )
        attack = view[layout.BOARD + goal] != 0
        ends = {"from": self.place(int(start)), "to": self.place(int(goal))}
        piece = layout.rank_name(layout.rank_of(int(view[layout.BOARD + start])))
        words = f"Move the {piece} from {ends['from']} to {ends['to']}"
        if attack:
            words = f"Attack {ends['to']} with the {piece} from {ends['from']}"
        return {"kind": "attack" if attack else "move", **ends, "label": words}

    def setup_action(self, view: Position, choice: int) -> dict[str, Any]:
        """Return a word of the set-up."""
        if choice == layout.DONE:
            return {"kind": "end", "from": None, "to": None, "label": "The set-up is done"}
        seat = int(view[layout.MOVER])
        square = int(layout.setup_square(view, seat, int(view[layout.DECIDED + seat])))
        label = "leave empty" if choice == layout.LEAVE_EMPTY else layout.rank_name(choice)
        return {"kind": "place", "from": None, "to": self.place(square), "label": label}

    def why_not(self, view: Position, start: str, goal: str | None) -> str:
        """Name the rule that keeps a piece of the mover from going somewhere."""
        square = layout.parse_square(start, self.side)
        if layout.setting_up(view) or square is None:
            return ""
        piece = reason_against_piece(view, square)
        own = layout.owned_by(int(view[layout.BOARD + square]), int(view[layout.MOVER]))
        if goal is None:  # only an own piece that was touched has to be explained
            return sentence(piece or f"nothing is free beside {start}") if own else ""
        end = layout.parse_square(goal, self.side)
        if end is None or end == square:
            return ""
        if square // layout.SIDE != end // layout.SIDE and (square - end) % layout.SIDE:
            return "Pieces move along a row or a column."
        return sentence(piece or reason_against_way(view, square, end))

    def forbidden_moves(self, view: Position) -> list[dict[str, Any]]:
        """Return the moves that only the rules against repetition forbid the mover."""
        seat = int(view[layout.MOVER])
        if seat == layout.OVER or layout.setting_up(view) or not watched(view, seat):
            return []
        return [
            {
                "from": self.place(start),
                "to": self.place(goal),
                "why": reason_against_repetition(view, start, goal),
            }
            for start, goal in repeating_moves(view)
        ]

    def turn_label(self, view: Position) -> str | None:
        """Return the number of the move; setting up comes before the first."""
        return "" if layout.setting_up(view) else str(int(view[layout.PLIES]) + 1)

    def progress(self, view: Position) -> str:
        """Say which move it is."""
        if layout.setting_up(view):
            return "setting up"
        over = view[layout.MOVER] == layout.OVER
        return f"move {int(view[layout.PLIES]) + (0 if over else 1)}"

    def events(
        self, before: Position, seat: int, action: int | None, after: Position, details: Any
    ) -> list[dict[str, Any]]:
        """Tell a move, what a fight has shown, the end of a set-up or of the game."""
        events: list[dict[str, Any]] = []
        if action is not None and action < self.base:
            events.append(self.move_event(before, seat, action, after))
        elif action == self.base + layout.DONE:
            text = f"{layout.SEAT_NAMES[seat]} has set up"
            events.append({"kind": "ready", "seat": seat, "text": text})
        if after[layout.MOVER] == layout.OVER:
            events.append({"kind": "over", "text": f"The game is over: {reason_of(after)}"})
        return events

    def answer_question(
        self, name: str, state: State, question: dict[str, Any], dice: Dice
    ) -> dict[str, Any]:
        """Tell how likely each rank is for every piece that a seat does not know."""
        if name not in self.questions:
            return super().answer_question(name, state, question, dice)
        seat = question.get("seat")
        viewer = max(state.turn, 0) if seat is None else seat
        view = state.view(viewer)
        pieces = pieces_on(view.position).values()
        counts = {piece.square: Counter[str]() for piece in pieces if piece.rank == layout.UNKNOWN}
        for _ in range(GUESSES):
            guess = pieces_on(view.guess(dice).position)
            for square, ranks in counts.items():
                ranks[layout.RANK_LETTERS[guess[square].rank]] += 1
        beliefs = [
            {"place": self.place(square), "ranks": likely(ranks)}
            for square, ranks in counts.items()
        ]
        return {"seat": viewer, "pieces": beliefs}

    def move_event(
        self, before: Position, seat: int, action: int, after: Position
    ) -> dict[str, Any]:
        """Tell a move or a fight; every loss is known to both."""
        ends = {
            "from": self.place(int(layout.from_square_of(self.side, action))),
            "to": self.place(int(layout.to_square_of(self.side, action))),
        }
        if after[layout.QUIET] != 0:
            text = f"{layout.SEAT_NAMES[seat]} moves from {ends['from']} to {ends['to']}"
            return {"kind": "move", **ends, "text": text}
        situation = situation_of(after)
        left = pieces_on(after).get(int(layout.to_square_of(self.side, action)))
        ranks = [rank_letter(fought_with(before, after, side, left)) for side in (seat, 1 - seat)]
        return {
            "kind": "fight",
            **ends,
            "attacker": ranks[0],
            "defender": ranks[1],
            "winner": left.seat if left else None,
            "text": fight_line(before, action, situation),
        }


def sentence(words: str) -> str:
    """Return words as a sentence.

    >>> sentence("the flag on a1 never moves")
    'The flag on a1 never moves.'
    """
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def likely(counts: Counter[str]) -> dict[str, float]:
    """Return the share of every rank that is worth showing, the greatest first."""
    shares = ((rank, number / GUESSES) for rank, number in counts.most_common())
    return {rank: round(share, 4) for rank, share in shares if share >= SMALLEST_CHANCE}


def fought_with(before: Position, after: Position, seat: int, left: Piece | None) -> int:
    """Return the rank with which a seat fought: the one it lost, or of the piece that is left."""
    first = layout.ALIVE + seat * layout.RANKS
    for rank in range(layout.SPY, layout.RANKS):
        if after[first + rank] < before[first + rank]:
            return rank
    return left.rank if left else layout.UNKNOWN


def rank_letter(rank: int) -> str | None:
    """Return the letter of a rank, or None for one that is not known.

    >>> rank_letter(layout.MARSHAL), rank_letter(layout.UNKNOWN)
    ('T', None)
    """
    return None if rank == layout.UNKNOWN else layout.RANK_LETTERS[rank]


def counted(counts: tuple[int, ...]) -> dict[str, int]:
    """Return counts by rank under the letters of the ranks."""
    return {
        layout.RANK_LETTERS[rank]: counts[rank]
        for rank in range(layout.SPY, layout.RANKS)
        if counts[rank]
    }
