"""Training Stratego's champion by self-play, from the configuration down to the last round.

The network plays itself, and older selves, in thousands of games side by side; after every few
moves it learns from them by a clipped policy gradient. The configuration and the stages of the run
are in config.py, the games in games.py, the opponents in rivals.py; here are the gradient steps
(PPO), and the run that puts all together. See docs/games/stratego/champion.md.

Beside the chances of moves the network learns how the game will end, and which ranks the hidden
pieces have; the last is known while training and makes the network look at what gives ranks away.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from sandtable.games.stratego.agents.classic_board import weights_file
from sandtable.games.stratego.agents.schools.agent import SCHOOLS
from sandtable.games.stratego.learning.champion.config import (
    CHAMPION,
    SCHOOLED,
    TINY,
    TUNED,
    ChampionConfig,
)
from sandtable.games.stratego.learning.champion.games import Played, SelfPlay
from sandtable.games.stratego.learning.champion.network import (
    ChampionModel,
    export_onnx,
    hidden_ranks,
    input_planes,
    new_model,
    read_champion,
)
from sandtable.learning.checkpoints import Arrays, Checkpoint
from sandtable.learning.recipes import Recipe
from sandtable.learning.run import Control, Metrics, Run, notes_of, trained
from sandtable.learning.torch_networks import chosen_device, load_network

__all__ = ["RECIPE", "ChampionLearner"]

SECONDS_BETWEEN_SAVES = 60.0
OTHERS = {"past": "older selves", "rival": "the rival", "searcher": "the searcher"}
OTHERS |= {name.split("/")[1]: f"the {name.split('/')[1]}" for name in SCHOOLS}
OTHERS["stranger"] = "strangers"
LARGEST_STEP = 0.5  # norm of a gradient
VALUE_WEIGHT = 0.5  # of the squared error of the value in the loss
LOSSES = ("policy", "value", "belief", "entropy")


class ChampionLearner:
    """A network, its optimiser, older copies of it, and an average of all of them."""

    def __init__(self, config: ChampionConfig, device: torch.device) -> None:
        self.config, self.device = config, device
        self.model = self.blank(config.seed)
        self.past = self.blank(config.seed)
        self.average = self.blank(config.seed)  # of the networks of all rounds, the last most
        self.first = self.blank(config.seed) if config.anchor > 0.0 else None  # to stay near
        self.older: list[dict[str, Tensor]] = []  # weights of older selves, oldest first
        self.optimiser = torch.optim.Adam(self.model.parameters(), lr=config.learning_rate)
        self.parameters = dict(self.model.named_parameters())
        for parameter in self.parameters.values():  # so that a checkpoint has the same arrays ever
            self.optimiser.state[parameter] = {
                "step": torch.tensor(0.0),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }

    def blank(self, seed: int) -> ChampionModel:
        """Return a new network on the device."""
        size = self.config.channels, self.config.blocks
        if self.config.begin_with:
            path = weights_file(self.config.begin_with, "champion")
            model = read_champion(path, *size, seed, self.config.history).to(self.device)
        else:
            model = new_model(*size, seed, self.config.history).to(self.device)
        return model.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]

    def begin_round(self, number: int) -> None:
        """Set the learning rate, keep an older self now and then, and choose one to play."""
        config = self.config
        for group in self.optimiser.param_groups:
            group["lr"] = config.rate_in(number)
        if number % config.past_every == 0:
            own = self.model.state_dict()
            self.older.append({name: weight.clone() for name, weight in own.items()})
            del self.older[: -config.past_kept]
        if self.first is not None and config.anchor_every and number % config.anchor_every == 0:
            self.first.load_state_dict(self.average.state_dict())
        chosen = np.random.default_rng([config.seed, number]).integers(len(self.older))
        self.past.load_state_dict(self.older[chosen])

    def learn(self, played: Played, games: SelfPlay, number: int) -> dict[str, float]:
        """Go over the moves of a round in a random order; return the means of the losses."""
        flat = Played(*(column.flatten(0, 1) for column in played))
        wanted = flat.own.nonzero().squeeze(1)
        if self.config.learned_share < 1.0:
            count = max(1, int(self.config.learned_share * len(wanted)))
            wanted = wanted[flat.advantages[wanted].abs().topk(min(count, len(wanted))).indices]
        dice = torch.Generator("cpu")
        dice.manual_seed(self.config.seed * 1_000_003 + number)
        losses = []
        for _ in range(self.config.in_round(number).passes):
            order = wanted[torch.randperm(len(wanted), generator=dice).to(self.device)]
            for part in torch.split(order, self.config.chunk):
                chunk = Played(*(column[part] for column in flat))
                losses.append(self.step(chunk, games, number))
        self.take_into_average()
        means = torch.stack(losses).mean(0).tolist() if losses else [0.0] * len(LOSSES)
        return dict(zip(LOSSES, means, strict=True))

    def take_into_average(self) -> None:
        """Move the averaged network a little towards the newest one."""
        newest = self.model.parameters()
        with torch.no_grad():
            for averaged, weight in zip(self.average.parameters(), newest, strict=True):
                averaged.lerp_(weight, 1.0 - self.config.average)

    def step(self, chunk: Played, games: SelfPlay, number: int) -> Tensor:
        """Make one gradient step; return the parts of the loss."""
        config = self.config
        given = games.planes(chunk.positions, chunk.seats)
        given = given.contiguous(memory_format=torch.channels_last)
        half = config.sixteen_bits or self.device.type == "cuda"
        masks = games.turned_masks(chunk.masks, chunk.seats)
        with torch.autocast(self.device.type, torch.bfloat16, half):
            logits, values, beliefs = self.model(given)
        policy, entropy = policy_losses(logits.float(), masks, chunk, config.clip)
        value = functional.mse_loss(values.float(), chunk.returns.clamp(-1.0, 1.0))
        ranks = hidden_ranks(chunk.positions, chunk.seats)
        belief = functional.cross_entropy(beliefs.float(), ranks, ignore_index=-1)
        belief = torch.nan_to_num(belief)  # no hidden piece at all in a tiny chunk
        loss = policy + VALUE_WEIGHT * value + config.belief * belief
        loss = loss - config.entropy_in(number) * entropy
        if self.first is not None:
            with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16, half):
                before, _, _ = self.first(given)
            loss = loss + config.anchor * distance_from(before.float(), logits.float(), masks)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), LARGEST_STEP)
        self.optimiser.step()
        return torch.stack([policy.detach(), value.detach(), belief.detach(), entropy.detach()])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that a checkpoint needs."""
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.tensors()}

    def tensors(self) -> Iterator[tuple[str, Tensor]]:
        """Name every tensor that changes while learning."""
        for name, weight in self.model.state_dict().items():
            yield f"network/{name}", weight
        for name, weight in self.average.state_dict().items():
            yield f"average/{name}", weight
        if self.first is not None and self.config.anchor_every:
            for name, weight in self.first.state_dict().items():
                yield f"first/{name}", weight
        for name, parameter in self.parameters.items():
            for key, value in self.optimiser.state[parameter].items():
                yield f"optimiser/{name}/{key}", value
        for index, weights in enumerate(self.older):
            for name, weight in weights.items():
                yield f"older/{index}/{name}", weight

    def restore(self, arrays: Mapping[str, NDArray[Any]], older: int) -> None:
        """Go back to a checkpoint with so many older selves."""
        own = self.model.state_dict()
        self.older = [{name: weight.clone() for name, weight in own.items()} for _ in range(older)]
        with torch.no_grad():
            for name, tensor in self.tensors():
                tensor.copy_(torch.from_numpy(np.array(arrays[name])).reshape(tensor.shape))


