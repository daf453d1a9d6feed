"""The published decision tree: as described, as coded, and with what its authors had in mind."""

from __future__ import annotations

from sandtable.agent import CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.errors import suggestion
from sandtable.games.gravwell.agents.card_sets import refuse_other_games
from sandtable.games.gravwell.agents.decision_tree import as_coded as authors_program
from sandtable.games.gravwell.agents.decision_tree import described
from sandtable.types import Game

__all__ = ["DecisionTree"]


class DecisionTree(Scripted):
    """Yes-or-no questions for draft, play and Emergency Stop (published 52%)."""

    def __init__(
        self, as_coded: bool = False, foresight: str = "none", saving: bool = False
    ) -> None:
        """Play as the text describes it, or ``as_coded``: as the authors' program did.

        ``foresight`` looks at who is drawn where after its move: own, others or both. With
        ``saving`` the Emergency Stop is kept for losses that are large enough for the turn.
        """
        if foresight not in described.FORESIGHT:
            raise ValueError(
                f"foresight is one of {', '.join(described.FORESIGHT)}, got '{foresight}'."
                + suggestion(foresight, described.FORESIGHT)
            )
        if as_coded and (foresight != "none" or saving):
            raise ValueError("the tree as_coded has neither foresight nor saving")
        self.as_coded, self.foresight, self.saving = as_coded, foresight, saving

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games."""
        refuse_other_games("gravwell/decision-tree", game)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel of the variant."""
        self.suits(game)
        if self.as_coded:
            return CompiledPolicy(authors_program.act, authors_program.MEMORY)
        if self.saving or self.foresight != "none":
            settings = (described.FORESIGHT[self.foresight], int(self.saving))
            return CompiledPolicy(described.act_with_foresight, settings)
        return CompiledPolicy(described.act)
