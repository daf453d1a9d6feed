"""The published decision tree: as described, as coded, and with what its authors had in mind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sandtable.agent import CompiledPolicy, Explanation
from sandtable.agents.scripted import Scripted
from sandtable.dice import Dice
from sandtable.errors import suggestion
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.card_sets import field_of, hand_of, refuse_other_games
from sandtable.games.gravwell.agents.decision_tree import as_coded as authors_program
from sandtable.games.gravwell.agents.decision_tree import described, questions
from sandtable.games.gravwell.drawing.trees import forest_svg
from sandtable.types import Game, State

__all__ = ["DecisionTree"]


def known(option: str, value: str, words: dict[str, int]) -> int:
    """Return the number of a word; a ValueError tells an unknown one.

    >>> known("forward", "lowest", described.FORWARD)
    1
    """
    if value not in words:
        raise ValueError(
            f"{option} is one of {', '.join(words)}, got '{value}'." + suggestion(value, words)
        )
    return words[value]


class DecisionTree(Scripted):
    """Yes-or-no questions for draft, play and Emergency Stop (published 52%)."""

    meanings: ClassVar[Mapping[str, str]] = {
        "as_coded": "play as the authors' program did, not as the text says",
        "forward": "which card goes forward: highest, lowest, earliest or any",
        "groups": "groups of cards in the draft, 4 or 5",
        "foresight": "look at who is drawn where after its move: none, own, others or both",
        "saving": "keep the Emergency Stop for losses that are large enough",
        "careful": "play low cards after it, with other ships within so many tiles; 0: no",
        "random_card": "play any card",
    }

    def __init__(
        self,
        as_coded: bool = False,
        forward: str = "highest",
        groups: int = described.ALL_GROUPS,
        foresight: str = "none",
        saving: bool = False,
        careful: int = 0,
        random_card: bool = False,
    ) -> None:
        """Play as the text describes it, or ``as_coded``: as the authors' program did.

        The text does not say which card goes ``forward``: highest, lowest, earliest or any.
        ``groups`` is how many groups of cards the draft has, 4 or 5. ``foresight`` looks at who is
        drawn where after its move: own, others or both. With ``saving`` the Emergency Stop is kept
        for losses that are large enough for the turn; ``careful`` plays low cards after it, with
        other ships within so many tiles; ``random_card`` plays any card.
        """
        if groups not in (described.FEWER_GROUPS, described.ALL_GROUPS):
            raise ValueError(f"groups is 4 or 5, got {groups}")
        if not 0 <= careful <= described.CARE:
            raise ValueError(f"careful is 0 to {described.CARE} tiles, got {careful}")
        self.settings = described.Settings(
            known("forward", forward, described.FORWARD),
            groups,
            known("foresight", foresight, described.FORESIGHT),
            saving,
            careful,
            random_card,
        )
        if as_coded and self.settings not in (
            described.Settings(),
            described.Settings(random_card=True),
        ):
            raise ValueError("the tree as_coded has no other option than random_card")
        self.as_coded = as_coded

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games."""
        refuse_other_games("gravwell/decision-tree", game)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel of the variant."""
        self.suits(game)
        if self.as_coded:
            drawing = self.settings.random_card
            act = authors_program.act_with_random_card if drawing else authors_program.act
            return CompiledPolicy(act, authors_program.MEMORY)
        if self.settings != described.Settings():
            return CompiledPolicy(described.act_with_settings, constants=self.settings)
        return CompiledPolicy(described.act)

    # --- to be looked at ---

    def tree(self, phase: int) -> questions.Tree:
        """Return the tree of a phase."""
        drawn = self.settings.random_card and phase == layout.PLAYING
        coded = self.as_coded and not drawn
        return questions.trees_of(phase, None if coded else self.settings)

    def show_text(self) -> str:
        """Return the three trees, indented."""
        found = []
        for phase, title in questions.PHASES.items():
            found += [title, *indented(self.tree(phase), "  "), ""]
        return "\n".join(found[:-1])

    def show_svg(self) -> str:
        """Return a drawing of the three trees (figures 7 to 9 of the report)."""
        drawn = [
            (title, questions.as_drawn(self.tree(phase)))
            for phase, title in questions.PHASES.items()
        ]
        return forest_svg(drawn)

    def explain(self, view: State, dice: Dice) -> Explanation:
        """Tell the way that was taken through the tree."""
        (action,) = self.choose(view, dice)
        position = np.array(view.position)
        phase = int(position[layout.PHASE])
        tree = self.tree(phase)
        steps = list(questions.way_taken(tree, position))
        name = view.game.notation.action_name
        lines = [f"{questions.PHASES[phase]}:"]
        if phase == layout.DRAFTING:
            lines.append(f"  on the field: {questions.cards_in_words(int(field_of(position)))}")
        seat = int(position[layout.MOVER])
        lines.append(f"  in hand: {questions.cards_in_words(int(hand_of(position, seat)))}")
        for step in steps[:-1]:
            lines.append(f"  {step.words} {'yes' if step.reply else 'no'}")
        lines.append(f"  so: {steps[-1].words}")
        if len(steps[-1].actions) > 1:
            choices = " ".join(name(each) for each in steps[-1].actions)
            lines.append(f"  that can be: {choices}")
        lines.append(f"It plays {name(action)}.")
        svg = forest_svg([(questions.PHASES[phase], questions.as_drawn(tree, position))])
        return Explanation((action,), "\n".join(lines), svg)


def indented(tree: questions.Tree, indent: str) -> list[str]:
    """Write a tree, a question or an answer a line."""
    if isinstance(tree, questions.Answer):
        return [f"{indent}{tree.words}"]
    return [
        f"{indent}{tree.words}",
        f"{indent}yes:",
        *indented(tree.yes, indent + "    "),
        f"{indent}no:",
        *indented(tree.no, indent + "    "),
    ]
