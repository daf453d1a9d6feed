"""Strategy 2 of the 2015 paper that lets strategy 1 play on before the network says a value.

Values learned from random games tell a won fight from a lost one, but hardly one quiet move from
another. So with ``follow`` every promising move is played in all samples, the move network goes on
for both sides for so many moves, each seeing only what it would know then, and the value network
judges where that has led. See docs/games/stratego/value.md. Playing needs onnxruntime alone.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.policy.agent import Policy, likeliest, write_board
from sandtable.games.stratego.agents.policy.progress import (
    measure_target_distances,
    progress_of,
    quiet_share,
)
from sandtable.games.stratego.agents.square_codes import (
    TURNED_MOVES,
    write_codes,
    write_planes,
)
from sandtable.games.stratego.agents.value import search as value_search
from sandtable.games.stratego.rules.kernels import legal_moves, move
from sandtable.games.stratego.rules.moves import MOST_MOVES

__all__ = ["MOST_FOLLOWED", "MOST_TRIED", "FollowedMoves", "Rollout"]

MOST_FOLLOWED, MOST_TRIED = 200, 50
FINALISTS = 2  # moves that are looked at in all samples, the others in half of them
LEAST_CHANCE = -8.0  # the log below which no chance counts


class FollowedMoves(NamedTuple):
    """The moves that were tried, the likeliest first."""

    moves: NDArray[np.int64]
    chances: NDArray[np.float64]  # logs of the move network's chances
    values: NDArray[np.float64]  # means over the samples, without what the chances add
    finalists: NDArray[np.int64]  # their places


@kernel
def weigh_moves(
    position: NDArray[np.int16],
    logits: NDArray[np.float32],
    haste: float,
    target_distances: NDArray[np.int64],
    moves: NDArray[np.int16],
    weights: NDArray[np.float64],
) -> int:
    """Write the legal moves and their logits, haste included as in ``likeliest``; count them."""
    seat = layout.as_int64(position[layout.MOVER])
    measure_target_distances(position, seat, target_distances)
    count, board = legal_moves(position, moves), layout.board_of(position)
    for index in range(count):
        action = layout.as_int64(moves[index])
        logit = float(logits[0, action if seat == layout.RED else TURNED_MOVES[board, action]])
        weights[index] = logit + haste * quiet_share(position) * progress_of(
            position, action, target_distances
        )
    return int(count)


@kernel
def play_move(position: NDArray[np.int16], action: int) -> None:
    """Play a move in a position."""
    side = layout.side_of(position)
    move(position, layout.from_square_of(side, action), layout.to_square_of(side, action))


@kernel
def begin_lines(
    samples: NDArray[np.int16], moves: NDArray[np.int64], lines: NDArray[np.int16]
) -> None:
    """Write what each move leads to in each sample, one move behind the other."""
    for index in range(len(moves)):
        for sample in range(len(samples)):
            line = lines[index * len(samples) + sample]
            copy_cells(samples[sample], line)
            play_move(line, layout.as_int64(moves[index]))


@kernel
def write_lines(
    lines: NDArray[np.int16], going: NDArray[np.int64], codes: NDArray[np.uint8]
) -> int:
    """Write which lines go on, and what their movers see of them; count them."""
    count = 0
    for number in range(len(lines)):
        if lines[number, layout.MOVER] != layout.OVER:
            going[count] = number
            write_codes(
                lines[number], layout.as_int64(lines[number, layout.MOVER]), False, codes[count]
            )
            count += 1
    return count


@kernel
def extend_lines(
    lines: NDArray[np.int16],
    going: NDArray[np.int64],
    logits: NDArray[np.float32],
    haste: float,
    target_distances: NDArray[np.int64],
) -> None:
    """Play the likeliest move in the lines that go on, by the logits [n, MOVES] of their movers."""
    for index in range(len(logits)):
        line = lines[going[index]]
        seat = layout.as_int64(line[layout.MOVER])
        play_move(line, likeliest(line, seat, logits[index : index + 1], haste, target_distances))


@kernel
def write_ends(
    search: value_search.Search,
    lines: NDArray[np.int16],
    going: NDArray[np.int64],
    codes: NDArray[np.uint8],
    values: NDArray[np.float64],
) -> int:
    """Write the values of games that are over, and what the seat sees of others; count these."""
    count = 0
    for number in range(len(lines)):
        if lines[number, layout.MOVER] == layout.OVER:
            values[number] = value_search.end_value(search, lines[number])
        else:
            going[count] = number
            seat, opened = search.controls[0].seat, search.controls[0].open_ranks == 1
            write_codes(lines[number], seat, opened, codes[count])
            count += 1
    return count


@kernel
def value_ends(
    search: value_search.Search,
    lines: NDArray[np.int16],
    going: NDArray[np.int64],
    outputs: NDArray[np.float32],
    values: NDArray[np.float64],
) -> None:
    """Write the values of the lines of which the network has said something."""
    for index in range(len(outputs)):
        value = min(max(float(outputs[index]), -value_search.MOST), value_search.MOST)
        values[going[index]] = value_search.toward_draw(search, lines[going[index]], value)


class Rollout:
    """Follows the likeliest moves of a view in the samples of a search."""

    def __init__(
        self,
        search: value_search.Search,
        samples: int,
        follow: int,
        moves: int,
        guide: float,
        player: Policy | None = None,
    ) -> None:
        self.search, self.samples = search, samples
        self.follow, self.most, self.guide = follow, moves, guide
        self.player = player or Policy()
        lines = moves * samples
        self.lines = np.zeros((lines, layout.POSITION_SIZE), dtype=np.int16)
        self.going = np.zeros(lines, dtype=np.int64)
        self.boards = np.zeros((lines, search.wanted.shape[1]), dtype=np.uint8)
        self.planes = np.empty((lines, *self.player.network.shape), dtype=np.float32)

    def run(
        self, position: NDArray[np.int16], evaluate: value_search.Evaluate, deadline: float | None
    ) -> FollowedMoves:
        """Follow the likeliest moves of a view whose samples are drawn."""
        self.search.controls["valued"] = 0
        return self.follow_moves(*self.likely_moves(position), evaluate, deadline)

    def best(self, followed: FollowedMoves) -> int:
        """Return the move that is played."""
        scores = self.scores(followed)[followed.finalists]
        return int(followed.moves[followed.finalists[np.argmax(scores)]])

    def scores(self, followed: FollowedMoves) -> NDArray[np.float64]:
        """Return what decides between moves."""
        return followed.values + self.guide * np.maximum(followed.chances, LEAST_CHANCE)

    def likely_moves(
        self, position: NDArray[np.int16]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the likeliest moves of a view, and the logs of their chances."""
        player = self.player
        write_board(position, layout.as_int64(position[layout.MOVER]), player.planes)
        logits = player.logits(player.planes)
        moves, weights = np.empty(MOST_MOVES, dtype=np.int16), np.empty(MOST_MOVES)
        count = weigh_moves(position, logits, player.haste, player.target_distances, moves, weights)
        chances = weights[:count] - weights[:count].max()
        chances -= np.log(np.exp(chances).sum())
        best = np.argsort(-chances, kind="stable")[: self.most]
        return moves[best].astype(np.int64), chances[best]

    def follow_moves(
        self,
        moves: NDArray[np.int64],
        chances: NDArray[np.float64],
        evaluate: value_search.Evaluate,
        deadline: float | None,
    ) -> FollowedMoves:
        """Value all moves in half of the samples, and the best two of them in the others too."""
        samples, half = self.search.samples, (self.samples + 1) // 2
        first = self.values_of(moves, samples[:half], evaluate, deadline)
        values = first.mean(1)
        order = np.argsort(
            -(values + self.guide * np.maximum(chances, LEAST_CHANCE)), kind="stable"
        )
        finalists = np.sort(order[:FINALISTS])
        over = deadline is not None and time.monotonic() > deadline
        if len(moves) > 1 and half < self.samples and not over:
            more = self.values_of(moves[finalists], samples[half:], evaluate, deadline)
            values[finalists] = np.concatenate([first[finalists], more], 1).mean(1)
        return FollowedMoves(moves, chances, values, finalists)

    def values_of(
        self,
        moves: NDArray[np.int64],
        samples: NDArray[np.int16],
        evaluate: value_search.Evaluate,
        deadline: float | None,
    ) -> NDArray[np.float64]:
        """Return what moves lead to in samples [move, sample]; they are followed while time is."""
        player, going, boards = self.player, self.going, self.boards
        lines = self.lines[: len(moves) * len(samples)]
        begin_lines(samples, moves, lines)
        for _ in range(self.follow):
            count = write_lines(lines, going, boards)
            if count == 0 or (deadline is not None and time.monotonic() > deadline):
                break
            logits = self.ask(player.logits, count)
            extend_lines(lines, going, logits, player.haste, player.target_distances)
        values = np.empty(len(lines))
        count = write_ends(self.search, lines, going, boards, values)
        if count:
            value_ends(self.search, lines, going, self.ask(evaluate, count), values)
        self.search.controls["valued"] += count
        return values.reshape(len(moves), len(samples))

    def ask(self, network: value_search.Evaluate, count: int) -> NDArray[np.float32]:
        """Return what a network says of the first boards."""
        write_planes(self.boards, count, self.planes)
        return value_search.evaluate_boards(network, self.planes[:count])
