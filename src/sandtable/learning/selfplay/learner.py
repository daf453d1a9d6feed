"""What a self-play run trains: the network, its average that plays, and a pool of old selves."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from sandtable.errors import SandtableError
from sandtable.learning.checkpoints import Arrays
from sandtable.learning.selfplay.averaged import AveragedNetwork, results_of
from sandtable.learning.selfplay.games import Decisions
from sandtable.learning.selfplay.network import GameNetwork
from sandtable.types import Game

if TYPE_CHECKING:
    from sandtable.learning.selfplay.recipe import SelfPlayConfig

__all__ = ["NetworkInTraining", "thinned"]

USUAL_SPREAD = 0.25  # of results, before any is known
FOLLOWED = 0.1  # share by which the spread follows that of a round


def thinned(rounds: list[int], most: int) -> list[int]:
    """Return the rounds whose networks stay in a pool, spread evenly over the run.

    >>> thinned([0, 10, 20, 30], 3)
    [0, 20, 30]
    """
    kept = list(rounds)
    while len(kept) > most:
        if len(kept) < 3:
            return kept[-most:]
        gaps = [kept[place + 1] - kept[place - 1] for place in range(1, len(kept) - 1)]
        kept.pop(1 + gaps.index(min(gaps)))
    return kept


class NetworkInTraining(AveragedNetwork["SelfPlayConfig", Decisions]):
    """The network, its average, old selves, and the decisions of the last rounds."""

    def __init__(self, config: SelfPlayConfig, game: Game, device: torch.device) -> None:
        super().__init__(config, game, device, Decisions)
        self.old_selves: dict[int, GameNetwork] = {}  # by round
        self.counters |= {"pool": [], "spread": USUAL_SPREAD}

    def networks(self) -> dict[str, GameNetwork]:
        """Return all networks that belong to the run, by their names in a checkpoint."""
        old = {f"pool/{number}": network for number, network in self.old_selves.items()}
        return super().networks() | old

    def restore(self, arrays: Arrays) -> None:
        """Go back to a checkpoint."""
        for number in self.counters["pool"]:
            self.old_selves[number] = copy.deepcopy(self.average)
        super().restore(arrays)

    @property
    def rounds_learned_from(self) -> int:
        """How many rounds the window has; with secrets few, for old deals mislead."""
        return self.config.window or (2 if self.game.hidden else 20)

    def pool(self) -> list[GameNetwork]:
        """Return the old selves, the oldest first; none of them is ever changed."""
        return [self.old_selves[number].eval() for number in sorted(self.old_selves)]

    def player(self) -> GameNetwork:
        """Return the network that plays the games of the next round.

        Without secrets that is the average, the better player. With secrets it is the network
        itself: a step of its policy begins where the last one ended, and an average that follows
        slowly would take most of every step back.
        """
        return (self.network if self.game.hidden else self.average).eval()

    def step_size(self) -> float:
        """How far the policy moves by what an action gains: less, where results differ more.

        It falls with time, so that in the end many deals together decide.
        """
        return self.step_now / max(float(self.counters["spread"]), 1e-3)

    def magnet(self) -> float:
        """The part by which the policy is drawn towards equal shares; it falls with time.

        It falls by the step and once more like the step. A pull that falls faster does not hold the
        policy: in Leduc poker even with exact values it then runs in circles.
        """
        return min(0.5, self.step_now * self.config.magnet * self.settled)

    @property
    def settled(self) -> float:
        """What steps have fallen to: 1 at first, less with the rounds."""
        return 1.0 / math.sqrt(1.0 + self.counters["rounds"] / self.config.settling_rounds)

    @property
    def step_now(self) -> float:
        """The step of the policy in this round, in parts of the spread of results."""
        return self.config.step * self.settled

    def learn(self, decisions: Decisions, scores: NDArray[np.float64]) -> dict[str, float]:
        """Learn from the window, of which these decisions are the newest."""
        passes = self.config.passes or (6 if self.game.hidden else 2)
        losses = self.learn_from(decisions, self.rounds_learned_from, passes, least_steps=1)
        if losses is None:
            raise SandtableError(
                f"nobody had a choice in the games of round {self.counters['rounds'] + 1}, "
                "so there is nothing to learn"
            )
        self.note_round(scores)
        return {
            "policy_loss": float(losses[0]),
            "value_loss": float(losses[1]),
            "learning_rate": self.rate,
        }

    def note_round(self, scores: NDArray[np.float64]) -> None:
        """Keep in mind how far results differ, and the network if the pool wants it."""
        counters, config = self.counters, self.config
        results = results_of(self.game, scores)
        counters["spread"] += FOLLOWED * (float(results.std(axis=0).mean()) - counters["spread"])
        counters["rounds"] += 1
        counters["window"] = len(self.window)
        if config.pool and counters["rounds"] % config.pool_rounds == 0:
            self.old_selves[counters["rounds"]] = copy.deepcopy(self.average)
            counters["pool"] = thinned(sorted(self.old_selves), config.pool)
            self.old_selves = {each: self.old_selves[each] for each in counters["pool"]}

    @property
    def follow(self) -> float:
        """The share by which the average follows the network in this step.

        With secrets ever less: each network leans towards the deals of its last rounds.
        """
        return self.follow_less if self.game.hidden else super().follow

    @property
    def rate(self) -> float:
        """The step size of learning, which falls with the steps taken.

        With secrets it falls as the step of the policy does; otherwise the network would shake by
        more than the policy is to move.
        """
        if self.game.hidden:
            return self.config.learning_rate * self.settled
        return self.falling_rate

    def step(self, decisions: Decisions, batch: NDArray[np.int64]) -> tuple[float, float]:
        """Take one step; return the losses of policy and values."""
        self.use_rate(self.rate)
        planes = torch.from_numpy(decisions.planes[batch]).to(self.device).float()
        actions = torch.from_numpy(decisions.actions[batch].astype(np.int64)).to(self.device)
        shares = torch.from_numpy(decisions.shares[batch]).to(self.device).float()
        results = decisions.values[batch].astype(np.float32)
        share = self.config.result_share
        results[:, 0] = share * results[:, 0] + (1 - share) * decisions.searched[batch]
        wanted = torch.from_numpy(results).to(self.device)
        logits, values = self.network(planes)
        # Only actions that could be played count: what is said of the others does not matter.
        named = torch.gather(logits, 1, actions.clamp(min=0)).masked_fill(actions < 0, -1e9)
        policy_loss = -(shares * torch.log_softmax(named, dim=1)).sum(dim=1).mean()
        value_loss = torch.nn.functional.binary_cross_entropy_with_logits(values, wanted)
        self.descend(policy_loss + value_loss)
        return float(policy_loss.detach()), float(value_loss.detach())
