"""The networks of Deep-State Learning: their values for the search, and their gradient steps.

On a GPU the many small steps of a network are recorded once for a few sizes of batches and then
replayed as one (a CUDA graph); without that most of the time would go into starting the steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sandtable.compiled import kernel
from sandtable.dice import Dice, stream_key
from sandtable.games.skirmish.learning.dsl.config import DslConfig
from sandtable.games.skirmish.learning.dsl.games import Replay
from sandtable.games.skirmish.learning.dsl.networks import PlayingForm, new_network, playing_form
from sandtable.games.skirmish.planes import encode

__all__ = ["Learner", "TorchValues"]

SMALLEST_RECORDED, LARGEST_RECORDED = 64, 4096  # positions in a recorded batch
WARM_UP_RUNS = 3  # the GPU library tries its ways of computing first, which cannot be recorded


@kernel
def encode_all(
    positions: NDArray[np.int8], seats: NDArray[np.int8], planes: NDArray[np.float32]
) -> None:
    """Write boards [position, cell] as planes [position, 6, 8, 8], each seen by its seat."""
    for index in range(len(positions)):
        encode(positions[index], seats[index], planes[index])


# --- values for the search -----------------------------------------------------------------------


class Recording:
    """The steps of a network for one size of batches, recorded on a GPU."""

    def __init__(self, form: PlayingForm, size: int, device: torch.device) -> None:
        self.size = size
        self.planes = torch.zeros((size, 6, 8, 8), device=device)
        self.planes = self.planes.contiguous(memory_format=torch.channels_last)
        side = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(side):
            for _ in range(WARM_UP_RUNS):
                form.values(self.planes)
        torch.cuda.current_stream(device).wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.values = form.values(self.planes)

    def __call__(self, planes: Tensor) -> Tensor:
        """Return the values of at most ``size`` positions."""
        self.planes[: len(planes)].copy_(planes, non_blocking=True)
        self.graph.replay()
        return self.values[: len(planes)]


class TorchValues:
    """Values of a network in evaluation mode; ``refresh`` after its weights have changed."""

    def __init__(self, network: nn.Module, device: torch.device) -> None:
        self.network = network
        self.device = device
        self.form = playing_form(network)
        self.recordings: dict[int, Recording] = {}

    def refresh(self) -> None:
        """Take over the present weights, in place, since recordings know the old places."""
        self.form.refresh(self.network)

    def __call__(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the value of each position."""
        given = torch.from_numpy(planes)
        values: NDArray[np.float32]
        with torch.no_grad():
            if self.device.type == "cpu":
                values = self.form.values(given).numpy()
                return values
            parts = [self.on_gpu(part).cpu() for part in torch.split(given, LARGEST_RECORDED)]
        values = torch.cat(parts).numpy()
        return values

    def on_gpu(self, planes: Tensor) -> Tensor:
        """Return the values by the smallest recording that has room for the positions."""
        size = SMALLEST_RECORDED
        while size < len(planes):
            size *= 2
        if size not in self.recordings:
            self.recordings[size] = Recording(self.form, size, self.device)
        return self.recordings[size](planes)


# --- learning ------------------------------------------------------------------------------------