def policy_losses(
    logits: Tensor, masks: Tensor, chunk: Played, clip: float
) -> tuple[Tensor, Tensor]:
    """Return the clipped loss of the moves, and how varied the play is."""
    chances = torch.log_softmax(logits.masked_fill(~masks, -1e9), 1)
    ratio = torch.exp(chances.gather(1, chunk.actions[:, None]).squeeze(1) - chunk.chances)
    gains = chunk.advantages
    gains = (gains - gains.mean()) / (gains.std(correction=0) + 1e-6)
    kept = torch.clamp(ratio, 1.0 - clip, 1.0 + clip)
    policy = -torch.minimum(ratio * gains, kept * gains).mean()
    entropy = -(chances.exp() * chances.masked_fill(~masks, 0.0)).sum(1).mean()
    return policy, entropy


def distance_from(before: Tensor, logits: Tensor, masks: Tensor) -> Tensor:
    """Return how far the chances of moves are from what they were before (KL), on average."""
    now = torch.log_softmax(logits.masked_fill(~masks, -1e9), 1)
    then = torch.log_softmax(before.masked_fill(~masks, -1e9), 1)
    return (now.exp() * (now - then).masked_fill(~masks, 0.0)).sum(1).mean()


# --- a run ----------------------------------------------------------------------------------------


