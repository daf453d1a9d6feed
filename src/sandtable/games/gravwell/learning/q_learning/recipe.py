"""Q-learning for Gravwell (Gravitas 2016, sections 2.3, 3.4 and 4.1), read from top to bottom.

The games are played in a kernel (games.py); here are the configuration,
one switch for each of the published tables and for what the paper leaves to future work, and the
run. Everything follows from the seed, game by game, so a run that was killed goes on from its last
checkpoint to exactly the same tables. Its results: docs/games/gravwell/q-learning.md.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors  # noqa: F401 - checkpoints need it; so its absence is told before a run
from numpy.typing import NDArray

from sandtable.dice import stream_key
from sandtable.errors import SandtableError, suggestion
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
from sandtable.learning.checkpoints import Checkpoint, load_newest, save
from sandtable.learning.logs import Log
from sandtable.learning.recipes import Control, Recipe, check_same_config, config_field
from sandtable.registry import make_game

__all__ = ["PRESETS", "RECIPE", "QLearningConfig", "export", "learn_block", "new_tables", "train"]

TABLES_FILE = "q-learning.safetensors"
PURPOSES = ("game", "q-learner", "q-learner's opponents")  # of the dice


@dataclass(frozen=True)
class QLearningConfig:
    """What can be chosen about a run; the defaults are the published settings (table 1)."""

    seed: int = config_field(0, "everything follows from it")
    games: int = config_field(40_000, "games to learn from")
    block: int = config_field(4000, "games between checkpoints and lines of the log")
    whole_round: bool = config_field(False, "all reward comes at the end of a round (table 2)")
    turn_in_state: bool = config_field(False, "the state has the turn of the round (table 3)")
    gamma: float = config_field(10.0, "how much more backward moves count (table 4)")
    stop: bool = config_field(True, "use and learn the Emergency Stop (table 5)")
    learning_rate: float = config_field(0.7, "alpha, by which an entry moves to its new value")
    discount: float = config_field(0.2, "lambda, the worth of the best card of the next turn")
    stop_discount: float = config_field(0.2, "the same for saving the Emergency Stop")
    temperature: float = config_field(3.0, "of the Boltzmann choice of cards, in tiles")
    stop_temperature: float = config_field(3.0, "of the choice to stop while learning, in tiles")
    play_temperature: float = config_field(3.0, "of the choice of cards after learning")
    draft: str = config_field("as-coded", f"how stacks are taken: {', '.join(DRAFTS)}")
    hulks: bool = config_field(False, "the state has the hulks, and no ships in the Singularity")
    enemy_cards: bool = config_field(False, "the state has the cards opponents are known to hold")
    averaging: bool = config_field(False, "the first visits of an entry count equally")
    opponents: str = config_field("random", f"one of {', '.join(OPPONENTS)}")
    players: int = config_field(4, "2 to 4")
    tractor: str = config_field("inert", "true, or inert as in the published games")

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
        np.zeros(cards),
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
    blank = make_game(
        f"gravwell:players={config.players},tractor={config.tractor}"
    ).empty_position()
    keys = np.array([stream_key(config.seed, purpose) for purpose in PURPOSES], dtype=np.uint64)
    results = np.zeros((count, 3))
    learn_games(first, blank, keys, tables, learning, results)
    return results


# --- the run -------------------------------------------------------------------------------------


def train(config: QLearningConfig, folder: Path, control: Control) -> bool:
    """Run from the beginning or from the checkpoint in the folder; return whether it finished.

    The line of the log comes before the checkpoint: a line whose checkpoint was never written is
    dropped when the run goes on, and the games of its block are played again, equally.
    """
    check_config(config)
    folder.mkdir(parents=True, exist_ok=True)
    tables, done, lines = resume(config, folder, control)
    log = Log(folder, dataclasses.asdict(config), lines)
    try:
        while done < config.games:
            if control.must_stop():
                return False
            count = min(config.block, config.games - done)
            results = learn_block(config, tables, done, count)
            done, lines = done + count, lines + 1
            facts = facts_of(results, tables, done)
            log.write(facts)
            save(folder, checkpoint_of(config, tables, done, lines))
            control.tell(facts | {"news": f"{facts['win_rate']:.1%} of the last {count} won"})
        return True
    finally:
        log.close()


def check_config(config: QLearningConfig) -> None:
    """Refuse what makes no sense."""
    for name in ("games", "block"):
        if getattr(config, name) < 1:
            raise SandtableError(f"{name} is at least 1, got {getattr(config, name)}")
    for name in ("temperature", "stop_temperature", "play_temperature", "gamma"):
        if not 0 <= getattr(config, name) < math.inf:
            raise SandtableError(f"{name} is 0 or more, got {getattr(config, name)}")
    for name in ("discount", "stop_discount"):
        if not 0 <= getattr(config, name) <= 1:
            raise SandtableError(f"{name} lies between 0 and 1, got {getattr(config, name)}")
    if not 0 < config.learning_rate <= 1 or config.seed < 0:
        raise SandtableError("learning_rate lies above 0 and at most at 1, seed is 0 or more")
    for name, known in (("draft", DRAFTS), ("opponents", OPPONENTS)):
        value = getattr(config, name)
        if value not in known:
            raise SandtableError(
                f"{name} is one of {', '.join(known)}, got '{value}'." + suggestion(value, known)
            )
    make_game(f"gravwell:players={config.players},tractor={config.tractor}")  # or it says what


def facts_of(results: NDArray[np.float64], tables: Tables, done: int) -> dict[str, Any]:
    """Return what is worth telling about a block of games."""
    share, end, turns = (float(mean) for mean in results.mean(axis=0))
    return {
        "game": done - 1,
        "win_rate": round(share, 4),
        "end_position": round(end, 2),
        "turns": round(turns, 1),
        "entries": int((tables.card_visits > 0).sum()),  # that have been learned at least once
    }


def checkpoint_of(config: QLearningConfig, tables: Tables, done: int, lines: int) -> Checkpoint:
    """Put everything a run needs to go on into a checkpoint."""
    counters = {"games": done, "lines": lines}
    return Checkpoint(dataclasses.asdict(config), counters, tables._asdict())


def resume(config: QLearningConfig, folder: Path, control: Control) -> tuple[Tables, int, int]:
    """Return the tables, the number of games and the number of lines to go on from."""
    checkpoint, warning = load_newest(folder)
    if warning:
        control.warn(warning)
    if checkpoint is None:
        return new_tables(config), 0, 0
    check_same_config(folder, config, checkpoint.config)
    tables = Tables(*(np.array(checkpoint.arrays[name]) for name in Tables._fields))
    return tables, checkpoint.counters["games"], checkpoint.counters["lines"]


def export(folder: Path) -> str:
    """Write the tables for playing from the newest checkpoint."""
    checkpoint, _ = load_newest(folder)
    if checkpoint is None:
        raise SandtableError(f"there is no checkpoint in {folder}")
    config = QLearningConfig(**checkpoint.config)
    tables = QTables(
        cards=checkpoint.arrays["cards"].astype(np.float32),
        stops=checkpoint.arrays["stops"].astype(np.float32),
        switches=config.switches,
        stop=config.stop,
        draft=config.draft,
        temperature=config.play_temperature,
    )
    about = {name: str(value) for name, value in checkpoint.config.items()}
    about["games_done"] = str(checkpoint.counters["games"])
    path = folder / TABLES_FILE
    path.write_bytes(tables_bytes(tables, about))
    return f"tables written to {path}; play with gravwell/q-learning:table={path}"


RECIPE = Recipe(
    summary="Q-learning for gravwell/q-learning (tables 2 to 5 of the report, and beyond)",
    presets=PRESETS,
    train=train,
    export=export,
)
