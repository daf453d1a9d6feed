"""Studies of the two networks: what they see, how much they learn from, how they are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from sandtable.games.stratego.studies.fits import accuracies, fit_preset, strength
from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import (
    AGREES,
    CANNOT_BE_TOLD,
    CONTRADICTS,
    Finding,
    Measured,
    Measurement,
    Study,
    Variant,
)

__all__ = ["NETWORK_STUDIES"]

PAPER = "Smith, Learning to Play Stratego with Convolutional Neural Networks, 2015"
GAMES = 100  # of a network against an opponent
FEWER_GAMES = 40  # of each network on a curve
BASELINE = "stratego/baseline"
PARTS = (0.1, 0.3, 1.0)  # of the games that there are to learn from
NAMED, ENTROPY = "moves named (%), held out", "cross entropy, held out"
SIGNS, ERROR = "signs right (%), held out", "squared error, held out"
LITTLE = 0.1  # of an error: what a larger network may take off that is said to add little
CHANCE_WINS = 5.8  # per cent against the baseline: the row "baseline - random" of 1,000 games
WON = f"games won against {BASELINE} (%)"


def one_fit(
    kind: str,
    preset: str,
    settings: Settings,
    report: Report,
    *,
    opponents: Sequence[str] = (),
    judged_by: str = "",
) -> list[Measurement]:
    """Fit one preset; return its accuracy, and how it plays."""
    fitted = fit_preset(kind, preset, settings, report, judged_by=judged_by)
    won = [strength(fitted, each, settings, report, GAMES) for each in opponents]
    return [*accuracies(fitted), *won]


def over_games(preset: str, settings: Settings, report: Report) -> list[Measurement]:
    """Fit one preset to more and more games."""
    found = []
    for part in PARTS:
        fitted = fit_preset("policy", preset, settings, report, part)
        games = part * fitted.config.games * (1 - fitted.config.held_out)
        figures = accuracies(fitted, at=round(games))
        won = strength(fitted, BASELINE, settings, report, FEWER_GAMES, at=round(games))
        found += [figures[0], won]
    return found


def variant(kind: str, preset: str, title: str, *opponents: str, judged_by: str = "") -> Variant:
    """Return a variant that is a preset of a recipe."""
    measure = partial(one_fit, kind, preset, opponents=opponents, judged_by=judged_by)
    return Variant(f"{kind}-{preset}", title, measure)


def pick(measured: Measured, name: str, quantity: str) -> Measurement:
    """Return a figure of a variant."""
    return next(each for each in measured[name] if each.quantity == quantity)


def apart(first: Measurement, second: Measurement) -> int:
    """Say which of two figures is larger, 0 if their intervals overlap or are not known."""
    ends = (first.low, first.high, second.low, second.high)
    if any(end is None for end in ends):
        return 0
    assert first.low is not None and first.high is not None
    assert second.low is not None and second.high is not None
    return (first.low > second.high) - (first.high < second.low)


def shown(figure: Measurement) -> str:
    """Write a figure with its interval."""
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3g}"
    return f"{figure.value:.3g} ({figure.low:.3g} to {figure.high:.3g})"


def better(
    usual: str, changed: str, quantities: Sequence[str], words: str
) -> Callable[[Measured], Finding]:
    """Return a judge: the paper is right if the usual variant is the better one in the first."""

    def judge(measured: Measured) -> Finding:
        pairs = [
            (pick(measured, usual, each), pick(measured, changed, each)) for each in quantities
        ]
        lower_is_better = quantities[0] in (ENTROPY, ERROR)
        sign = apart(*pairs[0]) * (-1 if lower_is_better else 1)
        verdict = {1: AGREES, 0: CANNOT_BE_TOLD, -1: CONTRADICTS}[sign]
        figures = "; ".join(
            f"{name} {shown(first)} and {shown(second)}"
            for name, (first, second) in zip(quantities, pairs, strict=True)
        )
        return Finding(verdict, f"{words}: {figures}.")

    return judge


def judge_channels(measured: Measured) -> Finding:
    """Look whether a network without the channels has learned anything: does it play like chance?

    The paper says that training fails altogether without them, which is more than that it suffers.
    """
    names = ("policy-small", "policy-own-channels")
    pairs = [[pick(measured, name, what) for name in names] for what in (NAMED, ENTROPY, WON)]
    words = "; ".join(f"{both[0].quantity} {shown(both[0])} and {shown(both[1])}" for both in pairs)
    won = pairs[-1]
    text = f"With and without them: {words}; a player by chance wins {CHANCE_WINS:.3g}."
    low, high = won[1].low, won[1].high
    if low is not None and low > CHANCE_WINS:
        return Finding(CONTRADICTS, f"Training does not fail. {text}")
    failed = high is not None and high < 2 * CHANCE_WINS and apart(won[0], won[1]) > 0
    return Finding(AGREES if failed else CANNOT_BE_TOLD, text)


def judge_games(measured: Measured) -> Finding:
    """Look whether more games are still worth something at the end of the curve."""
    curve = [each for each in measured["shared"] if each.quantity == NAMED]
    words = ", ".join(f"{shown(each)} after {each.at:g} games" for each in curve)
    grows = apart(curve[-1], curve[0]) > 0
    return Finding(AGREES if grows else CANNOT_BE_TOLD, f"Moves named in per cent: {words}.")


def judge_shape(measured: Measured) -> Finding:
    """Look whether anything larger than the paper's network is better than it."""
    usual = pick(measured, "value-brief", ERROR)
    larger = ("filter-5", "filter-7", "filters-64", "layers-8")
    found = {name: pick(measured, f"value-{name}", ERROR) for name in larger}
    ahead = [name for name, each in found.items() if apart(usual, each) > 0]
    words = ", ".join(f"{name} {shown(each)}" for name, each in found.items())
    text = f"Squared error held out {shown(usual)} with the paper's shape; {words}."
    if ahead:
        return Finding(CONTRADICTS, text)
    least = (1 - LITTLE) * usual.value
    adds_little = all(each.low is not None and each.low > least for each in found.values())
    return Finding(AGREES if adds_little else CANNOT_BE_TOLD, text)