class Training:
    """A learner and its games; they can be broken off after any round."""

    def __init__(self, config: ChampionConfig, control: Control) -> None:
        torch.set_num_threads(control.threads)
        device = chosen_device(control.device)
        self.config, self.learner = config, ChampionLearner(config, device)
        self.counters: dict[str, Any] = {"rounds": 0, "seconds": 0.0, "older": 0}
        self.games = SelfPlay(config, device, control.jobs)

    def arrays(self) -> Arrays:
        """Return the networks and the games."""
        self.counters["older"] = len(self.learner.older)
        arrays = self.learner.arrays() | self.games.remembered()
        return arrays | {f"games/{name}": kept for name, kept in self.games.batch.saved().items()}

    def restore(self, arrays: Arrays) -> None:
        """Go back to such networks and games."""
        self.learner.restore(arrays, self.counters["older"])
        self.games.begin_round(self.counters["rounds"])
        self.games.remember_again(arrays)
        prefix = "games/"
        self.games.batch.restore(
            {
                name.removeprefix(prefix): array
                for name, array in arrays.items()
                if name.startswith(prefix)
            }
        )

    def play_round(self) -> Metrics:
        """Play and learn; return what is worth knowing about the round."""
        began, number = time.perf_counter(), self.counters["rounds"]
        learner, games = self.learner, self.games
        learner.begin_round(number)
        played = games.play(learner.model, learner.past, number)
        losses = learner.learn(played, games, number)
        self.counters["rounds"] = number + 1
        self.counters["seconds"] += time.perf_counter() - began
        red, drawn, blue = (int(count) for count in games.results)
        games.results[:] = 0
        return {
            "round": number,
            **{name: round(loss, 5) for name, loss in losses.items()},
            "finished": red + drawn + blue,
            "draws": drawn,
            "red_wins": red,
            **self.results_against_others(),
            "rate": self.config.rate_in(number),
            "seconds": round(self.counters["seconds"], 3),
        }

    def results_against_others(self) -> dict[str, float]:
        """Return the games that ended against others and the points won in them; count anew."""
        results: dict[str, float] = {}
        for name, counts in self.games.against.items():
            results |= {f"{name}_points": float(counts[0]), f"{name}_games": int(counts[1])}
            counts[:] = 0
        return results


def train(config: ChampionConfig, folder: Path, control: Control) -> bool:
    """Train, or go on training, in a folder; say whether the last round has been played."""
    with Run(config, folder, control, SECONDS_BETWEEN_SAVES) as run:
        training = run.attach(Training(config, control))
        while training.counters["rounds"] < config.rounds:
            run.report(training.play_round())
            if control.must_stop() and training.counters["rounds"] < config.rounds:
                return False
    return True


def model_of(checkpoint: Checkpoint) -> ChampionModel:
    """Return the averaged network of a checkpoint, the one that plays."""
    config = checkpoint.config
    planes = input_planes(config.get("history", False))  # older runs do not name it
    model = ChampionModel(config["channels"], config["blocks"], planes)
    load_network(model, checkpoint.arrays, "average")
    return model


def export(folder: Path) -> str:
    """Write the newest network of a folder as an ONNX file to play with."""
    checkpoint = trained(folder)
    path = folder / "weights.onnx"
    notes = notes_of(checkpoint) | {"rounds": str(checkpoint.counters["rounds"])}
    difference = export_onnx(model_of(checkpoint), path, notes)
    return f"{path} (at most {difference:.2%} off the network); play with weights={path}"


def progress_line(metrics: Metrics) -> str:
    """Say in a few words how learning goes."""
    text = (
        f"value error {metrics['value']:.3f}, hidden ranks {metrics['belief']:.3f}, variety "
        f"{metrics['entropy']:.2f}, {metrics['finished']} games ended, {metrics['draws']} drawn"
    )
    for name, words in OTHERS.items():
        if games := metrics.get(f"{name}_games"):
            text += f", {metrics[f'{name}_points'] / games:.0%} against {words}"
    return text


RECIPE = Recipe(
    summary="Stratego's champion: a network trained by self-play with a policy gradient.",
    presets={"champion": CHAMPION, "schooled": SCHOOLED, "tuned": TUNED, "tiny": TINY},
    train=train,
    export=export,
    unit="round",
    length=lambda config: int(config.rounds),
    progress_line=progress_line,
)
