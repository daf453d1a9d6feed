"""The studies of Gravwell: what is compared, and what follows from the figures."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import pytest

from sandtable.games.gravwell.learning.neuro_evolution.config import COMPARED
from sandtable.games.gravwell.studies import STUDIES
from sandtable.games.gravwell.studies.evolution import EVOLVED, evolved_share
from sandtable.games.gravwell.studies.shares import more_is
from sandtable.registry import make_agent
from sandtable.reproduce.run import Settings
from sandtable.reproduce.studies import (
    AGREES,
    CANNOT_BE_TOLD,
    CONTRADICTS,
    Measurement,
    studies_of,
)

BY_NAME = {study.name: study for study in STUDIES}


@contextmanager
def silence(label: str, games: int):
    yield lambda count: None


def share(value: float) -> tuple[Measurement, ...]:
    return (Measurement("games won", value, value - 0.01, value + 0.01, 10_000),)


def test_studies_are_found_and_their_names_differ():
    assert studies_of("gravwell") == STUDIES
    assert len(BY_NAME) == len(STUDIES)
    evolving = ("competition", "selection", "outputs", "rivals")
    variants = {each.name for name in evolving for each in BY_NAME[name].variants}
    assert variants == set(COMPARED)


def test_tree_with_options_is_measured_under_both_rules():
    tree = BY_NAME["tree-future"].variants[0]
    figures = tree.measure(Settings(games=40), silence)
    assert [figure.quantity for figure in figures] == [
        "games won, tractors inert", "games won, true rule",
    ]  # fmt: skip
    assert all(figure.count == 40 and figure.low < figure.value for figure in figures)


def test_networks_are_evolved_and_measured():
    won, games = evolved_share("crossover", 1, Settings(quick=True, games=30), silence)
    assert 0 <= won < 0.8
    assert games == 30
    EVOLVED.clear()
    again, _ = evolved_share("crossover", 1, Settings(quick=True, games=30), silence)
    assert won == again


@pytest.mark.parametrize(
    ("first", "second", "verdicts"),
    [
        (0.4, 0.3, ("agrees", "contradicts", "contradicts")),
        (0.3, 0.4, ("contradicts", "contradicts", "agrees")),
        (0.3, 0.31, ("cannot be told", "agrees", "cannot be told")),
    ],
)
def test_verdicts_follow_from_intervals(first, second, verdicts):
    measured = {"a": share(first), "b": share(second)}
    found = tuple(more_is("a", "b", claim)(measured).verdict for claim in (1, 0, -1))
    assert found == verdicts


def test_readings_say_which_is_nearest():
    names = [each.name for each in BY_NAME["tree-readings"].variants]
    measured = {name: share(0.58) for name in names} | {"lowest": share(0.51)}
    finding = BY_NAME["tree-readings"].judge(measured)
    assert finding.verdict == "agrees"
    assert "'lowest' with 51.0%" in finding.words


def test_agents_of_the_studies_can_be_made():
    for spec in ("decision-tree:careful=5", "fictitious-play:samples=8", "champion:randomness=0"):
        assert make_agent(f"gravwell/{spec}")


@pytest.mark.parametrize("study", ["champion-players", "champion-oracle"])
def test_a_share_without_an_interval_contradicts_nothing(study):
    """Nearly all games won leaves no interval; that is no reason to say that too few were won."""
    judge = BY_NAME[study].judge
    half = Measurement("games won", 0.6, 0.55, 0.65, 100)
    bare, fewer = replace(half, value=0.99, low=None, high=None), replace(half, low=0.3, high=0.4)
    figures = {2: half, 3: half, 4: half}
    for changed, verdict in ((half, AGREES), (bare, CANNOT_BE_TOLD), (fewer, CONTRADICTS)):
        measured = {f"players-{players}": [figure] for players, figure in figures.items()}
        assert judge({**measured, "players-2": [changed]}).verdict == verdict


def test_a_part_that_does_harm_contradicts_that_every_part_helps():
    def figures(**shares: float):
        none = share(0.9)
        return {name.replace("_", "-"): (*none, *share(value)) for name, value in shares.items()}

    judge = BY_NAME["champion-without"].judge
    assert judge(figures(whole=0.8, no_draft=0.7, no_stop=0.75)).verdict == AGREES
    unclear = judge(figures(whole=0.8, no_draft=0.7, no_stop=0.79))
    assert unclear.verdict == CANNOT_BE_TOLD and "not told apart no-stop" in unclear.words
    harmful = judge(figures(whole=0.8, no_draft=0.7, no_stop=0.85))
    assert harmful.verdict == CONTRADICTS and "clearly more no-stop" in harmful.words


def test_a_finding_tells_every_figure_that_it_is_made_of():
    """What decides may be the last of the opponents, and not the random players."""
    figures = [Measurement("games won", each, each - 0.05, each + 0.05, 9) for each in (0.9, 0.7)]
    worst = Measurement("games won", 0.42, 0.37, 0.47, 9)
    finding = BY_NAME["champion-players"].judge({"players-2": [*figures, worst]})
    assert finding.verdict == CONTRADICTS
    assert "42.0% (37.0 to 47.0)" in finding.words
