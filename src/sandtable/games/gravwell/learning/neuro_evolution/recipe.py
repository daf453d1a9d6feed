"""Neuro-evolution for Gravwell (report of 2016, section 3.3), as published and made to work.

Read from top to bottom. A generation is the parents and mutated copies of them; all play the same
games with the same dice, and the best become the parents of the next one. What the published
configuration does and what the improved one does otherwise, and why, is told in
docs/games/gravwell/neuro-evolution.md. The configurations are in config.py, the mutations in
mutations.py, the games and who judges them in games.py. Everything follows from the seed; a run
goes on exactly where its checkpoint left it, and the number of processes changes nothing.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice
from sandtable.games.gravwell.agents.neuro_evolution.brain import (
    NETWORK_INPUTS,
    NETWORK_OUTPUTS,
    Brain,
    brain_of,
    brain_text,
)
from sandtable.games.gravwell.agents.neuro_evolution.networks import Program, program_of
from sandtable.games.gravwell.layout import GATE, ROUNDS
from sandtable.games.gravwell.learning.neuro_evolution.config import (
    IMPROVED,
    PUBLISHED,
    NeuroEvolutionConfig,
)
from sandtable.games.gravwell.learning.neuro_evolution.games import (
    LEAD,
    OWN,
    WON,
    Judges,
    Judging,
    collected_rounds,
    dealt_games,
    drawn_opponents,
    keys_of,
)
from sandtable.games.gravwell.learning.neuro_evolution.mutations import (
    first_network,
    published_mutation,
    weighted_mutation,
)
from sandtable.learning.checkpoints import Arrays, Checkpoint, write_whole
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run, trained

__all__ = ["RECIPE", "NeuroEvolutionConfig", "export", "train"]

NETWORKS_FILE = "networks.json"
SECONDS_BETWEEN_SAVES = 2.0
GENERATIONS_BETWEEN_MEMORIES = 10  # the best one of such a generation becomes an opponent
MEMORIES = 8  # former best ones to play against
MOST_CHANGES = 8  # of one copy


# --- offspring -----------------------------------------------------------------------------------


def first_brain(config: NeuroEvolutionConfig, dice: Dice) -> Brain:
    """Return a brain in which inputs are outputs."""
    networks = {
        kind: first_network(len(NETWORK_INPUTS[kind]), NETWORK_OUTPUTS[kind], dice)
        for kind in config.kinds
    }
    return Brain(**networks)


def mutated_copy(
    config: NeuroEvolutionConfig, parents: list[Brain], number: int, dice: Dice
) -> Brain:
    """Return a changed copy of one of the parents."""
    networks = parents[number]._asdict()
    kinds = config.kinds
    if not config.weights:
        kind = kinds[dice.below(len(kinds))]
        networks[kind] = published_mutation(networks[kind], dice)
        return Brain(**networks)
    if dice.uniform() < config.exchange:
        kind = kinds[dice.below(len(kinds))]
        networks[kind] = getattr(parents[dice.below(len(parents))], kind)
    for _ in range(MOST_CHANGES):
        kind = kinds[dice.below(len(kinds))]
        changed = weighted_mutation(networks[kind], dice, config.comparisons)
        if len(changed.nodes) <= config.most_nodes:
            networks[kind] = changed
        if dice.below(2):
            break
    return Brain(**networks)


# --- one generation ------------------------------------------------------------------------------


@dataclass
class Evolution:
    """Where a run stands between two generations."""

    parents: list[Brain]
    memories: list[Brain]  # former best ones to play against
    counters: dict[str, int]  # generations done, games or rounds that judge, the best parent

    def arrays(self) -> Arrays:
        """Return the brains, kept as their files."""
        brains = {"parents": self.parents, "memories": self.memories}
        texts = {name: [brain_text(brain, {}) for brain in some] for name, some in brains.items()}
        return {
            name: np.frombuffer(json.dumps(some).encode(), np.uint8) for name, some in texts.items()
        }

    def restore(self, arrays: Arrays) -> None:
        """Go back to such brains."""
        for name in ("parents", "memories"):
            texts = json.loads(arrays[name].tobytes())
            setattr(self, name, [brain_of(json.loads(text)) for text in texts])


def begin(config: NeuroEvolutionConfig) -> Evolution:
    """Return the first parents."""
    dice = Dice(config.seed, "neuro-evolution start")
    parents = [first_brain(config, dice) for _ in range(config.parents)]
    return Evolution(parents, [], {"generations": 0, "judging": config.judging, "chosen": 0})


def stacked(brains: list[Brain]) -> Program:
    """Return many brains as one program with a row for each, filled up with zeros."""
    programs = [program_of(brain) for brain in brains]
    count = max(1, len(programs))
    cells = max((len(each.cells) for each in programs), default=1)
    weights = max((len(each.weights) for each in programs), default=1)
    together = Program(np.zeros((count, cells), np.int64), np.zeros((count, weights)))
    for number, program in enumerate(programs):
        together.cells[number, : len(program.cells)] = program.cells
        together.weights[number, : len(program.weights)] = program.weights
    return together


def games_of(config: NeuroEvolutionConfig, state: Evolution) -> Judging:
    """Return the games that judge the next generation.

    Rounds are taken from whole games that one of the parents plays, another one each time.
    """
    seed, done = config.seed, state.counters["generations"]
    name = f"neuro-evolution {done}"
    count = state.counters["judging"] + config.more_each * done
    others, known = stacked(state.memories), len(state.memories)
    whole = config.rounds == ROUNDS
    needed = count if whole else -(-count // 3)  # a game seldom has fewer than three rounds
    games = Judging(
        starts=dealt_games(seed, f"{name} deal", needed, config.inert),
        rounds=config.rounds,
        opponents=drawn_opponents(seed, f"{name} opponents", needed, config.stronger, known),
        others=others,
        keys=keys_of(seed, f"{name} dice"),
    )
    if whole:
        return games
    found = collected_rounds(program_of(state.parents[done % len(state.parents)]), games)
    order = np.random.Generator(np.random.PCG64([seed, done])).permutation(len(found))
    starts = found[order[:count]]
    opponents = drawn_opponents(seed, f"{name} foes", len(starts), config.stronger, known)
    keys = keys_of(seed, f"{name} rounds")
    return dataclasses.replace(games, starts=starts, opponents=opponents, keys=keys)


def scores_of(
    config: NeuroEvolutionConfig, sums: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """Return the score of every network from what came out of its games.

    Published: games won, and the mean end position over the board's length to break ties.
    """
    if config.win_tiles == 0:
        return np.asarray(sums[:, WON] + sums[:, OWN] / count / GATE)
    return np.asarray((sums[:, LEAD] + config.win_tiles * sums[:, WON]) / count)


def best_of(scores: NDArray[np.float64], count: int) -> list[int]:
    """Return who has the highest scores, of equal ones the last (copies come after parents)."""
    ranked = sorted(range(len(scores)), key=lambda number: (scores[number], number))
    return ranked[::-1][:count]


def next_generation(
    config: NeuroEvolutionConfig, state: Evolution, judges: Judges
) -> Metrics | None:
    """Replace the parents by the best of them and their copies; None when told to stop."""
    dice = Dice(config.seed, "neuro-evolution mutations", state.counters["generations"])
    numbers = list(range(len(state.parents))) * config.copies
    copies = [mutated_copy(config, state.parents, number, dice) for number in numbers]
    games = games_of(config, state)
    total = len(games.starts)
    looked = min(config.screening, total)
    members, sums = state.parents + copies, np.zeros((len(numbers) + len(state.parents), 3))
    if looked:
        found = judges.judge([program_of(each) for each in members], games, 0, looked)
        if found is None:
            return None
        best = best_of(scores_of(config, found[len(state.parents) :], looked), config.screened)
        kept = [*range(len(state.parents)), *sorted(len(state.parents) + each for each in best)]
        members, sums = [members[each] for each in kept], found[kept]
    found = judges.judge([program_of(each) for each in members], games, looked, total)
    if found is None:
        return None
    sums = sums + found
    scores = scores_of(config, sums, total)
    best = best_of(scores, config.parents)
    state.parents = [members[each] for each in best]
    won = float(sums[best[0], WON]) / total
    if won > 0.5:
        state.counters["judging"] += config.more_for_wins
    state.counters["generations"] += 1
    if state.counters["generations"] % GENERATIONS_BETWEEN_MEMORIES == 0:
        state.memories = [*state.memories, state.parents[0]][-MEMORIES:]
    return metrics_of(config, state, float(scores[best[0]]), float(scores.mean()), won, total)


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
        opponents=drawn_opponents(config.seed, "neuro-evolution end", count, config.stronger, 0),
        others=stacked([]),
        keys=keys_of(config.seed, "neuro-evolution end dice"),
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
    presets={"published": PUBLISHED, "improved": IMPROVED},
    train=train,
    export=export,
    unit="generation",
    length=lambda config: int(config.generations),
    progress_line=progress_line,
)
