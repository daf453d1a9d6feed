#!/usr/bin/env python3
"""MaskablePPO of sb3-contrib learns a seat of a game against an agent of ours. Try it::

    pip install 'sandtable-games[examples]'
    python docs/examples/maskable_ppo.py --steps 8192

The environment tells which actions are legal through ``action_masks()``, so that the learner never
wastes a game on one that is not.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from sandtable.adapters.gymnasium import SingleSeatEnv, single_seat_env

SMALL = (  # a map of three by four squares, on which even random games are decided
    "skirmish:level=xxxxxxxx/xxxxxxxx/xx1t1xxx/xx3xxx/xx3xxx/xx1T1xxx/xxxxxxxx/xxxxxxxx,max_turns=60"
)
FIRST_TEST_SEED = 10_000  # games that are not trained on


def mean_score(env: SingleSeatEnv, model: MaskablePPO, games: int) -> tuple[float, float]:
    """Return the mean score of a policy over these games, and its standard error."""
    scores = []
    for number in range(games):
        observation, _ = env.reset(seed=FIRST_TEST_SEED + number)
        over = False
        while not over:
            action, _ = model.predict(observation, action_masks=env.action_masks())
            observation, score, over, _, _ = env.step(int(action))
        scores.append(score)
    return float(np.mean(scores)), float(np.std(scores) / np.sqrt(games))


def main(arguments: Sequence[str] | None = None) -> tuple[float, float]:
    """Measure, learn, measure again; return the mean scores before and after."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default=SMALL)
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--steps", type=int, default=8192, help="decisions to learn from")
    parser.add_argument("--games", type=int, default=200, help="to measure with")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)  # so small a network gains nothing from more
    env = single_seat_env(options.game, opponents=options.opponent)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=512,
        batch_size=128,
        n_epochs=6,
        learning_rate=1e-3,
        gamma=1.0,
        seed=options.seed,
        policy_kwargs={"net_arch": [64]},
        device="cpu",
    )
    means = []
    for learnt in (0, options.steps):
        if learnt:
            model.learn(learnt)
        mean, error = mean_score(env, model, options.games)
        means.append(mean)
        print(f"after {learnt:,} decisions: {mean:.3f} +- {1.96 * error:.3f}")
    return means[0], means[1]


if __name__ == "__main__":
    main()
