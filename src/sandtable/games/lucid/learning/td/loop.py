"""How a pair of champions of Operation Lucid is trained that nobody exploits easily, in stages.

Read from top to bottom. One network learns what best answers of both sides make of a position;
since all is seen by both and the dice fall after the moves, no secret and no lot is needed for
that: one value for each position, and a best turn. What such a network lacks is coverage: it knows
the positions that its own games bring about. So the loop is

    pair            it plays itself and, one side alone, anybody of a pool
    blue response   a copy learns to beat it as Blue, with the pair as a fixed Red
    red response    the same as Red
    pair            both responses are in the pool now; and so on, for some rounds

A turn of somebody else is never learnt from as if it were the best one: the position after it is
valued by what best answers make of it. In the pool are the scripts, the bundled networks, the pair
as it was after each round and every few generations, and all responses found.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sandtable.agents.weights import weights_bytes
from sandtable.games.lucid.agents.evaluator import network
from sandtable.games.lucid.agents.evaluator.network import PARAMETERS
from sandtable.games.lucid.learning.td.recipe import (
    SECONDS_BETWEEN_SAVES,
    WEIGHTS_FILE,
    Networks,
    fit,
    metrics_of,
    play_generation,
)
from sandtable.games.lucid.learning.td.settings import TdConfig
from sandtable.learning.adam import Learner
from sandtable.learning.checkpoints import Arrays, write_whole
from sandtable.learning.config import RunConfig, config_field, config_from
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run, notes_of, trained

__all__ = ["CHAMPIONS_RECIPE", "ChampionsConfig", "Stage", "stages_of"]

BUNDLED_POOL = ("axes-red", "early-red", "expert-blue", "td")
OLDER_KEPT = 6  # former selves
MOST_RESPONSES = 16


@dataclass(frozen=True)
class ChampionsConfig(RunConfig):
    """What can be chosen about the loop."""

    seed: int = config_field(0, "everything follows from it", least=0)
    weights: str = config_field("early-red", "weights to begin with")
    rounds: int = config_field(3, "times the pair is trained", least=1, most=MOST_RESPONSES // 2)
    first_games: int = config_field(40_000, "games of the pair's first stage", least=1)
    pair_games: int = config_field(22_000, "games of each later stage of the pair", least=1)
    response_games: int = config_field(5_000, "games of each response", least=1)
    last_games: int = config_field(
        10_000, "games of the pair's last stage, in which it searches more", least=1
    )
    generation: int = config_field(500, "games before the network is fitted again", least=1)
    anybody: float = config_field(
        0.5, "share of the pair's games of one side alone against the pool", least=0, most=1
    )
    tries: int = config_field(4, "climbs to a good turn", least=1)
    candidates: int = config_field(3, "plans looked at one turn further", least=1)
    reply_tries: int = config_field(1, "climbs for each answer when looking further", least=1)
    last_tries: int = config_field(8, "climbs in the last stage", least=1)
    last_candidates: int = config_field(6, "plans looked at further in the last stage", least=1)
    exploration: float = config_field(
        0.05, "chance that a turn is changed at random", least=0, most=1
    )
    scattered: float = config_field(
        0.15, "share of games that begin with scattered units", least=0, most=1
    )
    batch: int = config_field(256, "positions a step", least=1)
    learning_rate: float = config_field(0.001, "of Adam at the beginning of a stage", above=0)
    last_learning_rate: float = config_field(
        0.0003, "of Adam at the beginning of the last stage", above=0
    )
    final_rate: float = config_field(
        0.05, "the share of it that is left at a stage's end", least=0, most=1
    )


@dataclass(frozen=True)
class Stage:
    """A part of the loop: who learns, and how."""

    name: str
    config: TdConfig

    @property
    def response(self) -> bool:
        """Whether it trains a response to the pair."""
        return self.config.learner != "both"


def stages_of(config: ChampionsConfig) -> list[Stage]:
    """Return what the loop does, one after the other.

    >>> [stage.name for stage in stages_of(ChampionsConfig(rounds=2))]
    ['pair 1', 'blue response 1', 'red response 1', 'pair 2', 'last pair']
    """
    pair = TdConfig(
        seed=config.seed,
        games=config.first_games,
        generation=config.generation,
        anybody=config.anybody,
        best_answers=True,
        tries=config.tries,
        candidates=config.candidates,
        reply_tries=config.reply_tries,
        exploration=config.exploration,
        scattered_first=0,
        scattered=config.scattered,
        batch=config.batch,
        learning_rate=config.learning_rate,
        final_rate=config.final_rate,
    )
    response = dataclasses.replace(
        pair,
        games=config.response_games,
        opponent="the pair",
        knows_opponent=True,
        anybody=0.0,
        best_answers=False,
    )
    stages = [Stage("pair 1", pair)]
    for number in range(1, config.rounds):
        for side in ("blue", "red"):
            learner = dataclasses.replace(response, learner=side)
            stages.append(Stage(f"{side} response {number}", learner))
        later = dataclasses.replace(pair, games=config.pair_games)
        stages.append(Stage(f"pair {number + 1}", later))
    last = dataclasses.replace(
        pair,
        games=config.last_games,
        tries=config.last_tries,
        candidates=config.last_candidates,
        reply_tries=2,
        learning_rate=config.last_learning_rate,
    )
    stages.append(Stage("last pair", last))
    return [
        dataclasses.replace(
            stage, config=dataclasses.replace(stage.config, seed=1000 * config.seed + number)
        )
        for number, stage in enumerate(stages)
    ]


# --- the run -------------------------------------------------------------------------------------


class LoopState:
    """The learner of the stage under way, the pair as last finished, and the pool that grew."""

    def __init__(self, config: ChampionsConfig) -> None:
        self.pair = network.load_weights(config.weights)
        self.rows = Learner.begin(self.pair.copy())
        self.older = np.zeros((OLDER_KEPT, PARAMETERS), dtype=np.float32)  # the newest last
        self.responses = np.zeros((MOST_RESPONSES, PARAMETERS), dtype=np.float32)
        self.bundled = np.stack([network.load_weights(name) for name in BUNDLED_POOL])
        self.counters = {"stage": 0, "generations": 0, "steps": 0, "older": 0, "responses": 0}

    def arrays(self) -> Arrays:
        """Return all that changes."""
        kept = {"pair": self.pair, "older": self.older, "responses": self.responses}
        return {**self.rows.arrays(), **kept}

    def restore(self, arrays: Arrays) -> None:
        """Go back to such arrays."""
        self.rows.restore(arrays, self.counters["steps"])
        for name in ("pair", "older", "responses"):
            getattr(self, name)[:] = arrays[name]

    def networks(self, stage: Stage) -> Networks:
        """Return whom the learner meets: the fixed pair, or the pool."""
        if stage.response:
            return self.pair[np.newaxis]
        responses = self.responses[: self.counters["responses"]]
        older = self.older[OLDER_KEPT - self.counters["older"] :]
        return np.concatenate([self.bundled, older, responses])

    def remember_self(self) -> None:
        """Keep the network as it is among the former selves."""
        self.older[:-1] = self.older[1:].copy()
        self.older[-1] = self.rows.average
        self.counters["older"] = min(OLDER_KEPT, self.counters["older"] + 1)

    def end_stage(self, stage: Stage) -> None:
        """Keep what the stage brought, and begin the next one with a copy of the pair."""
        if stage.response:
            self.responses[self.counters["responses"]] = self.rows.average
            self.counters["responses"] += 1
        else:
            self.pair[:] = self.rows.average
        self.rows = Learner.begin(self.pair.copy())
        self.counters |= {"stage": self.counters["stage"] + 1, "generations": 0, "steps": 0}


def train(config: ChampionsConfig, folder: Path, control: Control) -> bool:
    """Run from the beginning or from the checkpoint in the folder; return whether it finished."""
    with Run(config, folder, control, SECONDS_BETWEEN_SAVES) as run:
        state = run.attach(LoopState(config))
        stages = stages_of(config)
        while (number := state.counters["stage"]) < len(stages):
            before = sum(stage.config.games for stage in stages[:number])
            if not train_generation(stages[number], before, state, run):
                return False
    return True


def train_generation(stage: Stage, before: int, state: LoopState, run: Run) -> bool:
    """Play and learn from one generation of a stage; return whether it was not broken off."""
    config, generation = stage.config, state.counters["generations"]
    networks = state.networks(stage)
    positions = play_generation(config, generation, state.rows.parameters, networks, run.control)
    if positions is None:
        return False
    error = fit(config, generation, state.rows, positions)
    state.counters |= {"generations": generation + 1, "steps": state.rows.steps}
    metrics = metrics_of(config, positions, generation, error)
    finished = state.counters["generations"] == config.generations
    if not stage.response and (finished or (generation + 1) % older_every(config) == 0):
        state.remember_self()
    if finished:
        state.end_stage(stage)
    run.report({"stage": stage.name, **metrics, "game": before + metrics["game"]})
    return True


def older_every(config: TdConfig) -> int:
    """Return after how many generations the pair is kept as a former self: thrice in a stage."""
    return max(1, -(-config.generations // 3))


def progress_line(metrics: Metrics) -> str:
    """Say in a few words how a run is going.

    >>> progress_line({"stage": "pair 2", "result": 4.25, "loss": 0.0312})
    'pair 2: mean score 4.25, square error 0.0312'
    """
    numbers = f"mean score {metrics['result']:g}, square error {metrics['loss']:.3g}"
    return f"{metrics['stage']}: {numbers}"


def export(folder: Path) -> str:
    """Write the weights of the pair as it is in the stage under way, and of all responses."""
    checkpoint = trained(folder)
    arrays, counters, notes = checkpoint.arrays, checkpoint.counters, notes_of(checkpoint)
    notes |= {"stages_done": str(counters["stage"])}
    notes |= {"generations_of_the_next": str(counters["generations"])}
    stages = stages_of(config_from(ChampionsConfig, checkpoint.config, folder))
    learning = counters["stage"] < len(stages) and not stages[counters["stage"]].response
    pair = arrays["average" if learning and counters["generations"] else "pair"]
    path = folder / WEIGHTS_FILE
    write_whole(path, weights_bytes(np.array(pair), notes))
    for number in range(counters["responses"]):
        side = ("blue", "red")[number % 2]
        name = f"{side}-response-{number // 2 + 1}.safetensors"
        write_whole(folder / name, weights_bytes(np.array(arrays["responses"][number]), notes))
    return f"weights written to {path}, and of {counters['responses']} responses beside it"


CHAMPIONS_RECIPE = Recipe(
    summary="temporal differences in a loop with best responses for both champions of lucid",
    presets={"champions": ChampionsConfig()},
    train=train,
    export=export,
    progress_line=progress_line,
    length=lambda config: sum(stage.config.games for stage in stages_of(config)),
)
