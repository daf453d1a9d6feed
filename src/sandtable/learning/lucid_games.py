"""The games from which the evaluator of Operation Lucid learns (the recipe: learning.lucid_td).

The learner's network values every position after a move, whoever moved; the learner, which plays
Blue, Red or both, climbs to the best turn it finds. After the game each position gets its target,
the lambda-return: a mix of the values that followed and the final score. Now and then a turn is
changed at random for the sake of variety; earlier positions then learn from the value of the turn
that should have been played, and from nothing after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.lucid.champion_plan import write_position
from sandtable.agents.lucid.champion_search import Climb, choose_turn, disturb, new_climb
from sandtable.agents.lucid.evaluator import Evaluator, evaluate, new_evaluator
from sandtable.agents.lucid.evaluator_boards import BOARDS, read_boards, turns_left
from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below, uniform
from sandtable.games.lucid.rules import (
    BLUE,
    BLUE_SEAT,
    BLUE_UNITS,
    CAPACITY,
    FIRST_OF_TOP_ROW,
    GOAL,
    LUCK_NAMES,
    MOVER,
    NODES,
    OVER,
    PLAYED,
    POSITION_SIZE,
    RED,
    RED_UNITS,
    SIDE,
    TURNS,
    end_turn,
    start,
)
from sandtable.learning.lucid_opponents import (
    AXES_RED,
    ITSELF,
    SCRATCH,
    Pool,
    draw_blue,
    move_as_script,
)

__all__ = ["FIELDS", "Positions", "Setting", "joined", "play_some"]

# What is kept about a position besides its boards.
TURNS_AFTER, IN_GOAL, BLUE_LEFT, DISTURBED = range(4)
FACTS = 4


class Setting(NamedTuple):
    """How games are played and targets made."""

    blue: int  # who plays it, see lucid_opponents
    red: int
    pool: Pool  # who plays Blue instead of the learner of both sides
    tries: int  # climbs for a turn
    exploration: float  # chance that a turn of the learner is disturbed
    scattered: float  # share of games that begin somewhere in the middle
    field_red: float  # chance of each Red unit to be off its top row in such a beginning
    trace: float  # lambda


@kernel
def scatter_units(position: NDArray[np.int16], dice: NDArray[np.uint64], field_red: float) -> None:
    """Turn a start into some position later in a game, with units drawn anywhere.

    Blue is scattered over the nodes without Red, Red over the top row and, with the chance
    ``field_red`` for each unit, over the whole board.
    """
    for node in range(NODES):
        position[BLUE + node] = 0
        position[RED + node] = 0
    for _ in range(1 + below(dice, RED_UNITS)):
        node = int(FIRST_OF_TOP_ROW + below(dice, SIDE))
        if uniform(dice) < field_red:
            node = int(below(dice, NODES))
        if position[RED + node] < CAPACITY:
            position[RED + node] += 1
    for _ in range(2 + below(dice, BLUE_UNITS - 1)):
        node = int(below(dice, NODES))
        if position[RED + node] == 0 and position[BLUE + node] < CAPACITY:
            position[BLUE + node] += 1
    position[PLAYED] = below(dice, TURNS - 4)


class Table(NamedTuple):
    """Who sits at the table: the learner, and networks that play against it."""

    climb: Climb
    evaluator: Evaluator  # of the learner
    networks: NDArray[np.float32]  # [opponent, PARAMETERS]
    memory: NDArray[np.int64]  # of a script


@kernel
def make_move(
    position: NDArray[np.int16],
    dice: NDArray[np.uint64],
    table: Table,
    player: int,
    setting: Setting,
) -> tuple[float, bool]:
    """Make the mover's movelets; return what the learner expects now, and whether it was disturbed.

    For a disturbed turn it is the value of the one the learner had in mind.
    """
    climb, evaluator = table.climb, table.evaluator
    if player == ITSELF:
        value = choose_turn(climb, evaluator.weights, position, dice, setting.tries)
        disturbed = uniform(dice) < setting.exploration
        if disturbed:
            disturb(climb.plan, dice, 1 + int(below(dice, 3)))
        write_position(climb.plan, position)
        return value, disturbed
    if player <= AXES_RED:
        move_as_script(position, dice, player, table.memory)
    else:
        choose_turn(climb, table.networks[player], position, dice, setting.tries)
        write_position(climb.plan, position)
    return evaluate(position, evaluator), False


@kernel
def play_game(
    position: NDArray[np.int16],
    dice: NDArray[np.uint64],
    table: Table,
    setting: Setting,
    boards: NDArray[np.int32],
    facts: NDArray[np.int16],
    values: NDArray[np.float32],
) -> int:
    """Play a game; write all positions after moves and their values, and return how many."""
    luck = np.zeros(len(LUCK_NAMES))
    scratch = np.zeros(BOARDS, dtype=np.int64)
    table.memory[:] = 0
    start(position, dice)
    if uniform(dice) < setting.scattered:
        scatter_units(position, dice, setting.field_red)
    blue_player = setting.blue
    if setting.blue == ITSELF and setting.red == ITSELF:
        blue_player = draw_blue(setting.pool, len(table.networks), dice)
    count = 0
    while position[MOVER] != OVER:
        player = blue_player if position[MOVER] == BLUE_SEAT else setting.red
        value, disturbed = make_move(position, dice, table, player, setting)
        blue = read_boards(position, scratch, 0)
        copy_cells(scratch, boards[count])
        facts[count, TURNS_AFTER] = turns_left(position)
        facts[count, IN_GOAL] = position[GOAL]
        facts[count, BLUE_LEFT] = blue
        facts[count, DISTURBED] = disturbed
        values[count] = value
        count += 1
        end_turn(position, dice, luck)
    return count


@kernel
def write_targets(
    facts: NDArray[np.int16],
    values: NDArray[np.float32],
    count: int,
    score: int,
    trace: float,
    targets: NDArray[np.float32],
) -> None:
    """Write the lambda-returns of a game's positions."""
    following = float(score)
    for back in range(count):
        index = count - 1 - back
        targets[index] = following
        value = float(values[index])
        mix = 0.0 if facts[index, DISTURBED] else trace
        following = (1.0 - mix) * value + mix * following


