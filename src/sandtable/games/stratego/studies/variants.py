"""How the two strategies play the smaller variants, each with a network of its own."""

from __future__ import annotations

from functools import partial

from sandtable.games.stratego.agents.board_networks import bundled_for
from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import (
    AGREES,
    CANNOT_BE_TOLD,
    Finding,
    Measured,
    Measurement,
    Study,
    Variant,
    score_against,
)

__all__ = ["VARIANT_STUDIES"]

GAMES, QUICK_GAMES = 60, 4
OPPONENTS = ("random", "stratego/baseline")
NAMES = {"policy": "strategy 1", "value": "strategy 2"}


def play_variant(kind: str, variant: str, settings: Settings, report: Report) -> list[Measurement]:
    """Let the network of a variant play both opponents, and that of the classic game beside it."""
    found = []
    agents = {"": f"stratego/{kind}:weights={bundled_for(kind, variant)}"}
    if variant != "mini":  # another board
        agents[", network of the classic game"] = f"stratego/{kind}:weights={kind}-classic"
    for words, agent in agents.items():
        for opponent in OPPONENTS:
            won = score_against(
                f"stratego:long_scouts=false,repetition=version-1,variant={variant}",
                [agent, opponent],
                settings,
                report,
                games=GAMES,
                quick=QUICK_GAMES,
                label=f"{variant}: {NAMES[kind]}{words} - {opponent}",
                share=True,
            )
            found.append(Measurement.of(f"games won against {opponent}{words}", won))
    return found


def judge(measured: Measured) -> Finding:
    """Say against whom the networks hold their own; the paper has no figure of the small board."""
    words = ", ".join(
        f"{name} {figures[1].value:.0%} against the baseline" for name, figures in measured.items()
    )
    ahead = all(figures[0].value > 0.5 for figures in measured.values())
    return Finding(AGREES if ahead else CANNOT_BE_TOLD, f"{words}.")


VARIANT_STUDIES = (
    Study(
        "variants",
        "Stratego: the strategies on the small board, in barrage and in duel",
        "Smith, Learning to Play Stratego with Convolutional Neural Networks, 2015, section 3",
        "a version of 6 by 6 squares with twelve pieces served for trying designs",
        tuple(
            Variant(
                f"{kind}-{variant}",
                f"{NAMES[kind]}, {variant}",
                partial(play_variant, kind, variant),
            )
            for variant in ("mini", "barrage", "duel")
            for kind in NAMES
        ),
        judge,
        minutes=5,
    ),
)
