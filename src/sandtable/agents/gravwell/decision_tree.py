"""The published decision tree, as described or as coded."""

from __future__ import annotations

from sandtable.agents.gravwell import decision_tree_as_coded, decision_tree_described
from sandtable.agents.gravwell.choosing import refuse_other_games
from sandtable.agents.scripted import Scripted
from sandtable.types import CompiledPolicy, Game

__all__ = ["DecisionTree"]


class DecisionTree(Scripted):
    """Yes-or-no questions for draft, play and Emergency Stop (published 52%)."""

    def __init__(self, as_coded: bool = False) -> None:
        """Play as the text describes it, or ``as_coded``: as the authors' program did."""
        self.as_coded = as_coded

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games."""
        refuse_other_games("gravwell/decision-tree", game)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel of the variant."""
        self.suits(game)
        if self.as_coded:
            return CompiledPolicy(decision_tree_as_coded.act, decision_tree_as_coded.MEMORY)
        return CompiledPolicy(decision_tree_described.act)