@kernel
def play_match(
    key: np.uint64,
    first: int,
    parameters: NDArray[np.float32],
    networks: NDArray[np.float32],
    setting: Setting,
    boards: NDArray[np.int32],
    facts: NDArray[np.int16],
    targets: NDArray[np.float32],
    scores: NDArray[np.int16],
) -> int:
    """Play games number first, first + 1, ..., as many as there are scores.

    Return how many positions were written.
    """
    memory = np.zeros(SCRATCH, dtype=np.int64)
    table = Table(new_climb(), new_evaluator(parameters), networks, memory)
    dice = np.zeros(4, dtype=np.uint64)
    position = np.empty(POSITION_SIZE, dtype=np.int16)
    values = np.empty(TURNS, dtype=np.float32)
    kept = 0
    for game in range(len(scores)):
        dice[0], dice[1], dice[2] = key, first + game, 0
        now = facts[kept:]
        count = play_game(position, dice, table, setting, boards[kept:], now, values)
        scores[game] = position[GOAL]
        write_targets(now, values, count, int(position[GOAL]), setting.trace, targets[kept:])
        kept += count
    return kept


@dataclass
class Positions:
    """What some games leave to learn from."""

    boards: NDArray[np.int32]  # [position, board]
    facts: NDArray[np.int16]  # [position, fact]
    targets: NDArray[np.float32]  # [position] the score to be expected
    scores: NDArray[np.int16]  # [game]


FIELDS = ("boards", "facts", "targets", "scores")


def play_some(
    key: int,
    first: int,
    count: int,
    parameters: NDArray[np.float32],
    networks: NDArray[np.float32],
    setting: Setting,
) -> Positions:
    """Play games number first, first + 1, ... of a stream of dice.

    ``networks`` [opponent, PARAMETERS] are those that the learner may meet.
    """
    room = count * TURNS
    boards = np.empty((room, BOARDS), dtype=np.int32)
    facts = np.empty((room, FACTS), dtype=np.int16)
    targets = np.empty(room, dtype=np.float32)
    scores = np.empty(count, dtype=np.int16)
    kept = play_match(
        np.uint64(key), first, parameters, networks, setting, boards, facts, targets, scores
    )
    return Positions(boards[:kept].copy(), facts[:kept].copy(), targets[:kept].copy(), scores)


def joined(parts: list[Positions]) -> Positions:
    """Put positions one after the other."""
    return Positions(*(np.concatenate([getattr(part, name) for part in parts]) for name in FIELDS))
