"""Fictitious play for Gravwell: everybody answers best to what everybody has played so far.

Read from top to bottom. After every turn all cards that were held and the one that was played are
counted for every seat; who held what is known at the latest when the round is over. Everything
follows from the seed, game by game. Its results: docs/games/gravwell/q-learning.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import stream_key, training_seed
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.decision_tree.described import act as act_by_tree
from sandtable.games.gravwell.agents.decision_tree.described import sets_back
from sandtable.games.gravwell.agents.fictitious_play.agent import beliefs_bytes
from sandtable.games.gravwell.agents.fictitious_play.response import (
    Beliefs,
    new_beliefs,
    weigh_cards,
)
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.learning.q_learning.games import act_of_opponent
from sandtable.games.gravwell.rules.drafting import holds
from sandtable.games.gravwell.rules.kernels import apply, hide, score, start, turn
from sandtable.games.gravwell.rules.movement import direction_of
from sandtable.learning.checkpoints import Arrays, write_whole
from sandtable.learning.config import RunConfig, config_field
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run, notes_of, trained
from sandtable.registry import make_game

__all__ = ["PRESETS", "RECIPE", "FictitiousPlayConfig", "export", "play_block", "train"]

BELIEFS_FILE = "beliefs.safetensors"
OTHERS = ("self", "random")
PURPOSES = ("game", "fictitious play")


@dataclass(frozen=True)
class FictitiousPlayConfig(RunConfig):
    """What can be chosen about a run."""

    seed: int = config_field(0, "everything follows from it", least=0)
    games: int = config_field(2000, "games to count in", least=1, extendable=True)
    block: int = config_field(100, "games between checkpoints and lines of the log", least=1)
    samples: int = config_field(16, "deals looked at for a card", least=1)
    others: str = config_field(
        "self", "who is watched: all players alike, or random", choices=OTHERS
    )
    players: int = config_field(4, "players in a game", least=2, most=4)
    tractor: str = config_field("true", "true, or inert as in the published games")

    def check(self) -> None:
        """Refuse games that there are not."""
        make_game(self.game)

    @property
    def game(self) -> str:
        """The game that is played."""
        return f"gravwell:players={self.players},tractor={self.tractor}"


PRESETS = {"self-play": FictitiousPlayConfig()}


@kernel
def count_cards(position: NDArray[np.int16], seat: int, card: int, beliefs: Beliefs) -> None:
    """Count what a seat holds and what it is about to play."""
    situation, turn_number = 1 + direction_of(position, seat), position[layout.TURN]
    for other in range(CARDS):
        beliefs.held[situation, turn_number, other] += holds(position, seat, other)
    beliefs.played[situation, turn_number, card] += 1.0


@kernel
def play_games(
    first: int,
    blank: NDArray[np.int16],
    keys: NDArray[np.uint64],
    beliefs: Beliefs,
    samples: int,
    watched: int,
    results: NDArray[np.float64],
) -> None:
    """Play games number first, first + 1, ...; the first seat's share of the win comes back.

    ``watched`` is 0 for all alike; with 1 the others are random players, and only they are counted.
    """
    position, view = np.empty_like(blank), np.empty_like(blank)
    before = new_copy(beliefs)  # of this turn: choices are made at the same time
    dice = np.zeros((2, 4), dtype=np.uint64)
    actions, worth = np.empty(4, dtype=np.int16), np.empty(CARDS)
    scores = np.zeros(layout.MOST_PLAYERS)
    for game in range(len(results)):
        for stream in range(2):
            dice[stream, 0] = keys[stream]
            dice[stream, 1] = first + game
            dice[stream, 2] = 0
        copy_cells(blank, position)
        start(position, dice[0])
        copy_beliefs(beliefs, before)
        while True:
            seat = turn(position)
            if seat == layout.OVER:
                break
            copy_cells(position, view)
            hide(view, seat)
            phase, counted = view[layout.PHASE], watched == 0 or seat > 0
            if watched == 1 and seat > 0:
                action = act_of_opponent(0, view, seat, dice[1], actions)
            elif phase == layout.PLAYING:
                action = weigh_cards(view, seat, before, samples, dice[1], worth)
            else:
                act_by_tree(view, dice[1], np.empty(0, np.int64), np.empty(0), actions)
                action = int(actions[0])
            if counted and phase == layout.PLAYING:
                count_cards(position, seat, action, beliefs)
            elif counted and phase == layout.STOPPING:
                back = sets_back(view, seat, layout.as_int64(view[layout.CURRENT]))
                beliefs.asked[int(back)] += 1.0
                beliefs.stopped[int(back)] += action == layout.STOP
            apply(position, action, dice[0])
        score(position, scores)
        results[game] = scores[0]


@kernel
def new_copy(beliefs: Beliefs) -> Beliefs:
    """Copy beliefs."""
    return Beliefs(
        beliefs.played.copy(), beliefs.held.copy(), beliefs.stopped.copy(), beliefs.asked.copy()
    )


@kernel
def copy_beliefs(beliefs: Beliefs, other: Beliefs) -> None:
    """Copy beliefs into others: those of a game are the ones it began with."""
    situations, turns, _ = beliefs.held.shape
    for situation in range(situations):
        for turn_number in range(turns):
            copy_cells(beliefs.played[situation, turn_number], other.played[situation, turn_number])
            copy_cells(beliefs.held[situation, turn_number], other.held[situation, turn_number])
    copy_cells(beliefs.stopped, other.stopped)
    copy_cells(beliefs.asked, other.asked)


def play_block(
    config: FictitiousPlayConfig, beliefs: Beliefs, first: int, count: int
) -> NDArray[np.float64]:
    """Count in games number first, first + 1, ...; return the first seat's shares of the win."""
    blank = make_game(config.game).empty_position()
    keys = np.array(
        [stream_key(training_seed(config.seed), purpose) for purpose in PURPOSES], dtype=np.uint64
    )
    results = np.zeros(count)
    watched = OTHERS.index(config.others)
    play_games(first, blank, keys, beliefs, config.samples, watched, results)
    return results