class Learner:
    """The network Q, the target Q*, and the gradient steps between them."""

    def __init__(self, config: DslConfig, device: torch.device) -> None:
        self.config = config
        self.device = device
        first = stream_key(config.seed, "network") >> 1
        self.network, self.target, self.copy = (
            new_network(seed, config.network).to(device) for seed in (first, 0, 0)
        )
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate)
        self.replay = Replay(config.replay)
        self.values = TorchValues(self.network, device)
        self.copy_values = TorchValues(self.copy, device)
        self.gradient_steps = 0

    def begin_round(self, number: int) -> None:
        """Copy Q to Q*, mutate a copy for self-play, and set the step size."""
        self.target.load_state_dict(self.network.state_dict())
        self.mutate_copy(number)
        self.set_learning_rate(number)

    def set_learning_rate(self, number: int) -> None:
        """Let the step size fall evenly from the first game to the last."""
        first, last = self.config.learning_rate, self.config.final_learning_rate
        for group in self.optimiser.param_groups:
            group["lr"] = first + (last - first) * number / self.config.games

    def mutate_copy(self, number: int) -> None:
        """Set the copy to Q* plus noise, another number for each parameter."""
        generator = torch.Generator().manual_seed(
            stream_key(self.config.seed, f"mutation {number}") >> 1
        )
        self.copy.load_state_dict(self.target.state_dict())
        with torch.no_grad():
            for parameter in self.copy.parameters():
                noise = torch.randn(parameter.shape, generator=generator)
                parameter.add_(self.config.mutation * noise.to(self.device))
        self.copy_values.refresh()

    def learn(self, moves: int) -> float | None:
        """Take the gradient steps for so many moves; return the mean loss."""
        config = self.config
        if self.replay.added < config.batch or not moves:
            return None
        losses = [self.gradient_step() for _ in range(moves * config.gradient_steps)]
        self.values.refresh()
        return float(torch.stack(losses).mean())

    def gradient_step(self) -> torch.Tensor:
        """Move Q(S0) towards r + Q*(S1) for one batch; return the loss."""
        config = self.config
        dice = Dice(config.seed, "replay", self.gradient_steps)
        drawn = self.replay.draw(config.batch, dice)
        self.gradient_steps += 1
        gain = torch.from_numpy(drawn["gain"]).to(self.device)
        factor = torch.from_numpy(drawn["factor"]).to(self.device)
        self.target.eval()
        with torch.no_grad():
            target = gain + factor * self.target(self.planes(drawn["last"], drawn["seat"]))
        self.network.train()
        planes = self.planes(drawn["first"], drawn["seat"])
        if config.mirror:  # which ones does not matter, since the batch is drawn at random
            planes[::2] = planes[::2].flip(3)
        value = self.network(planes)
        loss = (functional.huber_loss if config.huber else functional.mse_loss)(value, target)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        return loss.detach()

    def planes(self, positions: NDArray[np.int8], seats: NDArray[np.int8]) -> torch.Tensor:
        """Return positions as a tensor on the device."""
        planes = np.empty((len(positions), 6, 8, 8), dtype=np.float32)
        encode_all(positions, seats, planes)
        return torch.from_numpy(planes).to(self.device)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything that a checkpoint must hold of the learner."""
        named = {"network": self.network.state_dict(), "target": self.target.state_dict()}
        for number, state in self.optimiser.state_dict()["state"].items():
            named[f"optimiser.{number}"] = state
        arrays = {
            f"{part}/{name}": tensor.cpu().numpy()
            for part, tensors in named.items()
            for name, tensor in tensors.items()
        }
        filled = min(self.replay.added, len(self.replay))
        return arrays | {f"replay/{k}": v[:filled] for k, v in self.replay.arrays.items()}

    def restore(self, arrays: Any, added: int, gradient_steps: int) -> None:
        """Take the learner back to what ``arrays`` returned."""
        parts: dict[str, dict[str, torch.Tensor]] = {}
        for key, array in arrays.items():
            part, _, name = key.partition("/")
            parts.setdefault(part, {})[name] = torch.from_numpy(np.array(array))
        self.network.load_state_dict(parts["network"])
        self.target.load_state_dict(parts["target"])
        optimiser_state = self.optimiser.state_dict()
        kept = [part for part in parts if part.startswith("optimiser.")]
        optimiser_state["state"] = {int(part.partition(".")[2]): parts[part] for part in kept}
        self.optimiser.load_state_dict(optimiser_state)
        for name, tensor in parts["replay"].items():
            self.replay.arrays[name][: len(tensor)] = tensor.numpy()
        self.replay.added = added
        self.gradient_steps = gradient_steps
        self.values.refresh()
