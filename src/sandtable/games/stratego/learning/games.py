"""The games from which the networks of Stratego learn: who plays, moves seen, positions labelled.

Games are replayed from their actions: for the network of moves every move is an example, for that
of values a few positions of each game, labelled by random games.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent
from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.compiled import copy_cells, kernel
from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.square_codes import TURNED_MOVES, write_codes
from sandtable.games.stratego.rules.kernels import apply, guess, hide, play_out, start
from sandtable.registry import make_agent, make_game
from sandtable.types import Game

__all__ = [
    "Drawn",
    "Games",
    "label_positions",
    "moves_of",
    "play_some",
    "positions_of",
    "rules_of",
    "take_results",
]

Games = list[NDArray[np.int16]]  # the actions of every game


class Drawn(NamedTuple):
    """Some positions of a game, and how it ended."""

    positions: NDArray[np.int16]  # [position, POSITION_SIZE]
    winner: int  # 1 + seat, or 0


MOST_PLIES = 30_000  # of a random game: it ends before by its own rules


LONGEST = 30_000  # moves of a game that ends as in the paper: a bound that games hardly reach


def rules_of(
    number: int, long_share: float, variant: str = "classic", ends: str = "tournament"
) -> Game:
    """Return the rules of a game: an even share of all have long scouts."""
    long = int((number + 1) * long_share) > int(number * long_share)
    options = [] if long else ["long_scouts=false"]
    options += [f"variant={variant}"] if variant != "classic" else []
    options += [f"ends={ends},max_plies={LONGEST}"] if ends != "tournament" else []
    return make_game(":".join(filter(None, ("stratego", ",".join(options)))))


def play_some(game: Game, specs: Sequence[str], seed: int, numbers: range, noise: float) -> Games:
    """Play games between two agents; with the chance ``noise`` a move is drawn at random.

    Agents with a kernel play inside it if there is no noise; the games are the same ones then.
    """
    agents = [make_agent(spec) for spec in specs]
    compiled = policies(game, agents)
    if compiled is None or noise > 0:
        return [play_one(game, agents, seed, number, noise) for number in numbers]
    played = play_games(game, compiled, seed, numbers.start, len(numbers), keep=True)
    assert played.actions is not None
    return [row[:length].copy() for row, length in zip(played.actions, played.lengths, strict=True)]


def play_one(
    game: Game, agents: Sequence[Agent], seed: int, number: int, noise: float
) -> NDArray[np.int16]:
    """Play one game in Python."""
    dice = [Dice(seed, f"agent {seat}", number) for seat in range(2)]
    strays = Dice(seed, "noise", number)
    state = game.start(Dice(seed, "game", number))
    for seat, agent in enumerate(agents):
        agent.begin(game, seat, dice[seat])
    actions: list[int] = []
    while (seat := state.turn) != layout.OVER:
        if noise > 0 and strays.uniform() < noise:
            legal = state.legal
            action = legal[strays.below(len(legal))]
        else:
            choice = agents[seat].choose(state.view(seat), dice[seat])
            action = int(choice) if isinstance(choice, int) else int(choice[0])
        actions.append(action)
        state = state.play(action)
    return np.array(actions, dtype=np.int16)


@kernel
def turn_back(codes: NDArray[np.uint8]) -> None:
    """Turn a board that was turned for Blue."""
    last = len(codes) - 1
    for place in range(len(codes) // 2):
        codes[place], codes[last - place] = codes[last - place], codes[place]


@kernel
def write_moves(
    position: NDArray[np.int16],
    actions: NDArray[np.int16],
    dice: NDArray[np.uint64],
    turned: bool,
    codes: NDArray[np.uint8],
    choices: NDArray[np.int16],
) -> None:
    """Replay a game; write what the mover saw before each move, and the move as it saw it."""
    board = layout.board_of(position)
    for index in range(len(actions)):
        seat, action = layout.as_int64(position[layout.MOVER]), layout.as_int64(actions[index])
        write_codes(position, seat, False, codes[index])
        choices[index] = action if seat == layout.RED else TURNED_MOVES[board, action]
        if seat != layout.RED and not turned:
            turn_back(codes[index])
            choices[index] = action
        apply(position, action, dice)


def moves_of(
    game: Game, seed: int, numbers: range, games: Games, turned: bool = True
) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """Return boards [move, 100] and moves [move] of games that need no set-up."""
    squares = game.board_shape[0] * game.board_shape[1]
    codes, choices = [], []
    for number, actions in zip(numbers, games, strict=True):
        dice = Dice(seed, "game", number).array
        position = game.empty_position()
        start(position, dice)
        codes.append(np.empty((len(actions), squares), dtype=np.uint8))
        choices.append(np.empty(len(actions), dtype=np.int16))
        write_moves(position, actions, dice, turned, codes[-1], choices[-1])
    return np.concatenate(codes), np.concatenate(choices)


@kernel
def write_positions(
    position: NDArray[np.int16],
    actions: NDArray[np.int16],
    dice: NDArray[np.uint64],
    plies: NDArray[np.int64],
    positions: NDArray[np.int16],
) -> None:
    """Replay a game; write the positions before the moves of these numbers, which ascend."""
    written = 0
    for index in range(len(actions)):
        if written < len(plies) and plies[written] == index:
            copy_cells(position, positions[written])
            written += 1
        apply(position, layout.as_int64(actions[index]), dice)


def positions_of(game: Game, seed: int, numbers: range, games: Games, count: int) -> list[Drawn]:
    """Return for each game so many of its positions, drawn evenly, or all of a short game."""
    drawn = []
    for number, actions in zip(numbers, games, strict=True):
        random = np.random.Generator(np.random.PCG64([seed, number]))
        plies = np.sort(random.permutation(len(actions))[:count])
        dice = Dice(seed, "game", number).array
        position = game.empty_position()
        start(position, dice)
        positions = np.zeros((len(plies), layout.POSITION_SIZE), dtype=np.int16)
        write_positions(position, actions, dice, plies, positions)
        drawn.append(Drawn(positions, int(position[layout.WINNER])))
    return drawn


@kernel
def count_wins(
    position: NDArray[np.int16],
    seat: int,
    playouts: int,
    dice: NDArray[np.uint64],
    counts: NDArray[np.int64],
) -> None:
    """Count the random games that a seat wins and loses, from positions that fit its view."""
    view = np.empty(layout.POSITION_SIZE, dtype=np.int16)
    drawn = np.empty(layout.POSITION_SIZE, dtype=np.int16)
    copy_cells(position, view)
    hide(view, seat)
    counts[:] = 0
    for _ in range(playouts):
        copy_cells(view, drawn)
        guess(drawn, seat, dice)
        play_out(drawn, layout.as_int64(MOST_PLIES), dice)
        if drawn[layout.WINNER] != 0:
            counts[0 if drawn[layout.WINNER] == 1 + seat else 1] += 1


@kernel
def label_positions(
    positions: NDArray[np.int16],
    seats: NDArray[np.int64],
    playouts: int,
    wanted: int,
    difference: float,
    turned: bool,
    dice: NDArray[np.uint64],
    codes: NDArray[np.uint8],
    labels: NDArray[np.float32],
) -> int:
    """Label positions [position, POSITION_SIZE] until enough are clear; return how many are.

    A label is the share of random games won by the seat less the share lost.
    """
    counts = np.zeros(2, dtype=np.int64)
    kept = 0
    for index in range(len(positions)):
        if kept == wanted:
            return kept
        seat = layout.as_int64(seats[index])
        count_wins(positions[index], seat, playouts, dice, counts)
        label = (counts[0] - counts[1]) / playouts
        if abs(label) >= difference:
            write_codes(positions[index], seat, False, codes[kept])
            if seat != layout.RED and not turned:
                turn_back(codes[kept])
            labels[kept] = label
            kept += 1
    return kept


@kernel
def take_results(
    positions: NDArray[np.int16],
    seats: NDArray[np.int64],
    winner: int,
    wanted: int,
    turned: bool,
    codes: NDArray[np.uint8],
    labels: NDArray[np.float32],
) -> int:
    """Label the first positions [position, POSITION_SIZE] by how their game ended; say how many.

    A label is 1 if the seat won the game, -1 if it lost, and 0 for a draw.
    """
    kept = min(wanted, len(positions))
    for index in range(kept):
        seat = layout.as_int64(seats[index])
        write_codes(positions[index], seat, False, codes[index])
        if seat != layout.RED and not turned:
            turn_back(codes[index])
        labels[index] = 0.0 if winner == 0 else (1.0 if winner == 1 + seat else -1.0)
    return kept
