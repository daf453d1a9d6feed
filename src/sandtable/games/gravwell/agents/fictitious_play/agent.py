"""Fictitious play, which section 3.4 of the report calls hard: see response.py.

Draft and Emergency Stop are those of the described decision tree, since fictitious play is about
what is chosen at the same time.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy, Explanation
from sandtable.agents.scripted import Scripted
from sandtable.agents.weights import array_file, bundled_file, read_array_file
from sandtable.compiled import kernel
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.card_sets import hand_of, refuse_other_games
from sandtable.games.gravwell.agents.decision_tree.agent import DecisionTree
from sandtable.games.gravwell.agents.decision_tree.described import act as act_by_tree
from sandtable.games.gravwell.agents.fictitious_play.response import (
    SITUATIONS,
    Beliefs,
    new_beliefs,
    weigh_cards,
)
from sandtable.games.gravwell.agents.q_learning.drawing import CELL, LEFT, cell, shade, sheet
from sandtable.games.gravwell.cards import CARDS, NAMES
from sandtable.games.gravwell.drawing.trees import Branch, TreeNode, forest_svg
from sandtable.pictures import text
from sandtable.types import Game, State

__all__ = ["FictitiousPlay", "beliefs_bytes", "load_beliefs"]

WEIGHTS = Path(__file__).parent / "weights"
TITLE = "How often a card in hand was played, by where its owner was drawn"
SITUATION_NAMES = ("back", "stuck", "forward")
MOST_SAMPLES = 100_000


class BeliefOptions(NamedTuple):
    """What the kernel plays by."""

    beliefs: Beliefs
    samples: int


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: BeliefOptions,
    actions: NDArray[np.int16],
) -> int:
    """Play the best answer to what others are believed to play; draft and stop by the tree."""
    if view[layout.PHASE] != layout.PLAYING:
        return act_by_tree(view, dice, memory, np.empty(0), actions)
    seat, worth = layout.as_int64(view[layout.MOVER]), np.empty(CARDS)
    actions[0] = weigh_cards(view, seat, constants.beliefs, constants.samples, dice, worth)
    return 1


def beliefs_bytes(beliefs: Beliefs, notes: dict[str, str]) -> bytes:
    """Return the file of some beliefs, with words about them.

    >>> len(beliefs_bytes(new_beliefs(), {})) > 3000
    True
    """
    arrays = {name: array.astype(np.float32) for name, array in beliefs._asdict().items()}
    return array_file(arrays, notes)


def load_beliefs(path: Path) -> Beliefs:
    """Read a file, or say in one line what is wrong with it."""
    try:
        arrays, _ = read_array_file(path.read_bytes())
        found = {name: arrays[name].astype(np.float64) for name in Beliefs._fields}
    except OSError as problem:
        raise SandtableError(f"cannot read the beliefs {path}: {problem.strerror}") from None
    except (ValueError, KeyError) as problem:
        raise SandtableError(f"{path} is damaged or holds no beliefs: {problem}") from problem
    for name, array in new_beliefs()._asdict().items():
        if found[name].shape != array.shape or not (found[name] >= 0).all():
            raise SandtableError(f"{path} is damaged: its counts '{name}' have another shape")
    return Beliefs(**found)


class FictitiousPlay(Scripted):
    """Answers best to how often others have played each card, by looking at the turn to come."""

    meanings: ClassVar[Mapping[str, str]] = {
        "beliefs": "bundled habits of others by their name, or a file",
        "samples": "deals looked at for a card",
    }

    def __init__(self, beliefs: str = "self-play", samples: int = 64) -> None:
        """Take bundled ``beliefs`` (self-play) or a file; look at so many deals for a card."""
        if not 1 <= samples <= MOST_SAMPLES:
            raise ValueError(f"samples is 1 to {MOST_SAMPLES}, got {samples}")
        self.path = bundled_file(beliefs, WEIGHTS, ".safetensors")
        self.options = BeliefOptions(load_beliefs(self.path), samples)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return [self.path]

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games."""
        refuse_other_games("gravwell/fictitious-play", game)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel with the beliefs as its constants."""
        self.suits(game)
        return CompiledPolicy(act, constants=self.options)

    def shares(self) -> NDArray[np.float64]:
        """Return how often each card in hand was played [card, situation], over all turns."""
        beliefs = self.options.beliefs
        held = np.maximum(beliefs.held.sum(1), 1.0)
        found: NDArray[np.float64] = (beliefs.played.sum(1) / held).T
        return found

    def stop_words(self) -> str:
        """Say how often moves were stopped."""
        beliefs = self.options.beliefs
        other, back = beliefs.stopped / np.maximum(beliefs.asked, 1.0)
        return f"Stopped: {back:.1%} of moves back, {other:.1%} of others"

    def show_text(self) -> str:
        """Return how often each card in hand was played, by where its owner was drawn."""
        lines = [TITLE, f"{'':>6}" + "".join(f"{word:>9}" for word in SITUATION_NAMES)]
        for card, shares in enumerate(self.shares()):
            lines.append(f"{NAMES[card]:>6}" + "".join(f"{share:>9.1%}" for share in shares))
        return "\n".join([*lines, self.stop_words()])

    def show_svg(self) -> str:
        """Return the same as a drawing, a column a card."""
        parts = [text(LEFT, 26, TITLE, 17), text(LEFT, 46, self.stop_words(), 13)]
        for row, word in enumerate(SITUATION_NAMES):
            parts.append(text(LEFT - 12, 60 + CELL * (row + 0.55), word, 12, text_anchor="end"))
        for card, shares in enumerate(self.shares()):
            for row, share in enumerate(shares):
                words = NAMES[card], f"{share:.0%}"
                parts += cell(card, row, words, shade(float(share), 1.0), 60)
        return sheet(LEFT + CARDS * CELL + 24, 80 + SITUATIONS * CELL, parts)

    def explain(self, view: State, dice: Dice) -> Explanation:
        """Tell what each card is worth against what the others are believed to play."""
        position = np.array(view.position)
        if position[layout.PHASE] != layout.PLAYING:
            return DecisionTree().explain(view, dice)
        seat, worth = int(position[layout.MOVER]), np.zeros(CARDS)
        samples, beliefs = self.options.samples, self.options.beliefs
        best = int(weigh_cards(position, seat, beliefs, samples, dice.array, worth))
        hand = int(hand_of(position, seat))
        cards = sorted((card for card in range(CARDS) if hand >> card & 1), key=lambda c: -worth[c])
        title = f"Mean lead over the best other ship after this turn, over {samples} deals"
        lines = [f"{title}:", *(f"{NAMES[card]:>6} {worth[card]:>8.1f}" for card in cards)]
        branches = (
            Branch(f"{worth[card]:.1f}", TreeNode(NAMES[card], (), card == best)) for card in cards
        )
        svg = forest_svg([(title, TreeNode("the card to play", tuple(branches), True))])
        words = "\n".join([*lines, f"It plays {view.game.notation.action_name(best)}."])
        return Explanation((best,), words, svg)
