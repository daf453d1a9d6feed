"""Fit the table by which Skirmish's champion orders its moves, and write it.

    python scripts/skirmish_order.py --positions 24000 --budget 400 --out order.safetensors

A tenth of the positions is kept back and tells how well the order foresees the search.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from sandtable.agents.weights import weights_bytes
from sandtable.games.skirmish.learning.champion.order import (
    choices_of_search,
    fit_order,
    places_of_choices,
)


def main() -> None:
    """Draw positions, fit, tell and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=24_000, help="of games of the champion")
    parser.add_argument("--budget", type=int, default=400, help="states for a choice")
    parser.add_argument("--passes", type=int, default=5, help="over all positions")
    parser.add_argument("--seed", type=int, default=777, help="of the games")
    parser.add_argument("--out", type=Path, required=True, help="file of the table")
    chosen = parser.parse_args()
    positions, choices = choices_of_search(chosen.positions, chosen.budget, chosen.seed)
    fitted = len(choices) * 9 // 10
    table, losses = fit_order(positions[:fitted], choices[:fitted], chosen.passes)
    places = np.zeros(len(choices) - fitted, dtype=np.int64)
    places_of_choices(positions[fitted:], choices[fitted:], table.astype(np.float64), places)
    print(f"loss {losses[0]:.3f} to {losses[-1]:.3f} on {fitted:,} positions")
    first, early = (places == 0).mean(), (places < 4).mean()
    print(f"of {len(places):,} others the choice comes first in {first:.1%}, early in {early:.1%}")
    notes = {name: str(value) for name, value in vars(chosen).items() if name != "out"}
    chosen.out.write_bytes(weights_bytes(table, notes))


if __name__ == "__main__":
    main()
