"""The games from which the evaluator of Operation Lucid learns (the recipe: recipe.py).

The learner's network values every position after a move, whoever moved; the learner, which plays
Blue, Red or both, climbs to the best turn it finds. After the game each position gets its target,
the lambda-return: a mix of the values that followed and the final score. Now and then a turn is
changed at random for the sake of variety; earlier positions then learn from the value of the turn
that should have been played, and from nothing after it.

The learner can also look ahead, as the champions do. Every position then gets a value one turn
further, the mean over all combats, both sides of the coin and the best answers: a target without
the luck of the dice. So do plans that were looked at and not played, of which one a turn is kept:
the evaluator likes them too well or not well enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below, uniform
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.champion import lookahead, turn_plan
from sandtable.games.lucid.agents.champion.search import (
    Climb,
    choose_turn,
    disturb,
    new_climb,
    side_of,
)
from sandtable.games.lucid.agents.evaluator import network
from sandtable.games.lucid.agents.evaluator.bitboards import BOARDS, read_boards, turns_left
from sandtable.games.lucid.agents.evaluator.network import Floats
from sandtable.games.lucid.learning.td import settings
from sandtable.games.lucid.rules import Cells, DiceState

__all__ = ["FIELDS", "Positions", "joined", "play_some"]


@kernel
def scatter_units(position: Cells, dice: DiceState, field_red: float) -> None:
    """Turn a start into some position later in a game, with units drawn anywhere.

    Blue is scattered over the nodes without Red, Red over the top row and, with the chance
    ``field_red`` for each unit, over the whole board.
    """
    for node in range(rules.NODES):
        position[rules.BLUE + node] = 0
        position[rules.RED + node] = 0
    for _ in range(1 + below(dice, rules.RED_UNITS)):
        node = int(rules.FIRST_OF_TOP_ROW + below(dice, rules.SIDE))
        if uniform(dice) < field_red:
            node = int(below(dice, rules.NODES))
        if position[rules.RED + node] < rules.CAPACITY:
            position[rules.RED + node] += 1
    for _ in range(2 + below(dice, rules.BLUE_UNITS - 1)):
        node = int(below(dice, rules.NODES))
        if position[rules.RED + node] == 0 and position[rules.BLUE + node] < rules.CAPACITY:
            position[rules.BLUE + node] += 1
    position[rules.PLAYED] = below(dice, rules.TURNS - 4)


# --- looking ahead -------------------------------------------------------------------------------


@kernel
def choose_looking(
    look: lookahead.Lookahead, position: Cells, dice: DiceState, setting: settings.Setting
) -> float:
    """Choose a turn as the champions do; return what the evaluator thinks of the one it likes best.

    That is what a look ahead from the position before expects of this turn: the mean of the value
    and that in the mirror.
    """
    look.values[:] = lookahead.LOWEST
    lookahead.choose_ahead(
        look, position, dice, setting.tries, setting.reply_tries, setting.margin, setting.expects
    )
    liked = 0
    for index in range(len(look.values)):
        if look.values[index] > look.values[liked]:
            liked = index
    value = side_of(position) * look.values[liked]
    mirrored = turn_plan.value_in_mirror(
        look.plans[liked], look.weights, look.mirror, look.mirror_sums
    )
    return float(0.5 * (value + mirrored))


@kernel
def look_ahead(
    look: lookahead.Lookahead, position: Cells, dice: DiceState, setting: settings.Setting
) -> float:
    """Return the value of a position after a move by all that can follow in one turn."""
    copy_cells(position, look.after)
    return float(lookahead.value_ahead(look, dice, setting.reply_tries, setting.expects))


@kernel
def write_unplayed_plan(
    look: lookahead.Lookahead, dice: DiceState, record: settings.Record, place: int
) -> int:
    """Write a plan that was looked at and not chosen, if there is any; return how many (0 or 1)."""
    chosen, others = 0, -1
    for index in range(len(look.ahead)):
        others += look.ahead[index] > lookahead.LOWEST
        if look.ahead[index] > look.ahead[chosen]:
            chosen = index
    if others < 1:
        return 0
    drawn = int(below(dice, others))
    for index in range(len(look.ahead)):
        if index == chosen or look.ahead[index] == lookahead.LOWEST:
            continue
        if drawn == 0:
            plan = look.plans[index]
            for board in range(BOARDS):
                record.boards[place, board] = plan[turn_plan.KEPT + board]
            record.facts[place, settings.TURNS_AFTER] = plan[turn_plan.LEFT]
            record.facts[place, settings.IN_GOAL] = plan[turn_plan.IN_GOAL]
            record.facts[place, settings.BLUE_LEFT] = plan[turn_plan.BLUE_LEFT]
            record.facts[place, settings.HOW] = settings.NOT_PLAYED
            sign = 1.0 if plan[turn_plan.SEAT] == rules.BLUE_SEAT else -1.0
            record.ahead[place] = sign * look.ahead[index]
        drawn -= 1
    return 1


# --- playing -------------------------------------------------------------------------------------


class Table(NamedTuple):
    """Who sits at the table: the learner, and networks that play against it."""

    climb: Climb
    evaluator: network.Evaluator  # of the learner
    look: lookahead.Lookahead  # of the learner
    other: lookahead.Lookahead  # of a network that plays against it
    networks: Floats  # [opponent, PARAMETERS]
    memory: NDArray[np.int64]  # of a script


@kernel
def move_as_other(
    position: Cells, dice: DiceState, table: Table, player: int, setting: settings.Setting
) -> None:
    """Make the movelets of a script or a fixed network."""
    if player <= settings.AXES_RED:
        settings.move_as_script(position, dice, player, table.memory)
        return
    weights = table.networks[player]
    if setting.other_looks:
        look = lookahead.borrow(table.other, weights)
        tries, replies, margin = setting.tries, setting.reply_tries, setting.margin
        best = lookahead.BEST_ANSWERS
        lookahead.choose_ahead(look, position, dice, tries, replies, margin, best)
        turn_plan.write_position(look.climb.plan, position)
    else:
        choose_turn(table.climb, weights, position, dice, setting.tries)
        turn_plan.write_position(table.climb.plan, position)


@kernel
def make_move(
    position: Cells, dice: DiceState, table: Table, player: int, setting: settings.Setting
) -> tuple[float, bool]:
    """Make the mover's movelets; return what the learner expects now, and whether it was disturbed.

    For a disturbed turn it is the value of the one the learner had in mind; where the best answers
    are to be learnt, a turn of anybody else counts as disturbed. What the learner expects is always
    the evaluator's word, even if it chooses by looking further.
    """
    climb, evaluator = table.climb, table.evaluator
    if player == settings.ITSELF:
        if setting.candidates > 0:
            climb = table.look.climb
            value = choose_looking(table.look, position, dice, setting)
        else:
            value = choose_turn(climb, evaluator.weights, position, dice, setting.tries)
        disturbed = uniform(dice) < setting.exploration
        if disturbed:
            disturb(climb.plan, dice, 1 + int(below(dice, 3)))
        turn_plan.write_position(climb.plan, position)
        return value, disturbed
    meant = 0.0
    if setting.best_answers and setting.candidates == 0:
        meant = choose_turn(climb, evaluator.weights, position, dice, setting.tries)
    move_as_other(position, dice, table, player, setting)
    if setting.best_answers:
        return meant, True
    value = network.evaluate(position, evaluator)
    if setting.candidates > 0:
        value = 0.5 * (value + network.evaluate_mirrored(position, evaluator))
    return value, False


@kernel
def play_game(
    position: Cells,
    dice: DiceState,
    table: Table,
    setting: settings.Setting,
    record: settings.Record,
) -> int:
    """Play a game; record all positions after moves, and return how many."""
    luck = np.zeros(len(rules.LUCK_NAMES))
    scratch = np.zeros(BOARDS, dtype=np.int64)
    table.memory[:] = 0
    rules.start(position, dice)
    if uniform(dice) < setting.scattered:
        scatter_units(position, dice, setting.field_red)
    blue_player, red_player = setting.blue, setting.red
    if setting.blue == settings.ITSELF and setting.red == settings.ITSELF:
        if setting.pool.anybody > 0:
            blue_player, red_player = settings.draw_players(setting.pool, len(table.networks), dice)
        else:
            blue_player = settings.draw_blue(setting.pool, len(table.networks), dice)
    count = 0
    while position[rules.MOVER] != rules.OVER:
        player = blue_player if position[rules.MOVER] == rules.BLUE_SEAT else red_player
        value, disturbed = make_move(position, dice, table, player, setting)
        if setting.candidates > 0 and player == settings.ITSELF:
            count += write_unplayed_plan(table.look, dice, record, count)
        blue = read_boards(position, scratch, 0)
        copy_cells(scratch, record.boards[count])
        record.facts[count, settings.TURNS_AFTER] = turns_left(position)
        record.facts[count, settings.IN_GOAL] = position[rules.GOAL]
        record.facts[count, settings.BLUE_LEFT] = blue
        record.facts[count, settings.HOW] = settings.DISTURBED if disturbed else settings.AS_MEANT
        record.values[count] = value
        if setting.candidates > 0:
            record.ahead[count] = look_ahead(table.look, position, dice, setting)
        elif count > 0:
            record.ahead[count - 1] = value
        count += 1
        rules.end_turn(position, dice, luck)
    if setting.candidates == 0:
        record.ahead[count - 1] = position[rules.GOAL]
    return count


@kernel
def write_targets(record: settings.Record, count: int, trace: float, targets: Floats) -> None:
    """Write the lambda-returns of a game's positions.

    A record has what each position is worth by the next turn: the value that followed it, or the
    mean of all values that could have followed. In the second case the luck of the dice is not in
    the target at all, only what the evaluator got wrong in later turns.
    """
    surplus = 0.0
    for back in range(count):
        index = count - 1 - back
        how = record.facts[index, settings.HOW]
        if how == settings.NOT_PLAYED:
            targets[index] = record.ahead[index]
            continue
        target = record.ahead[index] + surplus
        targets[index] = target
        mix = 0.0 if how == settings.DISTURBED else trace
        surplus = mix * (target - record.values[index])


@kernel
def play_match(
    key: np.uint64,
    first: int,
    parameters: Floats,
    networks: Floats,
    setting: settings.Setting,
    record: settings.Record,
    targets: Floats,
    scores: Cells,
) -> int:
    """Play games number first, first + 1, ..., as many as there are scores.

    Return how many positions were written.
    """
    memory = np.zeros(settings.SCRATCH, dtype=np.int64)
    look = lookahead.new_lookahead(parameters, max(1, setting.candidates), networks[settings.RIVAL])
    other = lookahead.new_lookahead(parameters, max(1, setting.candidates), parameters)
    table = Table(new_climb(), network.new_evaluator(parameters), look, other, networks, memory)
    dice = np.zeros(4, dtype=np.uint64)
    position = np.empty(rules.POSITION_SIZE, dtype=np.int16)
    kept = 0
    for game in range(len(scores)):
        dice[0], dice[1], dice[2] = key, first + game, 0
        game_record = settings.Record(
            record.boards[kept:], record.facts[kept:], record.values[kept:], record.ahead[kept:]
        )
        count = play_game(position, dice, table, setting, game_record)
        scores[game] = position[rules.GOAL]
        write_targets(game_record, count, setting.trace, targets[kept:])
        kept += count
    return kept


@dataclass
class Positions:
    """What some games leave to learn from."""

    boards: NDArray[np.int32]  # [position, board]
    facts: Cells  # [position, fact]
    targets: Floats  # [position] the score to be expected
    scores: Cells  # [game]


FIELDS = ("boards", "facts", "targets", "scores")


def play_some(
    key: int,
    first: int,
    count: int,
    parameters: Floats,
    networks: Floats,
    setting: settings.Setting,
) -> Positions:
    """Play games number first, first + 1, ... of a stream of dice.

    ``networks`` [opponent, PARAMETERS] are those that the learner may meet.
    """
    room = (
        count * rules.TURNS * (2 if setting.candidates > 0 else 1)
    )  # plans not played need some too
    record = settings.Record(
        np.empty((room, BOARDS), dtype=np.int32),
        np.empty((room, settings.FACTS), dtype=np.int16),
        np.empty(room, dtype=np.float32),
        np.empty(room, dtype=np.float32),
    )
    targets = np.empty(room, dtype=np.float32)
    scores = np.empty(count, dtype=np.int16)
    kept = play_match(np.uint64(key), first, parameters, networks, setting, record, targets, scores)
    boards, facts = record.boards[:kept].copy(), record.facts[:kept].copy()
    return Positions(boards, facts, targets[:kept].copy(), scores)


def joined(parts: list[Positions]) -> Positions:
    """Put positions one after the other."""
    return Positions(*(np.concatenate([getattr(part, name) for part in parts]) for name in FIELDS))
