"""Gardner's way of learning: ``sandtable train hexapawn/machine --out runs/machine``."""

import json
from dataclasses import asdict, dataclass

from sandtable import OVER, Dice, Recipe, SandtableError, config_field, make_game

STATE, BOXES = "run.json", "boxes.json"


@dataclass(frozen=True)
class MachineConfig:
    """What can be chosen about a run; the size is that of Gardner's board."""

    seed: int = config_field(0, "everything follows from it")
    games: int = config_field(2000, "games to learn from, as Black against random moves")
    columns: int = config_field(3, "of the board")
    rows: int = config_field(3, "of the board")


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
    run = {"config": asdict(config), "games": 0, "boxes": {}}
    if (folder / STATE).exists():
        run = json.loads((folder / STATE).read_text("utf-8"))
        if run["config"] | {"games": config.games} != asdict(config):
            raise SandtableError(f"{folder} holds a run with another configuration")
    game = make_game(f"hexapawn:columns={config.columns},rows={config.rows}")
    won = 0
    while run["games"] < config.games and not control.must_stop():
        dice = Dice(config.seed, "hexapawn machine", run["games"])
        won += learn_from_game(run["boxes"], game, dice)
        control.tell({"game": run["games"], "news": f"{won} won"})
        run["games"] += 1
    run["config"] = asdict(config)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / STATE).write_text(json.dumps(run), encoding="utf-8")
    return run["games"] >= config.games


def export(folder):
    """Write the boxes for playing; return how to play with them."""
    boxes = json.loads((folder / STATE).read_text("utf-8"))["boxes"]
    text = json.dumps(boxes, indent=0, sort_keys=True)
    (folder / BOXES).write_text(text + "\n", encoding="utf-8")
    return f"play with hexapawn/machine:boxes={folder / BOXES}"


RECIPE = Recipe(
    summary="Hexapawn's machine of matchboxes, which learns by taking away beads (Gardner 1962).",
    presets={"published": MachineConfig()},
    train=train,
    export=export,
)
