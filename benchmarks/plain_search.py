"""The published search of Skirmish in plain Python with lists: a yardstick for the compiled one.

It is written as one would without kernels, from the rules and not from ours: pieces are numbers
from 1 to 4, negative for the second player; 0 is free land and None a square nothing can enter.
"""

from __future__ import annotations

from typing import TypeAlias

Board: TypeAlias = list[int | None]
Ages: TypeAlias = list[int]
Move: TypeAlias = tuple[int, int]

TOWN, BARRACKS, WORKER, SOLDIER = 1, 2, 3, 4
LIFE = {TOWN: 60, BARRACKS: 16, WORKER: 80, SOLDIER: 80}
RAISES = {TOWN: (12, WORKER), BARRACKS: (8, SOLDIER)}
PLACES = ((0, -1), (0, 1), (-1, 0), (-1, -1), (-1, 1), (1, 0), (1, -1), (1, 1))
INFINITY = float("inf")
BOOST = 1.2
OWN = {TOWN: 9.0, BARRACKS: 6.0, WORKER: 4.0, SOLDIER: 3.0}  # the simple opponent's values


def neighbours(square: int, steps: tuple[tuple[int, int], ...]) -> list[int]:
    row, column = divmod(square, 8)
    places = [(row + down, column + right) for down, right in steps]
    return [y * 8 + x for y, x in places if 0 <= y < 8 and 0 <= x < 8]


STEPS = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1))
REACHED = [neighbours(square, STEPS) for square in range(64)]
RAISED_ON = [neighbours(square, PLACES) for square in range(64)]


class OutOfBudget(Exception):
    """The budget is used up."""


def tick(board: Board, ages: Ages) -> None:
    for square in range(64):
        piece = board[square]
        if not piece:
            continue
        kind = abs(piece)
        ages[square] += 1
        if kind in RAISES and ages[square] % RAISES[kind][0] == 0:
            for place in RAISED_ON[square]:
                if board[place] == 0:
                    board[place] = RAISES[kind][1] if piece > 0 else -RAISES[kind][1]
                    ages[place] = 1
                    break
        if ages[square] >= LIFE[kind]:
            board[square], ages[square] = 0, 0


def interesting(board: Board, move: Move) -> bool:
    origin, target = move
    slip = origin // 8 == target // 8 == target % 8
    return origin == target or board[target] != 0 or slip


def ordered_moves(board: Board, player: int) -> list[Move]:
    moves = []
    for square, piece in enumerate(board):
        kind = (piece or 0) * player
        if kind < WORKER:
            continue
        for target in REACHED[square]:
            there = board[target]
            builds = target == square and kind == WORKER
            captures = kind == SOLDIER and there is not None and there * player < 0
            if there == 0 or builds or captures:
                moves.append((square, target))
    first = [move for move in moves if interesting(board, move)]
    return first[::-1] + [move for move in moves if not interesting(board, move)]


def played(board: Board, ages: Ages, move: Move) -> tuple[Board, Ages]:
    """Return the position that the other player sees after a move, its tick included."""
    board, ages = board[:], ages[:]
    origin, target = move
    if origin == target:
        board[origin] = BARRACKS if (board[origin] or 0) > 0 else -BARRACKS
        ages[origin] = 1
    else:
        board[target], ages[target] = board[origin], ages[origin]
        board[origin], ages[origin] = 0, 0
    tick(board, ages)
    return board, ages


def worth(board: Board, player: int) -> float:
    total, enemies = 0.0, 0
    for piece in board:
        if piece:
            own = piece * player > 0
            total += OWN[abs(piece)] if own else -OWN[abs(piece)]
            enemies += not own
    return total / (1 + enemies)


class PlainSearch:
    """Iterative deepening with the published costs."""

    def __init__(self, player: int, budget: int) -> None:
        self.player = player
        self.budget = budget
        self.states = 0

    def value(
        self, board: Board, ages: Ages, player: int, depth: int, low: float, high: float
    ) -> float:
        self.states += 1
        if self.budget <= 0:
            raise OutOfBudget
        sides = {(piece > 0) - (piece < 0) for piece in board if piece}
        if len(sides) < 2 or depth == 0:
            self.budget -= 1
            if depth == 0 and len(sides) == 2:
                return worth(board, self.player)
            return INFINITY if (1 if 1 in sides else -1) == self.player else -INFINITY
        moves = ordered_moves(board, player)
        if not moves:
            self.budget -= 1
            board, ages = board[:], ages[:]
            tick(board, ages)
            return self.value(board, ages, -player, depth, low, high)
        own = player == self.player
        best = -INFINITY if own else INFINITY
        for move in moves:
            self.budget -= 1
            if self.budget <= 0:
                raise OutOfBudget
            value = self.value(*played(board, ages, move), -player, depth - 1, low, high)
            if own:
                best = max(best, value)
                low = max(low, best)
            else:
                best = min(best, value)
                high = min(high, best)
            if low > high:
                break
        return best

    def choose(self, board: Board, ages: Ages) -> Move | None:
        """Return the move of the last finished iteration, or None for a pass."""
        moves = ordered_moves(board, self.player)
        chosen: Move | None = None
        depth = 0
        try:
            while True:
                if self.budget <= 0:
                    return moves[0]
                best, best_move = -INFINITY, None
                for move in moves:
                    position = played(board, ages, move)
                    value = self.value(*position, -self.player, depth, best, INFINITY)
                    if interesting(board, move):
                        value = value * BOOST if value > 0 else value / BOOST
                    if value > best:
                        best, best_move = value, move
                chosen = best_move
                depth += 1
        except OutOfBudget:
            return chosen