class Counted:
    """The beliefs of a run, and how many games they come from."""

    def __init__(self) -> None:
        self.beliefs = new_beliefs()
        self.counters = {"games": 0}

    def arrays(self) -> Arrays:
        """Return the counts by name."""
        return self.beliefs._asdict()

    def restore(self, arrays: Arrays) -> None:
        """Go back to such counts."""
        for name, counts in self.beliefs._asdict().items():
            counts[:] = arrays[name]


def train(config: FictitiousPlayConfig, folder: Path, control: Control) -> bool:
    """Run from the beginning or from the checkpoint in the folder; return whether it finished."""
    with Run(config, folder, control, seconds_between_saves=0.0) as run:
        state = run.attach(Counted())
        while state.counters["games"] < config.games:
            if control.must_stop():
                return False
            done = state.counters["games"]
            count = min(config.block, config.games - done)
            before = new_copy(state.beliefs)
            results = play_block(config, state.beliefs, done, count)
            state.counters["games"] += count
            run.report(metrics_of(results, before, state.beliefs, done + count))
    return True


def metrics_of(
    results: NDArray[np.float64], before: Beliefs, beliefs: Beliefs, done: int
) -> Metrics:
    """Return what is worth knowing about a block: also how far it has moved the frequencies."""
    shares = [(each.played + 1) / (each.held + 6) for each in (before, beliefs)]
    moved = float(np.abs(shares[1] - shares[0]).mean())
    return {
        "game": done - 1,
        "win_rate": round(float(results.mean()), 4),
        "moved": round(moved, 5),
    }


def progress_line(metrics: Metrics) -> str:
    """Write in a few words how it goes.

    >>> progress_line({"win_rate": 0.25, "moved": 0.00123})
    'frequencies moved by 0.0012'
    """
    return f"frequencies moved by {metrics['moved']:.4f}"


def export(folder: Path) -> str:
    """Write the beliefs for playing from the newest checkpoint."""
    checkpoint = trained(folder)
    counts = {name: checkpoint.arrays[name] for name in Beliefs._fields}
    notes = notes_of(checkpoint) | {"games_done": str(checkpoint.counters["games"])}
    path = folder / BELIEFS_FILE
    write_whole(path, beliefs_bytes(Beliefs(**counts), notes))
    return f"beliefs written to {path}; play with gravwell/fictitious-play:beliefs={path}"


RECIPE = Recipe(
    summary="fictitious play for gravwell/fictitious-play",
    presets=PRESETS,
    train=train,
    export=export,
    progress_line=progress_line,
)