SHAPES = (
    ("brief", "five layers, 32 filters of 3x3"),
    ("filter-1", "filters of 1x1"),
    ("filter-5", "filters of 5x5"),
    ("filter-7", "filters of 7x7"),
    ("filters-8", "8 filters"),
    ("filters-16", "16 filters"),
    ("filters-64", "64 filters"),
    ("layers-1", "one layer"),
    ("layers-2", "two layers"),
    ("layers-3", "three layers"),
    ("layers-8", "eight layers"),
    ("shrinking", "boards lose their edges (ours)"),
)
NETWORK_STUDIES = (
    Study(
        "channels",
        "Stratego: planes left out of the input",
        f"{PAPER}, section 3.2",
        "without the channels that say what is known of the opponent, training fails altogether",
        (
            variant("policy", "small", "moves: all six", BASELINE),
            variant("policy", "no-history", "moves: own pieces and unmoved enemies", BASELINE),
            variant("policy", "own-channels", "moves: own pieces alone", BASELINE),
            variant("value", "small", "values: all six"),
            variant("value", "no-history", "values: own pieces and unmoved enemies"),
            variant("value", "own-channels", "values: own pieces alone"),
        ),
        judge_channels,
        minutes=20,
    ),
    Study(
        "turning",
        "Stratego: the board turned for Blue, or not",
        f"{PAPER}, section 3.2",
        "turning the board for the upper player should make training somewhat simpler",
        (
            variant("policy", "small", "moves: turned", BASELINE),
            variant("policy", "unturned", "moves: not turned", BASELINE),
            variant("value", "small", "values: turned"),
            variant("value", "unturned", "values: not turned"),
        ),
        better("policy-small", "policy-unturned", (NAMED, ENTROPY, WON), "Turned and not"),
        minutes=15,
    ),
    Study(
        "regularisation",
        "Stratego: weight decay of the network of moves",
        f"{PAPER}, section 4.1",
        "without strong regularisation the accuracy on moves held out falls to nothing",
        (
            variant("policy", "full-no-decay", "layers over all squares, no decay"),
            variant("policy", "full", "layers over all squares, decay 0.0001"),
            variant("policy", "full-strong-decay", "layers over all squares, decay 0.01"),
            variant("policy", "no-decay", "shared layers, no decay"),
            variant("policy", "small", "shared layers, decay 0.0001"),
            variant("policy", "strong-decay", "shared layers, decay 0.01"),
        ),
        better(
            "policy-full-strong-decay",
            "policy-full-no-decay",
            (NAMED, ENTROPY),
            "With strong decay and without any",
        ),
        minutes=15,
        published=(Measurement("moves named (%), held out", 5.0),),
    ),
    Study(
        "games",
        "Stratego: how many games the network of moves learns from",
        f"{PAPER}, section 3.3",
        "several thousand games of the baseline were used; accuracy stays near 5 per cent",
        (
            Variant("shared", "shared layers (ours)", partial(over_games, "brief")),
            Variant(
                "full", "layers over all squares (described)", partial(over_games, "brief-full")
            ),
        ),
        judge_games,
        horizontal="games learned from",
        logarithmic=True,
        minutes=15,
    ),
    Study(
        "filtering",
        "Stratego: positions without a clear leader",
        f"{PAPER}, section 4.2",
        "trained on all positions the network could do well by saying 0; clear ones are needed",
        (
            variant("value", "brief", "difference of 20% or more"),
            variant("value", "unfiltered", "all positions", judged_by="brief"),
        ),
        better("value-brief", "value-unfiltered", (SIGNS, ERROR), "With the filter and without"),
        minutes=6,
    ),
    Study(
        "shape",
        "Stratego: size and number of filters, and layers",
        f"{PAPER}, section 5",
        "filters above 3 to 5 squares, more than 32 of them or more than five layers add little",
        tuple(variant("value", name, title) for name, title in SHAPES),
        judge_shape,
        minutes=8,
    ),
)
