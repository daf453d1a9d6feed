"""What a trained response gets in a small game, exactly, beside the best there is.

    python scripts/response_value.py openspiel.leduc_poker random player0 runs/leduc/network.onnx

The agent's chances have to be known or be estimated well; the network plays the action it likes
best. With ``--json`` a row is added to the list in a file.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from sandtable.learning.exploit.exact import best_response, laid_out, value_of_agent
from sandtable.learning.exploit.habits import Habits
from sandtable.registry import make_game


def main() -> None:
    """Compute and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", help="for example openspiel.leduc_poker")
    parser.add_argument("against", help="the fixed agent")
    parser.add_argument("seat", help="the seat of the response")
    parser.add_argument("weights", type=Path, help="a file of 'sandtable train response'")
    parser.add_argument("--json", type=Path, help="a file with a list of results")
    parser.add_argument("--command", default="", help="how the network was trained")
    given = parser.parse_args()
    game = make_game(given.game)
    tree = laid_out(game, game.seat_number(given.seat), Habits(game, given.against))
    best = best_response(tree).value
    found = value_of_agent(tree, Habits(game, f"network:weights={given.weights}"))
    print(f"{found:.4f}, the best is {best:.4f}: short by {best - found:.4f}")
    if given.json:
        rows = json.loads(given.json.read_text("utf-8")) if given.json.exists() else []
        row = {
            "game": given.game,
            "against": given.against,
            "seat": given.seat,
            "value": round(found, 4),
            "best": round(best, 4),
            "command": given.command,
        }
        given.json.write_text(json.dumps([*rows, row], indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
