"""``sandtable train selfplay --game GAME``: one learner for every game.

Read from top to bottom. A round plays games of the network against itself, each move found by a
small tree search that the network guides. What the search found better than the network is what
its policy learns; its values learn from the results and from what the search expected. Nothing
here knows the game: hidden things are dealt anew in every simulation, dice are thrown, each seat
looks after itself. On the CPU everything follows from the seed, and a run goes on exactly where
its checkpoint left it.
"""

from __future__ import annotations

import copy
import math
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from sandtable.errors import SandtableError
from sandtable.learning.config import config_field
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run
from sandtable.learning.selfplay.averaged import NetworkConfig, check_learnable, export_average
from sandtable.learning.selfplay.games import Decisions, PlaySettings, SelfPlay
from sandtable.learning.selfplay.learner import NetworkInTraining
from sandtable.learning.selfplay.network import KINDS, GameNetwork, check_width
from sandtable.learning.selfplay.opponents import Opponents, named_opponents, seats_beside
from sandtable.learning.torch_networks import chosen_device
from sandtable.registry import make_game
from sandtable.types import Game

__all__ = ["RECIPE", "SelfPlayConfig", "export", "train"]

Played = tuple[Decisions, NDArray[np.float64]] | None  # None: stopped


@dataclass(frozen=True)
class SelfPlayConfig(NetworkConfig):
    """What can be chosen."""

    game: str = config_field("", "the game, with its options")
    network: str = config_field("auto", "kind of network", choices=KINDS)
    width: int = config_field(0, "width of the network; 0: as suits its kind", least=0, most=4096)
    blocks: int = config_field(2, "blocks of the network", least=0, most=64)
    games: int = config_field(1_000_000, "games to play", least=1, extendable=True)
    generation: int = config_field(256, "games of a round", least=1)
    rows: int = config_field(128, "games side by side", least=1, most=65_536)
    groups: int = config_field(4, "groups of rows, each for one of the jobs", least=1, most=256)
    simulations: int = config_field(24, "simulations of a move", least=1, most=100_000)
    exploration: float = config_field(1.25, "how far priors lead the search", least=0)
    noise: float = config_field(0.25, "share of noise at the root", least=0, most=1)
    drawn: float = config_field(1.0, "share of a longest game drawn by shares", least=0, most=1)
    step: float = config_field(0.5, "step of the policy where secrets are", above=0, most=10)
    magnet: float = config_field(0.2, "pull to equal shares where secrets are", least=0, most=10)
    settling_rounds: int = config_field(20, "rounds in which that pull halves", least=1)
    pool: int = config_field(0, "old selves in the pool", least=0, most=64)
    pool_rounds: int = config_field(10, "rounds between old selves", least=1)
    pool_share: float = config_field(0.25, "share of games with the pool", least=0, most=1)
    opponents: str = config_field("", "agents in the pool, between spaces")
    window: int = config_field(0, "rounds learned from; 0: as suits", least=0, most=1000)
    passes: float = config_field(0.0, "times a decision is learned from; 0: as suits", least=0)
    batch: int = config_field(256, "decisions of a step", least=2)
    learning_rate: float = config_field(0.002, "step size", above=0, below=1)
    decay: float = config_field(1e-4, "decay of the weights", least=0, below=1)
    result_share: float = config_field(0.6, "share of results in values", least=0, most=1)
    seed: int = config_field(0, "of everything that is drawn", least=0)

    def check(self) -> None:
        """Refuse what does not go together."""
        if not self.game:
            raise SandtableError("which game? sandtable train selfplay --game GAME")
        game = make_game(self.game)
        check_learnable(game)
        check_width(self.network, self.width)
        for spec in named_opponents(self.opponents):
            seats_beside(game, spec)
        if self.rows > self.generation:
            raise SandtableError(
                f"--rows is at most --generation, got {self.rows} and {self.generation}"
            )


# --- the run -------------------------------------------------------------------------------------


def settings_of(config: SelfPlayConfig, game: Game, threads: int) -> PlaySettings:
    """Return how games are played, but for what changes from round to round."""
    return PlaySettings(
        config.rows,
        config.simulations,
        config.exploration,
        config.noise,
        math.ceil(config.drawn * game.max_actions),
        threads,
        config.groups,
    )


