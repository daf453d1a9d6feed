"""Strategy 2 of the 2015 paper, which may let strategy 1 play on before the network says a value.

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

from sandtable.agent import Analysis
from sandtable.compiled import copy_cells, kernel
from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.classic_board import set_up
from sandtable.games.stratego.agents.policy.agent import Policy, likeliest, show
from sandtable.games.stratego.agents.square_codes import (
    PLANE_SHAPE,
    TURNED_ACTIONS,
    write_codes,
    write_planes,
)
from sandtable.games.stratego.agents.value.agent import BOARDS_IN_CALL, Evaluate, Value
from sandtable.games.stratego.agents.value.analysis import analysis_of
from sandtable.games.stratego.agents.value.leaves import (
    MOST,
    OPEN,
    SEAT,
    VALUED,
    Search,
    end_value,
    toward_draw,
)
from sandtable.games.stratego.agents.value.progress import measure_ways, progress_of, quiet_share
from sandtable.games.stratego.rules.kernels import guess, legal_moves, move
from sandtable.games.stratego.rules.moves import MOST_MOVES
from sandtable.types import State

__all__ = ["Followed", "Following"]

MOST_FOLLOWED, MOST_TRIED = 200, 50
FINALISTS = 2  # moves that are looked at in all samples, the others in half of them
LEAST_CHANCE = -8.0  # the log below which no chance counts


class Followed(NamedTuple):
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
    ways: NDArray[np.int64],
    moves: NDArray[np.int16],
    weights: NDArray[np.float64],
) -> int:
    """Write the legal moves and their logits, haste included as in ``likeliest``; count them."""
    seat = layout.whole(position[layout.MOVER])
    measure_ways(position, seat, ways)
    count = legal_moves(position, moves)
    for index in range(count):
        action = layout.whole(moves[index])
        logit = float(logits[0, action if seat == layout.RED else TURNED_ACTIONS[action]])
        weights[index] = logit + haste * quiet_share(position) * progress_of(position, action, ways)
    return int(count)


@kernel
def play_in(position: NDArray[np.int16], action: int) -> None:
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
            play_in(line, layout.whole(moves[index]))


@kernel
def see_lines(lines: NDArray[np.int16], going: NDArray[np.int64], codes: NDArray[np.uint8]) -> int:
    """Write which lines go on, and what their movers see of them; count them."""
    count = 0
    for number in range(len(lines)):
        if lines[number, layout.MOVER] != layout.OVER:
            going[count] = number
            write_codes(
                lines[number], layout.whole(lines[number, layout.MOVER]), False, codes[count]
            )
            count += 1
    return count


@kernel
def extend_lines(
    lines: NDArray[np.int16],
    going: NDArray[np.int64],
    logits: NDArray[np.float32],
    haste: float,
    ways: NDArray[np.int64],
) -> None:
    """Play the likeliest move in the lines that go on, by the logits [n, MOVES] of their movers."""
    for index in range(len(logits)):
        line = lines[going[index]]
        seat = layout.whole(line[layout.MOVER])
        play_in(line, likeliest(line, seat, logits[index : index + 1], haste, ways))


@kernel
def see_ends(
    search: Search,
    lines: NDArray[np.int16],
    going: NDArray[np.int64],
    codes: NDArray[np.uint8],
    values: NDArray[np.float64],
) -> int:
    """Write the values of games that are over, and what the seat sees of others; count these."""
    count = 0
    for number in range(len(lines)):
        if lines[number, layout.MOVER] == layout.OVER:
            values[number] = end_value(search, lines[number])
        else:
            going[count] = number
            seat, opened = search.numbers[SEAT], search.numbers[OPEN] == 1
            write_codes(lines[number], seat, opened, codes[count])
            count += 1
    return count


@kernel
def value_ends(
    search: Search,
    lines: NDArray[np.int16],
    going: NDArray[np.int64],
    said: NDArray[np.float32],
    values: NDArray[np.float64],
) -> None:
    """Write the values of the lines of which the network has said something."""
    for index in range(len(said)):
        value = min(max(float(said[index]), -MOST), MOST)
        values[going[index]] = toward_draw(search, lines[going[index]], value)


class Following(Value):
    """Stratego on the large board; a search with a value network (2015 paper)."""

    adviser_rank = 1

    def __init__(
        self,
        weights: str = "value",
        depth: int = 1,
        attacks: int = 2,
        samples: int = 16,
        seconds: float = 0.0,
        contempt: float = 0.5,
        haste: float = 0.2,
        leaves: str = "seen",
        follow: int = 0,
        moves: int = 5,
        guide: float = 0.05,
    ) -> None:
        super().__init__(weights, depth, attacks, samples, seconds, contempt, haste, leaves)
        if not 0 <= follow <= MOST_FOLLOWED:
            raise ValueError(f"follow is from 0 to {MOST_FOLLOWED}, got {follow}")
        if not 1 <= moves <= MOST_TRIED:
            raise ValueError(f"moves is from 1 to {MOST_TRIED}, got {moves}")
        if not 0 <= guide <= 1:
            raise ValueError(f"guide is from 0 to 1, got {guide}")
        if follow and (depth, attacks) != (1, 2):
            raise ValueError("depth and attacks are for a search, which follow takes the place of")
        self.follow, self.most, self.guide = follow, moves, guide
        self.followed: Followed | None = None  # what the last move was chosen from
        if follow:
            self.player = Policy()
            lines = moves * samples
            self.lines = np.zeros((lines, layout.POSITION_SIZE), dtype=np.int16)
            self.going = np.zeros(lines, dtype=np.int64)
            self.boards = np.zeros((lines, layout.SQUARES), dtype=np.uint8)
            self.shown = np.empty((lines, *PLANE_SHAPE), dtype=np.float32)

    def choose(self, view: State, dice: Dice) -> int | list[int]:
        """Search, or follow the likeliest moves, and return the one with the best mean."""
        self.followed = None
        position = np.array(view.position)
        if not self.follow:
            return super().choose(view, dice)
        if layout.setting_up(position):
            return set_up(position, dice)
        deadline = time.monotonic() + self.seconds if self.seconds else None
        for sample in range(self.samples):
            self.search.samples[sample] = position
            guess(self.search.samples[sample], view.turn, dice.array)
        self.search.numbers[SEAT], self.search.numbers[OPEN] = view.turn, int(self.open_leaves)
        self.search.numbers[VALUED] = 0
        self.followed = found = self.follow_moves(*self.likely_moves(position), deadline)
        scores = self.scores(found.values, found.chances)[found.finalists]
        return int(found.moves[found.finalists[np.argmax(scores)]])

    def analyse(self, view: State, dice: Dice) -> Analysis:
        """Return the mean values of the best moves over sampled positions."""
        return analysis_of(self, view, dice)

    def scores(
        self, values: NDArray[np.float64], chances: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return what decides between moves."""
        return values + self.guide * np.maximum(chances, LEAST_CHANCE)

    def likely_moves(
        self, position: NDArray[np.int16]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the likeliest moves of a view, and the logs of their chances."""
        player = self.player
        show(position, layout.whole(position[layout.MOVER]), player.planes)
        logits = player.network.run(player.planes)[0]
        moves, weights = np.empty(MOST_MOVES, dtype=np.int16), np.empty(MOST_MOVES)
        count = weigh_moves(position, logits, player.haste, player.ways, moves, weights)
        chances = weights[:count] - weights[:count].max()
        chances -= np.log(np.exp(chances).sum())
        best = np.argsort(-chances, kind="stable")[: self.most]
        return moves[best].astype(np.int64), chances[best]

    def follow_moves(
        self, moves: NDArray[np.int64], chances: NDArray[np.float64], deadline: float | None
    ) -> Followed:
        """Value all moves in half of the samples, and the best two of them in the others too."""
        samples, half = self.search.samples, (self.samples + 1) // 2
        first = self.values_of(moves, samples[:half], deadline)
        values = first.mean(1)
        order = np.argsort(
            -(values + self.guide * np.maximum(chances, LEAST_CHANCE)), kind="stable"
        )
        finalists = np.sort(order[:FINALISTS])
        over = deadline is not None and time.monotonic() > deadline
        if len(moves) > 1 and half < self.samples and not over:
            more = self.values_of(moves[finalists], samples[half:], deadline)
            values[finalists] = np.concatenate([first[finalists], more], 1).mean(1)
        return Followed(moves, chances, values, finalists)

    def values_of(
        self, moves: NDArray[np.int64], samples: NDArray[np.int16], deadline: float | None
    ) -> NDArray[np.float64]:
        """Return what moves lead to in samples [move, sample]; they are followed while time is."""
        player, going, boards = self.player, self.going, self.boards
        lines = self.lines[: len(moves) * len(samples)]
        begin_lines(samples, moves, lines)
        for _ in range(self.follow):
            count = see_lines(lines, going, boards)
            if count == 0 or (deadline is not None and time.monotonic() > deadline):
                break
            logits = self.ask(lambda planes: player.network.run(planes)[0], count)
            extend_lines(lines, going, logits, player.haste, player.ways)
        values = np.empty(len(lines))
        count = see_ends(self.search, lines, going, boards, values)
        if count:
            value_ends(self.search, lines, going, self.ask(self.evaluate, count), values)
        self.search.numbers[VALUED] += count
        return values.reshape(len(moves), len(samples))

    def ask(self, network: Evaluate, count: int) -> NDArray[np.float32]:
        """Return what a network says of the first boards."""
        write_planes(self.boards, count, self.shown)
        return np.concatenate(
            [
                network(self.shown[first : min(first + BOARDS_IN_CALL, count)])
                for first in range(0, count, BOARDS_IN_CALL)
            ]
        )
