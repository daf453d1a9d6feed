"""Gardner's machine of matchboxes: an agent that has learnt, and that says what it thinks."""

import json
from importlib.resources import files
from pathlib import Path

from sandtable import Agent, Analysis, Candidate, Explanation, SandtableError

BUNDLED = Path(str(files(__package__) / "boxes.json"))


def read_boxes(path):
    """Return the boxes of a file: by position, the moves that still have a bead."""
    try:
        return {line: list(moves) for line, moves in json.loads(path.read_text("utf-8")).items()}
    except (OSError, ValueError, AttributeError, TypeError) as problem:
        raise SandtableError(f"no matchboxes can be read from {path}: {problem}") from problem


class Machine(Agent):
    """Hexapawn; draws a bead from the matchbox of the position, as Gardner's machine did.

    A file of boxes comes from ``sandtable train hexapawn/machine``; the bundled one was trained as
    Black on three by three squares. Where there is no box every legal move has a bead.
    """

    scale = "chance"  # what its values mean: the chance to win

    def __init__(self, boxes: str = "") -> None:
        self.path = Path(boxes) if boxes else BUNDLED
        self.boxes = read_boxes(self.path)

    def choose(self, view, dice):
        """Draw one of the beads."""
        beads = self.beads(view)
        return beads[dice.below(len(beads))]

    def beads(self, view):
        """Return the moves to draw from; an empty box gives up hope, not the game."""
        moves = self.boxes.get(view.line, [])
        return view.game.parse_actions(moves) or view.legal

    def weight_files(self):
        """Return the file the boxes come from, so that results are known to belong to it."""
        return (self.path,)

    def analyse(self, view, dice):
        """Say how likely each move is; a box without beads says that the game is lost."""
        beads = self.beads(view)
        lost = self.boxes.get(view.line) == []
        candidates = tuple(Candidate((action,), share=1 / len(beads)) for action in beads)
        return Analysis(self.scale, 0.0 if lost else None, candidates)

    def explain(self, view, dice):
        """Draw as ``choose`` does, and show the box."""
        beads = self.beads(view)
        action = beads[dice.below(len(beads))]
        names = [view.game.notation.action_name(bead) for bead in beads]
        taken = len(view.legal) - len(beads)
        text = f"beads left: {' '.join(names)}\nbeads taken away after defeats: {taken}"
        return Explanation((action,), text, view.game.drawing.svg(view.position))
