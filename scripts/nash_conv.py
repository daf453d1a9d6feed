"""NashConv of a network in a small game of OpenSpiel, by its exact sums.

    python scripts/nash_conv.py openspiel.kuhn_poker runs/kuhn/network.onnx

The network plays alone and draws its moves by their shares (``temperature=1``). With ``--json`` a
row is added to the list in a file.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from sandtable.adapters.openspiel.nash import nash_conv
from sandtable.agents.network import Network
from sandtable.dice import Dice
from sandtable.registry import make_game


def main() -> None:
    """Compute and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", help="for example openspiel.leduc_poker")
    parser.add_argument("weights", type=Path, help="a file that 'sandtable train selfplay' wrote")
    parser.add_argument("--json", type=Path, help="a file with a list of results")
    parser.add_argument("--command", default="", help="how the network was trained")
    given = parser.parse_args()
    game = make_game(given.game)
    agent = Network(weights=given.weights)
    found = nash_conv(game, lambda view: agent.thought(view, Dice(0))[0])
    anything = nash_conv(game, lambda view: view.mask / view.mask.sum())
    print(f"NashConv {found:.4f} (playing anything: {anything:.4f})")
    if given.json:
        rows = json.loads(given.json.read_text("utf-8")) if given.json.exists() else []
        row = {
            "game": given.game,
            "nash_conv": round(found, 4),
            "playing_anything": round(anything, 4),
            "command": given.command,
        }
        given.json.write_text(json.dumps([*rows, row], indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
