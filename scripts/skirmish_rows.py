"""Play rows of the thesis's tables with one network for many games at once, for instance on a GPU.

    python scripts/skirmish_rows.py play thesis-5000 --weights FILE.onnx --out games.jsonl
    python scripts/skirmish_rows.py take thesis-5000 games.jsonl

``play`` adds a line for each finished game to the file and goes on where it was stopped; ``take``
puts such lines among the kept games of ``sandtable reproduce skirmish``, once the file of weights
is bundled under its name; ``check`` plays some of them again, one by one with onnxruntime, and says
how many came out the same; ``write`` makes results/skirmish.* of what is kept.
"""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sandtable.arena.play.kept_games import KeptGames
from sandtable.arena.play.match import play_match
from sandtable.cli.common import write_json
from sandtable.cli.reproduce import command_words, write_reports
from sandtable.games.skirmish.learning.dsl.learner import TorchValues
from sandtable.games.skirmish.learning.dsl.networks import fill_from_file, new_network
from sandtable.games.skirmish.level_matches import LevelMatch
from sandtable.games.skirmish.reproduction import (
    level_matches_of,
    plan_of,
    published_table,
    reproduce,
)
from sandtable.games.skirmish.side_by_side import play_side_by_side
from sandtable.learning.torch_networks import chosen_device
from sandtable.reproduce.run import Settings
from sandtable.specs import parse_spec

KEPT = Path("results/skirmish.games.jsonl")
SETTINGS = Settings()


def row_named(name: str) -> dict[str, Any]:
    """Return a row of the table."""
    return next(row for row in published_table()["rows"] if row["agent"] == name)


def read(path: Path) -> dict[LevelMatch, bool]:
    """Return the finished games of a file; half a line at its end is none."""
    found = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            data = json.loads(line)
        except ValueError:
            continue
        won = data.pop("won")
        found[LevelMatch(**data)] = won
    return found


def values_of(path: Path, kind: str, device: str) -> TorchValues:
    """Return the values of a file of weights, computed by torch without short cuts."""
    torch.backends.cudnn.allow_tf32 = False
    chosen = chosen_device(device)
    values = TorchValues(new_network(0, kind).to(chosen), chosen)
    fill_from_file(values.form, path)
    return values


def play(arguments: argparse.Namespace) -> None:
    """Play what is not in the file yet, the published levels first."""
    row, table = row_named(arguments.row), published_table()
    done = read(arguments.out)
    kept = KeptGames(KEPT if arguments.missing else None)
    matches = [
        each
        for each in level_matches_of(row, table, SETTINGS)
        if each not in done
        and not (arguments.missing and kept.find(plan_of(each, row, table, SETTINGS)))
    ][: arguments.games]
    plans = [plan_of(match, row, table, SETTINGS) for match in matches]
    budget = int(parse_spec(row["spec"]).options["budget"])
    values = values_of(arguments.weights, arguments.network, arguments.device)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with arguments.out.open("a") as file:
        for number, won in play_side_by_side(plans, [m.seat for m in matches], budget, values):
            match = matches[number]
            data = {name: getattr(match, name) for name in ("part", "level", "seat", "budget")}
            file.write(json.dumps({**data, "games": 1, "won": won}) + "\n")
            file.flush()
    print(f"{arguments.row}: {len(read(arguments.out))} games in {arguments.out}")


def take(arguments: argparse.Namespace) -> None:
    """Keep the games of files."""
    row, table = row_named(arguments.row), published_table()
    kept, added = KeptGames(KEPT), 0
    for path in arguments.files:
        for match, won in read(path).items():
            plan = plan_of(match, row, table, SETTINGS)
            if not kept.find(plan):
                kept.add(plan, 0, [float(won)])
                added += 1
    print(f"{arguments.row}: {added} games added to {KEPT}")


def check(arguments: argparse.Namespace) -> None:
    """Play a few games of a file again with onnxruntime."""
    row, table = row_named(arguments.row), published_table()
    games = list(read(arguments.files[0]).items())
    chosen = np.linspace(0, len(games) - 1, min(arguments.games, len(games))).astype(int)
    same = 0
    for match, won in (games[number] for number in chosen):
        result = play_match(plan_of(match, row, table, SETTINGS))
        same += (result.seats[match.seat].score.mean > 0) == won
    print(f"{arguments.row}: {same} of {len(chosen)} games again came out the same")


def write_rows(arguments: argparse.Namespace) -> None:
    """Write the results of all rows that are kept to their last game, and play nothing."""
    settings = Settings(kept=KEPT, journals=[])
    done = reproduce(settings, lambda label, games: nullcontext(lambda count: None), kept_only=True)
    write_json(Path("results/skirmish.json"), done.as_data())
    write_reports([Path("results/skirmish.md")], [done], command_words("skirmish", settings))
    for row in done.rows:
        print(f"{row.agent}: {row.note or row.verdict}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    commands = parser.add_subparsers(required=True)
    playing = commands.add_parser("play")
    playing.add_argument("row")
    playing.add_argument("--weights", type=Path, required=True)
    playing.add_argument("--out", type=Path, required=True)
    playing.add_argument("--network", default="author")
    playing.add_argument("--device", default="auto")
    playing.add_argument("--games", type=int, default=None)
    playing.add_argument("--missing", action="store_true", help="skip games that are kept")
    playing.set_defaults(action=play)
    for name, action in (("take", take), ("check", check)):
        command = commands.add_parser(name)
        command.add_argument("row")
        command.add_argument("files", type=Path, nargs="+")
        command.add_argument("--games", type=int, default=6)
        command.set_defaults(action=action)
    commands.add_parser("write").set_defaults(action=write_rows)
    arguments = parser.parse_args()
    arguments.action(arguments)


if __name__ == "__main__":
    main()
