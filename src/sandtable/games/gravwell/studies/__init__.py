"""What the paper of Gravwell says about its method, tried by changing one thing at a time."""

from __future__ import annotations

from sandtable.games.gravwell.studies import agents, champions, evolution
from sandtable.reproduce.studies import Study

__all__ = ["STUDIES"]

STUDIES: tuple[Study, ...] = (*agents.STUDIES, *champions.STUDIES, *evolution.STUDIES)
