"""Q-learning for Gravwell (Gravitas 2016, sections 2.3, 3.4 and 4.1), read from top to bottom.

The games are played in a kernel (games.py); here are the configuration,
one switch for each of the published tables and for what the paper leaves to future work, and the
run. Everything follows from the seed, game by game, so a run that was killed goes on from its last
checkpoint to exactly the same tables. Its results: docs/games/gravwell/q-learning.md.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import stream_key, training_seed
from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.q_learning.network_state import first_parameters
from sandtable.games.gravwell.agents.q_learning.states import STOP_ENTRIES, table_size
from sandtable.games.gravwell.agents.q_learning.tables import (
    DRAFTS,
    SWITCHES,
    QTables,
    tables_bytes,
)
from sandtable.games.gravwell.learning.q_learning.games import (
    OPPONENTS,
    Learning,
    Tables,
    learn_games,
)
from sandtable.learning.checkpoints import Arrays, write_whole
from sandtable.learning.config import RunConfig, config_field, config_from
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run, notes_of, trained
from sandtable.registry import make_game

__all__ = ["PRESETS", "RECIPE", "QLearningConfig", "export", "learn_block", "new_tables", "train"]

TABLES_FILE = "q-learning.safetensors"
PURPOSES = ("game", "q-learner", "q-learner's opponents")  # of the dice


@dataclass(frozen=True)
class QLearningConfig(RunConfig):
    """What can be chosen about a run; the defaults are the published settings (table 1)."""

    seed: int = config_field(0, "everything follows from it", least=0)
    games: int = config_field(40_000, "games to learn from", least=1, extendable=True)
    block: int = config_field(4000, "games between checkpoints and lines of the log", least=1)
    whole_round: bool = config_field(False, "all reward comes at the end of a round (table 2)")
    turn_in_state: bool = config_field(False, "the state has the turn of the round (table 3)")
    gamma: float = config_field(10.0, "how much more backward moves count (table 4)", least=0)
    stop: bool = config_field(True, "use and learn the Emergency Stop (table 5)")
    learning_rate: float = config_field(
        0.7, "alpha, by which an entry moves to its new value", above=0, most=1
    )
    discount: float = config_field(
        0.2, "lambda, the worth of the best card of the next turn", least=0, most=1
    )
    stop_discount: float = config_field(
        0.2, "the same for saving the Emergency Stop", least=0, most=1
    )
    temperature: float = config_field(3.0, "of the Boltzmann choice of cards, in tiles", least=0)
    stop_temperature: float = config_field(
        3.0, "of the choice to stop while learning, in tiles", least=0
    )
    play_temperature: float = config_field(3.0, "of the choice of cards after learning", least=0)
    draft: str = config_field("as-coded", "how stacks are taken", choices=DRAFTS)
    hulks: bool = config_field(False, "the state has the hulks, and no ships in the Singularity")
    enemy_cards: bool = config_field(False, "the state has the cards opponents are known to hold")
    network: bool = config_field(
        False, "a network that sees the whole table, not a table of states"
    )
    joint: bool = config_field(False, "cards together with what the nearest opponent plays")
    averaging: bool = config_field(False, "the first visits of an entry count equally")
    opponents: str = config_field("random", "who plays against the learner", choices=OPPONENTS)
    players: int = config_field(4, "players in a game", least=2, most=4)
    tractor: str = config_field("inert", "true, or inert as in the published games")

    def check(self) -> None:
        """Refuse games that there are not, and two things in the place of the table."""
        make_game(self.game)
        states = [name for name in ("turn_in_state", "hulks", "enemy_cards") if getattr(self, name)]
        if (self.network and (self.joint or states)) or (self.joint and set(states) - {"hulks"}):
            raise SandtableError(
                "--network goes with no other state, --joint only with --hulks; got "
                + ", ".join(f"--{name.replace('_', '-')}" for name in ("network", "joint", *states))
            )

    @property
    def game(self) -> str:
        """The game that is learned."""
        return f"gravwell:players={self.players},tractor={self.tractor}"

    @property
    def switches(self) -> int:
        """The switches of the state as one number."""
        return sum(bit for name, bit in SWITCHES.items() if getattr(self, name))


PUBLISHED = QLearningConfig()
PRESETS = {
    "published": PUBLISHED,
    "whole-round": dataclasses.replace(PUBLISHED, whole_round=True),
    "with-turn": dataclasses.replace(PUBLISHED, turn_in_state=True),
    "gamma-5": dataclasses.replace(PUBLISHED, gamma=5.0),
    "gamma-1": dataclasses.replace(PUBLISHED, gamma=1.0),
    "no-stop": dataclasses.replace(PUBLISHED, stop=False),
    # What section 6.3 asks for, all else as published; a network needs small steps, and rewards
    # that are not ten times as large for moves back.
    "joint": dataclasses.replace(PUBLISHED, joint=True, games=100_000),
    "network": dataclasses.replace(
        PUBLISHED, network=True, learning_rate=0.003, gamma=1.0, games=100_000
    ),
    "extended": QLearningConfig(
        games=200_000,
        block=10_000,
        gamma=1.0,
        learning_rate=0.01,
        averaging=True,
        discount=0.5,
        stop_discount=1.0,
        play_temperature=0.0,
        draft="tree",
        hulks=True,
        enemy_cards=True,
        opponents="mixed",
        tractor="true",
    ),
}


# --- one block of games --------------------------------------------------------------------------


def new_tables(config: QLearningConfig) -> Tables:
    """Begin with nothing learned."""
    cards = table_size(config.switches)
    return Tables(
        first_parameters(config.seed) if config.network else np.zeros(cards),
        np.zeros(STOP_ENTRIES),
        np.zeros(cards, dtype=np.int64),
        np.zeros(STOP_ENTRIES, dtype=np.int64),
    )


def learn_block(
    config: QLearningConfig,
    tables: Tables,
    first: int,
    count: int,
    stop_temperature: float | None = None,
) -> NDArray[np.float64]:
    """Learn from games number first, first + 1, ...; return the results [game, 3].

    They are the learner's share of the win, its end position, and the number of turns. With
    ``stop_temperature`` 0 the better of stopping and not is taken, as in the measured games.
    """
    heat = config.stop_temperature if stop_temperature is None else stop_temperature
    learning = Learning(
        switches=config.switches,
        whole_round=config.whole_round,
        gamma=config.gamma,
        stop=config.stop,
        rate=config.learning_rate,
        averaging=config.averaging,
        discount=config.discount,
        stop_discount=config.stop_discount,
        temperature=config.temperature,
        stop_temperature=heat,
        draft=DRAFTS.index(config.draft),
        opponents=OPPONENTS.index(config.opponents),
    )
    blank = make_game(config.game).empty_position()
    seed = training_seed(config.seed)
    keys = np.array([stream_key(seed, purpose) for purpose in PURPOSES], dtype=np.uint64)
    results = np.zeros((count, 3))
    learn_games(first, blank, keys, tables, learning, results)
    return results


# --- the run -------------------------------------------------------------------------------------


class LearnedTables:
    """The tables of a run, and how many games they come from."""

    def __init__(self, config: QLearningConfig) -> None:
        self.tables = new_tables(config)
        self.counters = {"games": 0}

    def arrays(self) -> Arrays:
        """Return the tables by name."""
        return self.tables._asdict()

    def restore(self, arrays: Arrays) -> None:
        """Go back to such tables."""
        for name, table in self.tables._asdict().items():
            table[:] = arrays[name]


def train(config: QLearningConfig, folder: Path, control: Control) -> bool:
    """Run from the beginning or from the checkpoint in the folder; return whether it finished."""
    with Run(config, folder, control, seconds_between_saves=0.0) as run:
        state = run.attach(LearnedTables(config))
        while state.counters["games"] < config.games:
            if control.must_stop():
                return False
            done = state.counters["games"]
            count = min(config.block, config.games - done)
            results = learn_block(config, state.tables, done, count)
            state.counters["games"] += count
            run.report(metrics_of(results, state.tables, done + count))
    return True


def metrics_of(results: NDArray[np.float64], tables: Tables, done: int) -> Metrics:
    """Return what is worth knowing about a block of games."""
    share, end, turns = (float(mean) for mean in results.mean(axis=0))
    return {
        "game": done - 1,
        "win_rate": round(share, 4),
        "end_position": round(end, 2),
        "turns": round(turns, 1),
        "entries": int((tables.card_visits > 0).sum()),  # that have been learned at least once
    }


def progress_line(metrics: Metrics) -> str:
    """Write in a few words how learning goes.

    >>> progress_line({"game": 3999, "win_rate": 0.3012})
    '30.1% of the last games won'
    """
    return f"{metrics['win_rate']:.1%} of the last games won"


def export(folder: Path) -> str:
    """Write the tables for playing from the newest checkpoint."""
    checkpoint = trained(folder)
    config = config_from(QLearningConfig, checkpoint.config, folder)
    tables = QTables(
        cards=checkpoint.arrays["cards"].astype(np.float32),
        stops=checkpoint.arrays["stops"].astype(np.float32),
        switches=config.switches,
        stop=config.stop,
        draft=config.draft,
        temperature=config.play_temperature,
    )
    notes = notes_of(checkpoint) | {"games_done": str(checkpoint.counters["games"])}
    path = folder / TABLES_FILE
    write_whole(path, tables_bytes(tables, notes))
    return f"tables written to {path}; play with gravwell/q-learning:table={path}"


RECIPE = Recipe(
    summary="Q-learning for gravwell/q-learning (tables 2 to 5 of the report, and beyond)",
    presets=PRESETS,
    train=train,
    export=export,
    progress_line=progress_line,
)
