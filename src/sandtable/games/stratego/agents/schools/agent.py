"""Scripted players of Stratego: waiter, hunter, chaser, rusher and besieger.

None of them has learned anything, and none plays as the learned players do: they are there to be
met by a champion that has only known its own kind. What each cares for is one row of weights.
"""

from __future__ import annotations

from typing import ClassVar

from sandtable.agent import CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.errors import WrongSeats
from sandtable.games.stratego.agents.schools.acting import School, act
from sandtable.types import Game

__all__ = ["SCHOOLS", "Besieger", "Chaser", "Hunter", "Rusher", "Waiter"]


class SchoolPlayer(Scripted):
    """What the scripted players share: a kernel, and a row of weights."""

    school: ClassVar[School]

    @classmethod
    def suits(cls, game: Game) -> None:
        """Refuse other games."""
        if game.name != "stratego":
            raise WrongSeats(f"'stratego/{cls.__name__.lower()}' plays stratego, not {game.name}")

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel and the weights; it remembers nothing."""
        return CompiledPolicy(act, (0,), self.school)


class Waiter(SchoolPlayer):
    """Stratego; bombs where the lanes end, the spy behind them, and no step beyond the own rows.

    >>> Waiter.school.traps
    1.0
    """

    school = School(
        traps=1.0, caution=1.5, hunt=0.1, doubt=1.0, secrecy=0.15, home=3.0, restless=0.0, whim=0.5
    )


class Hunter(SchoolPlayer):
    """Stratego; finds ranks out with the weak, and hunts known pieces with the next higher ones.

    >>> Hunter.school.hunt > Hunter.school.probe
    True
    """

    school = School(hunt=1.2, probe=0.5, probers=5.0, curiosity=1.2, secrecy=0.1)


class Chaser(SchoolPlayer):
    """Stratego; runs after whatever has moved with its strongest pieces, and attacks it.

    >>> Chaser.school.chasers
    7.0
    """

    school = School(
        caution=0.7, hunt=0.8, chase=1.0, chasers=7.0, probe=0.1, curiosity=0.8, secrecy=0.05
    )


class Rusher(SchoolPlayer):
    """Stratego; everything goes forward and attacks what it meets.

    >>> Rusher.school.caution
    0.2
    """

    school = School(
        caution=0.2, hunt=0.6, probe=1.0, probers=10.0, curiosity=2.5, secrecy=0.0, whim=0.6
    )


class Besieger(SchoolPlayer):
    """Stratego; sets up as people do, keeps the strong back until the weak have found targets.

    >>> Besieger.school.home
    0.0
    """

    school = School(
        traps=0.1,
        caution=1.2,
        hunt=1.0,
        chase=0.4,
        chasers=9.0,
        probe=0.35,
        probers=4.0,
        curiosity=0.9,
        secrecy=0.2,
        doubt=0.2,
    )


SCHOOLS = {
    "stratego/waiter": Waiter,
    "stratego/hunter": Hunter,
    "stratego/chaser": Chaser,
    "stratego/rusher": Rusher,
    "stratego/besieger": Besieger,
}