def players_of(
    config: SelfPlayConfig, game: Game, control: Control, device: torch.device
) -> SelfPlay:
    """Return who plays the games: threads of this process, or the nodes of a cluster."""
    settings = settings_of(config, game, control.jobs)
    if not control.cluster:
        return SelfPlay(game, settings, device)
    from sandtable.learning.selfplay.cluster import ClusterPlay

    shape = config.network, config.width, config.blocks
    opponents = tuple(named_opponents(config.opponents))
    return ClusterPlay(control.cluster, config.game, settings, shape, opponents, control.jobs)


def train(config: SelfPlayConfig, folder: Path, control: Control) -> bool:
    """Run from the beginning or from the checkpoint in the folder; return whether it finished."""
    torch.set_num_threads(control.threads)
    device = chosen_device(control.device)
    with Run(config, folder, control) as run:
        game = make_game(config.game)
        state = run.attach(NetworkInTraining(config, game, device))
        with closing(players_of(config, game, control, device)) as playing:
            rounds = Rounds(config, state, playing, control)
            while (number := state.counters["rounds"]) < config.rounds:
                began = time.perf_counter()
                played = rounds.played(number)
                if played is None:
                    return False
                between = time.perf_counter()
                losses = state.learn(*played)
                ended = time.perf_counter()
                metrics = metrics_of(config, number, *played, losses)
                spent = [round(between - began, 2), round(ended - between, 2)]
                run.report(metrics | {"seconds": spent})
    return True


class Rounds:
    """The games of each round; a cluster plays those of the next while this machine learns."""

    def __init__(
        self, config: SelfPlayConfig, state: NetworkInTraining, playing: SelfPlay, control: Control
    ) -> None:
        self.config, self.state, self.playing, self.control = config, state, playing, control
        self.named = named_opponents(config.opponents)
        self.ahead: Future[Played] | None = None
        self.thread = ThreadPoolExecutor(1) if control.cluster else None

    def play(self, number: int, network: GameNetwork) -> Played:
        """Play the games of a round."""
        config, state = self.config, self.state
        opponents = Opponents(state.game, state.pool(), self.named, config.pool_share)
        self.playing.change(step=state.step_size(), magnet=state.magnet())
        first, games = number * config.generation, config.generation
        stop = self.control.must_stop
        return self.playing.play(network, config.seed, first, games, stop, opponents)

    def played(self, number: int) -> Played:
        """Return the games of a round; on a cluster, let the next one begin."""
        if self.thread is None:
            return self.play(number, self.state.player())
        done = self.ahead.result() if self.ahead else self.play(number, self.state.player())
        if done is not None and number + 1 < self.config.rounds:
            frozen = copy.deepcopy(self.state.player())
            self.ahead = self.thread.submit(self.play, number + 1, frozen)
        return done


def metrics_of(
    config: SelfPlayConfig,
    number: int,
    decisions: Decisions,
    scores: NDArray[np.float64],
    losses: dict[str, float],
) -> Metrics:
    """Return what is worth knowing about a round."""
    shares = decisions.shares.astype(np.float32)
    entropy = -(shares * np.log(np.maximum(shares, 1e-9))).sum(axis=1).mean()
    return {
        "game": (number + 1) * config.generation - 1,
        "scores": [round(float(mean), 3) for mean in scores.mean(axis=0)],
        "decisions": len(decisions),
        "entropy": round(float(entropy), 3),
        **{name: round(value, 5) for name, value in losses.items()},
    }


def progress_line(metrics: Metrics) -> str:
    """Write a round in a few words.

    >>> progress_line({"scores": [0.5, 0.5], "decisions": 10, "entropy": 1.0,
    ...     "policy_loss": 2.0, "value_loss": 0.7})
    'mean scores 0.5 0.5, 10 decisions, entropy 1.00, losses 2.000 and 0.700'
    """
    scores = " ".join(f"{each:g}" for each in metrics["scores"])
    losses = f"{metrics['policy_loss']:.3f} and {metrics['value_loss']:.3f}"
    return (
        f"mean scores {scores}, {metrics['decisions']:,} decisions, "
        f"entropy {metrics['entropy']:.2f}, losses {losses}"
    )


def export(folder: Path) -> str:
    """Write the network for playing from the newest checkpoint."""
    return export_average(folder, SelfPlayConfig)


RECIPE = Recipe(
    summary="self-play with a tree search for any game: --game GAME",
    presets={"usual": SelfPlayConfig()},
    train=train,
    export=export,
    progress_line=progress_line,
    on_cluster=True,
)
