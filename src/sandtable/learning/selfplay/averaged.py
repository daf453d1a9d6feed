"""What learners of networks for any game share: examples, a network with its average, the file.

A network learns in steps on batches out of the last rounds of games. Its average, which follows it
slowly, is what plays: in the games of the next round, and in the file that is exported.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sandtable.errors import SandtableError
from sandtable.learning.checkpoints import Arrays
from sandtable.learning.config import RunConfig, config_from
from sandtable.learning.run import notes_of, trained
from sandtable.learning.selfplay.network import GameNetwork, export_network, new_network
from sandtable.learning.torch_networks import load_network, network_arrays
from sandtable.registry import make_game
from sandtable.types import Game

__all__ = [
    "AveragedNetwork",
    "Examples",
    "NetworkConfig",
    "check_learnable",
    "export_average",
    "results_of",
]

WEIGHTS_FILE = "network.onnx"
SLOWEST = 0.005  # share by which the average follows the network in a step
LAST_PART = 4  # where it follows ever less, it is about that of the last quarter of all steps
STEPS_OF_FULL_RATE = 2000  # after so many the rate has fallen to 1 / sqrt(2) of the first
STEEPEST = 1.0  # length of a gradient, at most


class NetworkConfig(RunConfig):
    """What every run of such a learner can be told; its own configuration says how it is chosen."""

    game: str
    network: str
    width: int
    blocks: int
    games: int
    generation: int  # games of a round
    batch: int
    learning_rate: float
    decay: float
    seed: int

    @property
    def rounds(self) -> int:
        """How many rounds the run has."""
        return math.ceil(self.games / self.generation)


def check_learnable(game: Game) -> None:
    """Refuse a game that a network cannot see, or of which nobody says what can be won.

    >>> check_learnable(make_game("lucid"))
    """
    if not game.plane_names:
        raise SandtableError(f"{game.name} has no planes, so a network has nothing to see")
    if not all(-math.inf < low < high < math.inf for low, high in game.score_bounds):
        raise SandtableError(f"{game.name} tells no bounds of its scores: nothing can be won")


def results_of(game: Game, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores [game, seat] as results from 0, the lowest of a seat, to 1.

    >>> results_of(make_game("skirmish"), np.array([[1.0, -1.0], [0.0, 0.0]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    bounds = np.array(game.score_bounds)
    results: NDArray[np.float64] = (scores - bounds[:, 0]) / (bounds[:, 1] - bounds[:, 0])
    return results


@dataclass
class Examples:
    """What is learned from: arrays with one row for each decision."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the arrays."""
        return tuple(each.name for each in fields(cls))

    def __len__(self) -> int:
        return len(getattr(self, self.names()[0]))

    @property
    def size(self) -> int:
        """How many bytes the arrays have."""
        return sum(int(getattr(self, name).nbytes) for name in self.names())

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return several as one."""
        names = cls.names()
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


Config = TypeVar("Config", bound=NetworkConfig)
Some = TypeVar("Some", bound=Examples)


class AveragedNetwork(Generic[Config, Some]):
    """The network, its average, and the examples of the last rounds."""

    def __init__(
        self, config: Config, game: Game, device: torch.device, examples: type[Some]
    ) -> None:
        torch.manual_seed(config.seed)
        self.config, self.device, self.game = config, device, game
        self.network = new_network(game, config.network, config.width, config.blocks).to(device)
        self.average = copy.deepcopy(self.network)
        self.optimiser = torch.optim.AdamW(
            self.network.parameters(), config.learning_rate, weight_decay=config.decay
        )
        self.examples = examples
        self.window: list[Some] = []
        self.counters: dict[str, Any] = {"rounds": 0, "steps": 0, "window": 0}

    def networks(self) -> dict[str, GameNetwork]:
        """Return all networks that belong to the run, by their names in a checkpoint."""
        return {"network": self.network, "average": self.average}

    def arrays(self) -> Arrays:
        """Return all that changes."""
        made: dict[str, NDArray[Any]] = {}
        for name, network in self.networks().items():
            made |= network_arrays(network, name)
        for number, state in self.optimiser.state_dict()["state"].items():
            made |= {f"adam/{number}/{key}": value.cpu().numpy() for key, value in state.items()}
        for place, some in enumerate(self.window):
            made |= {f"window/{place}/{name}": getattr(some, name) for name in some.names()}
        return made

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""
        for name, network in self.networks().items():
            load_network(network, arrays, name)
        state: dict[int, dict[str, Tensor]] = {}
        for name, array in arrays.items():
            if name.startswith("adam/"):
                _, number, key = name.split("/")
                state.setdefault(int(number), {})[key] = torch.from_numpy(np.array(array))
        self.optimiser.load_state_dict({**self.optimiser.state_dict(), "state": state})
        names = self.examples.names()
        self.window = [
            self.examples(*(np.array(arrays[f"window/{place}/{name}"]) for name in names))
            for place in range(self.counters["window"])
        ]

    def learn_from(
        self, newest: Some, rounds: int, passes: float, least_steps: int
    ) -> NDArray[np.float64] | None:
        """Learn from the last ``rounds``, of which ``newest`` is one; return the mean losses.

        Each of the newest examples is met ``passes`` times on average. None: there are no examples.
        """
        config = self.config
        self.window = [*self.window, newest][-rounds:]
        everything = self.examples.joined(self.window)
        if not len(everything):
            return None
        numbers = np.random.Generator(np.random.PCG64([config.seed, self.counters["rounds"], 1]))
        steps = max(least_steps, round(passes * len(newest) / config.batch))
        self.network.train()
        losses: NDArray[np.float64] = np.zeros(1)
        for _ in range(steps):
            batch = numbers.integers(0, len(everything), config.batch)
            losses = losses + np.array(self.step(everything, batch))
        return losses / steps

    def step(self, examples: Some, batch: NDArray[np.int64]) -> Sequence[float]:
        """Take one step; return the losses."""
        raise NotImplementedError

    @property
    def follow(self) -> float:
        """The share by which the average follows the network in this step."""
        return self.follow_soon

    @property
    def follow_soon(self) -> float:
        """A share that stays: the average is about that of the last steps."""
        return max(SLOWEST, 1 / int(self.counters["steps"]))

    @property
    def follow_less(self) -> float:
        """A share that becomes ever less: the average is about that of the last quarter."""
        steps = int(self.counters["steps"])
        return max(1 / steps, min(SLOWEST, LAST_PART / steps))

    @property
    def falling_rate(self) -> float:
        """The step size of learning where it falls with the steps taken."""
        steps = int(self.counters["steps"])
        return self.config.learning_rate / math.sqrt(1.0 + steps / STEPS_OF_FULL_RATE)

    def use_rate(self, rate: float) -> None:
        """Take the next steps with this step size."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate

    def descend(self, loss: Tensor) -> None:
        """Change the network so that a loss becomes less, and let the average follow."""
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        length = torch.nn.utils.clip_grad_norm_(self.network.parameters(), STEEPEST)
        if not torch.isfinite(loss) or not torch.isfinite(length):
            raise SandtableError(
                f"the losses of round {self.counters['rounds'] + 1} are not numbers; the last "
                "checkpoint stays, the network in it plays with --export-only; learn again with "
                "a smaller --learning-rate in a new folder"
            )
        self.optimiser.step()
        self.counters["steps"] += 1
        self.draw_nearer(self.average, self.follow)

    @torch.no_grad()
    def draw_nearer(self, average: GameNetwork, share: float) -> None:
        """Let an average follow the network by a share."""
        pairs = zip(average.parameters(), self.network.parameters(), strict=True)
        for slow, fast in pairs:
            slow.lerp_(fast, share)


def export_average(folder: Path, kind: type[Config]) -> str:
    """Write the average of the newest checkpoint as a file for playing; ``kind`` of run."""
    checkpoint = trained(folder)
    config = config_from(kind, checkpoint.config, folder)
    network = new_network(make_game(config.game), config.network, config.width, config.blocks)
    load_network(network, checkpoint.arrays, "average")
    notes = notes_of(checkpoint) | {"rounds_done": str(checkpoint.counters["rounds"])}
    path = folder / WEIGHTS_FILE
    difference = export_network(network, path, notes)
    return f"network written to {path} (within {difference:.1%} of what was trained)"
