"""Gardner's way of learning: ``sandtable train hexapawn/machine --out runs/machine``."""

import json
from dataclasses import dataclass

from sandtable import (
    OVER,
    Dice,
    Recipe,
    Run,
    RunConfig,
    config_field,
    make_game,
    trained,
    write_whole,
)
from sandtable_hexapawn.game import LEAST, MOST


@dataclass(frozen=True)
class MachineConfig(RunConfig):
    """What can be chosen about a run: every field becomes an option of ``sandtable train``."""

    seed: int = config_field(0, "everything follows from it")
    games: int = config_field(2000, "games as Black against random moves", least=1, extendable=True)
    columns: int = config_field(LEAST, "of the board", least=LEAST, most=MOST)
    rows: int = config_field(LEAST, "of the board", least=LEAST, most=MOST)


class Matchboxes:
    """What is trained, and kept in checkpoints: the beads that are left, by position."""

    def __init__(self):
        self.counters = {"games": 0, "won": 0, "boxes": {}}

    def arrays(self):
        """Return arrays that change while learning; here all is among the counters."""
        return {}

    def restore(self, arrays):
        """Go back to such arrays."""


def learn_from_game(boxes, game, dice):
    """Play a game, and take away the last move's bead if it is lost; return whether it was won."""
    state, last = game.start(dice), None
    while state.turn != OVER:
        moves = list(state.legal_names)
        if game.seats[state.turn] == "black":
            beads = boxes.setdefault(state.line, moves)
            if not beads:
                break  # every move from here has lost: the machine resigns
            move = beads[dice.below(len(beads))]
            last = (state.line, move)
        else:
            move = moves[dice.below(len(moves))]
        state = state.play(move)
    won = state.turn == OVER and state.outcome.scores[1] > 0
    if not won and last is not None:
        boxes[last[0]].remove(last[1])
    return won


def train(config, folder, control):
    """Play until all games are played or somebody says stop; return whether all were played."""
    game = make_game(f"hexapawn:columns={config.columns},rows={config.rows}")
    with Run(config, folder, control) as run:
        counters = run.attach(Matchboxes()).counters
        while counters["games"] < config.games:
            if control.must_stop():
                return False
            number = counters["games"]
            dice = Dice(config.seed, "hexapawn machine", number)
            counters["won"] += learn_from_game(counters["boxes"], game, dice)
            counters["games"] += 1
            run.report({"game": number, "won": counters["won"]})
    return True


def export(folder):
    """Write the boxes for playing; return how to play with them."""
    path = folder / "boxes.json"
    boxes = json.dumps(trained(folder).counters["boxes"], indent=0, sort_keys=True)
    write_whole(path, f"{boxes}\n".encode())
    return f"play with hexapawn/machine:boxes={path}"


RECIPE = Recipe(
    summary="Hexapawn's machine of matchboxes, which learns by taking away beads (Gardner 1962).",
    presets={"published": MachineConfig()},
    train=train,
    export=export,
    progress_line=lambda metrics: f"{metrics['won']} won",
)
