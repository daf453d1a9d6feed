"""Neuro-evolution for Gravwell (report of 2016, section 3.3), as published and made to work.

Read from top to bottom. A generation is the parents and mutated copies of them; all play the same
games with the same dice, and the best become the parents of the next one. What the published
configuration does and what the improved one does otherwise, and why, is told in
docs/games/gravwell/neuro-evolution.md. The configurations are in config.py, the networks and their
copies in population.py and mutations.py, how they are compared in competition.py, the games and who
judges them in games.py. Everything follows from the seed; a run goes on exactly where its
checkpoint left it, and the number of processes changes nothing.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sandtable.dice import Dice
from sandtable.games.gravwell.agents.neuro_evolution.brain import brain_text
from sandtable.games.gravwell.agents.neuro_evolution.networks import program_of
from sandtable.games.gravwell.layout import ROUNDS
from sandtable.games.gravwell.learning.neuro_evolution.competition import judge_generation, seated
from sandtable.games.gravwell.learning.neuro_evolution.config import (
    COMPARED,
    IMPROVED,
    PUBLISHED,
    NeuroEvolutionConfig,
)
from sandtable.games.gravwell.learning.neuro_evolution.crossover import Innovations
from sandtable.games.gravwell.learning.neuro_evolution.games import (
    WON,
    Judges,
    Judging,
    dealt_games,
    drawn_opponents,
    keys_of,
    tables_to_play_by,
)
from sandtable.games.gravwell.learning.neuro_evolution.population import (
    Evolution,
    begin,
    offspring,
    stacked,
)
from sandtable.learning.checkpoints import Checkpoint, write_whole
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run, trained

__all__ = ["RECIPE", "NeuroEvolutionConfig", "export", "train"]

NETWORKS_FILE = "networks.json"
SECONDS_BETWEEN_SAVES = 2.0
GENERATIONS_BETWEEN_MEMORIES = 10  # the best one of such a generation becomes an opponent
MEMORIES = 8  # former best ones to play against


# --- one generation ------------------------------------------------------------------------------


def next_generation(
    config: NeuroEvolutionConfig, state: Evolution, judges: Judges
) -> Metrics | None:
    """Replace the parents by the best of them and their copies; None when told to stop."""
    dice = Dice(config.seed, "neuro-evolution mutations", state.counters["generations"])
    innovations = Innovations(state.counters.get("innovations", 0))
    numbers = list(range(len(state.parents))) * config.copies
    copies = [offspring(config, state.parents, number, dice, innovations) for number in numbers]
    verdict = judge_generation(config, state, judges, copies, dice)
    if verdict is None:
        return None
    best = verdict.best
    state.parents = [verdict.members[each] for each in best]
    state.scores = verdict.scores[best]
    won = float(verdict.won[best[0]])
    if won > 0.5:
        state.counters["judging"] += config.more_for_wins
    state.counters["generations"] += 1
    state.counters["innovations"] = innovations.last
    if state.counters["generations"] % GENERATIONS_BETWEEN_MEMORIES == 0:
        state.memories = [*state.memories, state.parents[0]][-MEMORIES:]
    highest, mean = float(verdict.scores[best[0]]), float(verdict.scores.mean())
    return metrics_of(config, state, highest, mean, won, verdict.games)


def metrics_of(
    config: NeuroEvolutionConfig,
    state: Evolution,
    score: float,
    mean: float,
    won: float,
    judging: int,
) -> Metrics:
    """Return what is worth knowing about a generation."""
    best = state.parents[0]._asdict()
    return {
        "generation": state.counters["generations"] - 1,
        "score": round(score, 4),
        "mean_score": round(mean, 4),
        "won": round(won, 4),
        "judging": judging,
        "nodes": sum(len(best[kind].nodes) for kind in config.kinds),
    }


def progress_line(metrics: Metrics) -> str:
    """Write in a few words how a generation did.

    >>> progress_line({"score": 6.25, "won": 0.3, "judging": 20, "nodes": 41})
    'best 6.25 (won 30% of 20), 41 nodes'
    """
    won = f"won {metrics['won']:.0%} of {metrics['judging']}"
    return f"best {metrics['score']:.2f} ({won}), {metrics['nodes']} nodes"


def choose_best(config: NeuroEvolutionConfig, state: Evolution, judges: Judges) -> bool:
    """Find out which of the last parents wins the most whole games; no when told to stop."""
    if not config.final_games:
        return True
    count = config.final_games
    games = Judging(
        starts=dealt_games(config.seed, "neuro-evolution end deal", count, config.inert),
        rounds=ROUNDS,
        opponents=seated(
            config, drawn_opponents(config.seed, "neuro-evolution end", count, config.stronger, 0)
        ),
        others=stacked([]),
        keys=keys_of(config.seed, "neuro-evolution end dice"),
        learned=tables_to_play_by(config.rivals == "q-learning"),
    )
    sums = judges.judge([program_of(each) for each in state.parents], games, 0, count)
    if sums is None:
        return False
    state.counters["chosen"] = int(np.argmax(sums[:, WON]))
    return True


# --- the run -------------------------------------------------------------------------------------


def train(config: NeuroEvolutionConfig, folder: Path, control: Control) -> bool:
    """Run from the beginning or from the checkpoint in the folder; return whether it finished.

    A generation that is broken off is played again, equally.
    """
    with (
        Run(config, folder, control, SECONDS_BETWEEN_SAVES) as run,
        Judges(control.jobs, control.must_stop) as judges,
    ):
        state = run.attach(begin(config))
        while state.counters["generations"] < config.generations:
            metrics = next_generation(config, state, judges)
            if metrics is None:
                return False
            run.report(metrics)
        finished = choose_best(config, state, judges)
        run.save()
    return finished


def state_of(checkpoint: Checkpoint) -> Evolution:
    """Return where a run stood when a checkpoint was written."""
    state = Evolution([], [], checkpoint.counters)
    state.restore(checkpoint.arrays)
    return state


def export(folder: Path) -> str:
    """Write the networks to play with from the newest checkpoint."""
    checkpoint = trained(folder)
    state = state_of(checkpoint)
    notes = {
        "recipe": "gravwell/neuro-evolution",
        "generations done": state.counters["generations"],
    }
    path = folder / NETWORKS_FILE
    text = brain_text(state.parents[state.counters["chosen"]], notes | checkpoint.config)
    write_whole(path, text.encode())
    return f"networks written to {path}"


RECIPE = Recipe(
    summary="neuro-evolution for gravwell/neuro-evolution",
    presets={"published": PUBLISHED, "improved": IMPROVED, **COMPARED},
    train=train,
    export=export,
    unit="generation",
    length=lambda config: int(config.generations),
    progress_line=progress_line,
)
