"""What the paper of Stratego says about its method, tried by changing one thing at a time."""

from __future__ import annotations

from sandtable.games.stratego.studies.beliefs import BELIEF_STUDIES
from sandtable.games.stratego.studies.elsewhere import ELSEWHERE_STUDIES
from sandtable.games.stratego.studies.information import INFORMATION_STUDIES
from sandtable.games.stratego.studies.networks import NETWORK_STUDIES
from sandtable.games.stratego.studies.training import TRAINING_STUDIES
from sandtable.games.stratego.studies.variants import VARIANT_STUDIES
from sandtable.reproduce.studies import Study

__all__ = ["STUDIES"]

STUDIES: tuple[Study, ...] = (
    *NETWORK_STUDIES,
    *TRAINING_STUDIES,
    *VARIANT_STUDIES,
    *INFORMATION_STUDIES,
    *ELSEWHERE_STUDIES,
    *BELIEF_STUDIES,
)
