"""What the papers of Operation Lucid say about their methods, tried one change at a time."""

from sandtable.games.lucid.studies import (
    databases,
    evaluator,
    imitation,
    rule_changes,
    semantic,
)

__all__ = ["STUDIES"]

STUDIES = (
    *evaluator.STUDIES,
    *imitation.STUDIES,
    *databases.STUDIES,
    *semantic.STUDIES,
    *rule_changes.STUDIES,
)
