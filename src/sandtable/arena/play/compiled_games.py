"""Whole games inside one kernel, for agents that can act there."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, CompiledPolicy
from sandtable.compiled import copy_cells, kernel, placeholder, specialise
from sandtable.dice import stream_key
from sandtable.types import OVER, Game, Rules

__all__ = ["PlayedGames", "play_games", "policies"]

MOST_SEATS = 4

# What the templates below are specialised with.
start = turn = hide = apply = advance = score = measure = placeholder
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


def run_games(
    first: int,
    blank: NDArray[np.int16],
    keys: NDArray[np.uint64],
    order: NDArray[np.int64],
    memories: NDArray[np.int64],
    constants_0: Any,
    constants_1: Any,
    constants_2: Any,
    constants_3: Any,
    actions: NDArray[np.int16],
    lengths: NDArray[np.int64],
    finals: NDArray[np.int16],
    scores: NDArray[np.float64],
    luck: NDArray[np.float64],
    measures: NDArray[np.float64],
) -> int:
    """Play game after game; return how many were finished (fewer: a policy broke the rules).

    Shapes: keys [1 + seats] of the dice streams (game, then seats), order [seat] number of the
    agent there, memories [agent, cell], and those of PlayedGames; with one row for actions and
    finals they are not kept. Constants are of any kind, so every agent has an argument for its own.
    """
    longest = actions.shape[1]
    position, view = np.empty_like(blank), np.empty_like(blank)
    chosen = np.empty(longest + 1, dtype=np.int16)
    # By agent. Rows are taken once, since that takes longer than many an agent thinks.
    memory = np.empty((MOST_SEATS, memories.shape[1]), dtype=np.int64)
    memory_0, memory_1, memory_2, memory_3 = memory[0], memory[1], memory[2], memory[3]
    dice = np.empty((1 + MOST_SEATS, 4), dtype=np.uint64)
    game_dice, dice_0, dice_1, dice_2, dice_3 = dice[0], dice[1], dice[2], dice[3], dice[4]
    for game in range(len(scores)):
        row = game if len(actions) > 1 else 0
        played, game_luck = actions[row], luck[game]
        begin_agents(dice, keys, order, first + game, memory, memories)
        copy_cells(blank, position)
        start(position, game_dice)
        length = 0
        while True:
            seat = np.int64(turn(position))  # one width, or kernels are compiled once for each
            if seat == OVER:
                break
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
            if count < 1 or length + count > longest:
                return game
            for index in range(count):
                advance(position, np.int64(chosen[index]), game_dice, game_luck)
                played[length] = chosen[index]
                length += 1
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


@functools.cache
def game_runner(game_name: str, rules: Rules, acts: tuple[Any, ...]) -> Any:
    """Compile the loop for one game and its agents."""
    advance_kernel = rules.apply_with_luck
    if advance_kernel is None:
        advance_kernel = specialise(apply_without_luck, game_name, apply=rules.apply)
    measure_kernel = rules.measure
    if measure_kernel is None:
        measure_kernel = specialise(measure_nothing, game_name)
    filled = [acts[min(agent, len(acts) - 1)] for agent in range(MOST_SEATS)]
    by_agent = {f"act_{agent}": act for agent, act in enumerate(filled)}
    return specialise(
        run_games,
        game_name,
        start=rules.start,
        turn=rules.turn,
        hide=rules.hide,
        score=rules.score,
        measure=measure_kernel,
        advance=advance_kernel,
        **by_agent,
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
    cells = max(len(policy.memory) for policy in agents)
    memories = np.zeros((seats, cells), dtype=np.int64)
    for agent, policy in enumerate(agents):
        memories[agent, : len(policy.memory)] = policy.memory
    rows = count if keep else 1
    actions = np.zeros((max(rows, 1), game.max_actions), dtype=np.int16)
    finals = np.zeros((max(rows, 1), game.position_size), dtype=np.int16)
    lengths = np.zeros(count, dtype=np.int64)
    scores = np.zeros((count, seats))
    luck = np.zeros((count, len(game.luck)))
    measures = np.zeros((count, seats, len(game.measures)))
    keys = np.array([stream_key(seed, purpose) for purpose in purposes], dtype=np.uint64)
    runner = game_runner(game.name, game.rules, tuple(policy.act for policy in agents))
    blank = game.empty_position()
    constants = [agents[min(agent, seats - 1)].constants for agent in range(MOST_SEATS)]
    results = (actions, lengths, finals, scores, luck, measures)
    finished = runner(first, blank, keys, placed, memories, *constants, *results)
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
