"""Whole games inside one kernel, for agents that can act there."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, CompiledPolicy
from sandtable.compiled import copy_cells, kernel, placeholder, specialise
from sandtable.dice import stream_key
from sandtable.types import OVER, Game, Rules

__all__ = ["PlayedGames", "SeatedPolicies", "play_games", "playing_on", "policies"]

MOST_SEATS = 4
BROKEN = -1  # the length of a game in which a policy gave no move, or too many

# What the templates below are specialised with.
start = turn = hide = apply = advance = slip = play_on = score = measure = placeholder
act_0 = act_1 = act_2 = act_3 = placeholder


def apply_without_luck(
    position: NDArray[np.int16],
    action: int,
    dice: NDArray[np.uint64],
    luck: NDArray[np.float64],
) -> None:
    """Play an action of a game that does not count luck."""
    apply(position, action, dice)


def measure_nothing(position: NDArray[np.int16], values: NDArray[np.float64]) -> None:
    """Stand for the measures of a game that has none."""


@kernel
def begin_agents(
    dice: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    order: NDArray[np.int64],
    number: int,
    memory: NDArray[np.int64],
    memories: NDArray[np.int64],
) -> None:
    """Let all agents forget, and begin the streams: row 0 is the game's, then the agents'."""
    for stream in range(len(keys)):
        row = 1 + order[stream - 1] if stream > 0 else 0
        dice[row, 0] = keys[stream]
        dice[row, 1] = number
        dice[row, 2] = 0
    for agent in range(len(memories)):
        copy_cells(memories[agent], memory[agent])


def never_slip(
    position: NDArray[np.int16],
    game_dice: NDArray[np.uint64],
    slip_dice: NDArray[np.uint64],
    slips: float,
) -> bool:
    """Stand for slips where agents make none."""
    return False


def play_to_end(
    position: NDArray[np.int16],
    order: NDArray[np.int64],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: tuple[Any, ...],
    luck: NDArray[np.float64],
    played: NDArray[np.int16],
    view: NDArray[np.int16],
    chosen: NDArray[np.int16],
    slip_dice: NDArray[np.uint64],
    slips: float,
) -> int:
    """Let the agents play until the game is over; return how many actions, or BROKEN.

    It is as ``begin_agents`` has left it; ``view`` and ``chosen`` are scratch, and all that is
    played is written to ``played``, but for slips. Constants are of any kind, so each agent has
    names for its own.
    """
    # Rows are taken once, since that takes longer than many an agent thinks.
    memory_0, memory_1, memory_2, memory_3 = memory[0], memory[1], memory[2], memory[3]
    game_dice, dice_0, dice_1, dice_2, dice_3 = dice[0], dice[1], dice[2], dice[3], dice[4]
    constants_0, constants_1, constants_2, constants_3 = constants
    length = 0
    while True:
        seat = np.int64(turn(position))  # one width, or kernels are compiled once for each
        if seat == OVER:
            return length
        if slip(position, game_dice, slip_dice, slips):
            continue
        copy_cells(position, view)
        hide(view, seat)
        agent = order[seat]
        if agent == 0:
            count = act_0(view, dice_0, memory_0, constants_0, chosen)
        elif agent == 1:
            count = act_1(view, dice_1, memory_1, constants_1, chosen)
        elif agent == 2:
            count = act_2(view, dice_2, memory_2, constants_2, chosen)
        else:
            count = act_3(view, dice_3, memory_3, constants_3, chosen)
        if count < 1 or length + count > len(played):
            return BROKEN
        for index in range(count):
            advance(position, np.int64(chosen[index]), game_dice, luck)
            played[length] = chosen[index]
            length += 1


def run_games(
    first: int,
    blank: NDArray[np.int16],
    keys: NDArray[np.uint64],
    order: NDArray[np.int64],
    memories: NDArray[np.int64],
    constants: tuple[Any, ...],
    actions: NDArray[np.int16],
    lengths: NDArray[np.int64],
    finals: NDArray[np.int16],
    scores: NDArray[np.float64],
    luck: NDArray[np.float64],
    measures: NDArray[np.float64],
) -> int:
    """Play game after game; return how many were finished (fewer: a policy broke the rules).

    Shapes: keys [1 + seats] of the dice streams (game, then seats), order [seat] number of the
    agent there, memories [agent, cell], constants [agent], and those of PlayedGames; with one row
    for actions and finals they are not kept.
    """
    position, view = np.empty_like(blank), np.empty_like(blank)
    chosen = np.empty(actions.shape[1] + 1, dtype=np.int16)
    memory = np.empty((MOST_SEATS, memories.shape[1]), dtype=np.int64)  # by agent, as dice from 1
    dice = np.empty((1 + MOST_SEATS, 4), dtype=np.uint64)
    for game in range(len(scores)):
        row = game if len(actions) > 1 else 0
        begin_agents(dice, keys, order, first + game, memory, memories)
        copy_cells(blank, position)
        start(position, dice[0])
        length = play_on(
            position,
            order,
            dice,
            memory,
            constants,
            luck[game],
            actions[row],
            view,
            chosen,
            dice[0],
            0.0,
        )
        if length == BROKEN:
            return game
        score(position, scores[game])
        measure(position, measures[game])
        lengths[game] = length
        copy_cells(position, finals[row])
    return len(scores)


@dataclass(frozen=True)
class PlayedGames:
    """The results of consecutive games, one row a game."""

    scores: NDArray[np.float64]  # [game, seat]
    luck: NDArray[np.float64]  # [game, term]
    measures: NDArray[np.float64]  # [game, seat, measure]
    lengths: NDArray[np.int64]  # [game] number of actions
    actions: NDArray[np.int16] | None  # [game, longest], if kept
    finals: NDArray[np.int16] | None  # [game, position], if kept


def policies(game: Game, agents: Sequence[Agent]) -> list[CompiledPolicy] | None:
    """Return the compiled policies of all agents, or None if some agent has none."""
    found = [agent.policy(game) for agent in agents]
    complete = [policy for policy in found if policy is not None]
    return complete if len(complete) == len(agents) <= MOST_SEATS else None


class SeatedPolicies(NamedTuple):
    """The policies of agents as loops over games take them."""

    acts: tuple[Any, ...]
    memories: NDArray[np.int64]  # [agent, cell] as a game begins
    constants: tuple[Any, ...]  # of as many as there are at most: the last stands for those beyond

    @classmethod
    def of(cls, agents: Sequence[CompiledPolicy]) -> SeatedPolicies:
        """Put policies side by side."""
        cells = max(len(policy.memory) for policy in agents)
        memories = np.zeros((len(agents), cells), dtype=np.int64)
        for row, policy in zip(memories, agents, strict=True):
            row[: len(policy.memory)] = policy.memory
        last = len(agents) - 1
        constants = tuple(agents[min(agent, last)].constants for agent in range(MOST_SEATS))
        return cls(tuple(policy.act for policy in agents), memories, constants)


def playing_on(
    name: str,
    rules: Rules,
    acts: tuple[Any, ...],
    advance_kernel: Any = None,
    slipping: Any = None,
    absorbed: bool = False,
) -> Any:
    """Compile how agents play to the end of a game, perhaps with luck counted, or with slips."""
    filled = [acts[min(agent, len(acts) - 1)] for agent in range(MOST_SEATS)]
    return specialise(
        play_to_end,
        name,
        absorbed=absorbed,
        turn=rules.turn,
        hide=rules.hide,
        advance=advance_kernel or specialise(apply_without_luck, name, apply=rules.apply),
        slip=slipping or specialise(never_slip, name, inline=True),
        **{f"act_{agent}": act for agent, act in enumerate(filled)},
    )


@functools.cache
def game_runner(game_name: str, rules: Rules, acts: tuple[Any, ...]) -> Any:
    """Compile the loop for one game and its agents."""
    measure_kernel = rules.measure
    if measure_kernel is None:
        measure_kernel = specialise(measure_nothing, game_name)
    return specialise(
        run_games,
        game_name,
        start=rules.start,
        score=rules.score,
        measure=measure_kernel,
        play_on=playing_on(game_name, rules, acts, rules.apply_with_luck, absorbed=True),
    )


def play_games(
    game: Game,
    agents: Sequence[CompiledPolicy],
    seed: int,
    first: int,
    count: int,
    keep: bool,
    order: Sequence[int] | None = None,
) -> PlayedGames:
    """Play games number first, first + 1, ... of a seed, and ``keep`` what records need.

    ``order`` says which of the agents sits in each seat (None: they are given in seat order);
    one compiled loop serves every order.
    """
    seats = len(agents)
    placed = np.arange(seats) if order is None else np.array(order, dtype=np.int64)
    purposes = ["game", *(f"agent {seat}" for seat in range(seats))]
    seated = SeatedPolicies.of(agents)
    rows = count if keep else 1
    actions = np.zeros((max(rows, 1), game.max_actions), dtype=np.int16)
    finals = np.zeros((max(rows, 1), game.position_size), dtype=np.int16)
    lengths = np.zeros(count, dtype=np.int64)
    scores = np.zeros((count, seats))
    luck = np.zeros((count, len(game.luck)))
    measures = np.zeros((count, seats, len(game.measures)))
    keys = np.array([stream_key(seed, purpose) for purpose in purposes], dtype=np.uint64)
    runner = game_runner(game.name, game.rules, seated.acts)
    blank = game.empty_position()
    results = (actions, lengths, finals, scores, luck, measures)
    finished = runner(first, blank, keys, placed, seated.memories, seated.constants, *results)
    if finished != count:
        raise RuntimeError(
            f"game {first + finished} of {game.name}: a compiled policy gave no move"
        )
    return PlayedGames(
        scores=scores,
        luck=luck,
        measures=measures,
        lengths=lengths,
        actions=actions if keep else None,
        finals=finals if keep else None,
    )
