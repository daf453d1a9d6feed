"""Studies of Lucid's imitation agents: what they measure, and what they make of it."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from sandtable.games.lucid.agents.expert.games import BUNDLED_GAMES
from sandtable.games.lucid.learning.expert_database import unseen_seed
from sandtable.games.lucid.studies import databases, evaluator, imitation
from sandtable.games.lucid.studies.measuring import watched_games
from sandtable.records.files import RecordFile
from sandtable.reproduce.run import Settings
from sandtable.reproduce.studies import (
    AGREES,
    CONTRADICTS,
    Measurement,
    StudyResult,
    studies_of,
)
from sandtable.reproduce.study_pages import study_plot

OURS = {study.name: study for study in (*evaluator.STUDIES, *imitation.STUDIES, *databases.STUDIES)}


def quiet(label: str, games: int) -> nullcontext[object]:
    return nullcontext(lambda count: None)


def figures(value: float, *others: float, at: float | None = None) -> tuple[Measurement, ...]:
    first = Measurement("score", value, value - 0.05, value + 0.05, 1000, at=at)
    return (first, *(Measurement("seconds a game", each, count=20) for each in others))


def test_no_seed_gives_the_dice_of_an_expert_game() -> None:
    scanned = RecordFile(BUNDLED_GAMES, create=False).scan()
    known = {finding.record.seed for finding in scanned if finding.record}
    known.add(1)  # the games behind the bundled networks
    assert known == {0, 1}
    assert not known & {unseen_seed(seed) for seed in range(1000)}


def test_with_unseen_dice_the_expert_is_not_simply_repeated() -> None:
    games = list(watched_games("lucid/imitation-1:mirror=no", 6, Settings(games=6), quiet))
    last = [game.distances[-1][1] for game in games]
    assert sum(distance > 0 for distance in last) >= 5


@pytest.mark.parametrize("name", [*OURS])
def test_every_study_is_known_and_its_variants_have_names_of_their_own(name: str) -> None:
    assert OURS[name] in studies_of("lucid")
    names = [variant.name for variant in OURS[name].variants]
    titles = [variant.title for variant in OURS[name].variants]
    assert len(set(names)) == len(names) and len(set(titles)) == len(titles)


def test_the_published_figure_is_placed_on_the_curve() -> None:
    study = OURS["evaluator-constraint"]
    measured = {
        name: figures(2.0 + place, at=float(games))
        for place, (name, games) in enumerate(evaluator.TRAINED_GAMES.items())
    } | {evaluator.BY_LOT: figures(0.5)}
    finding = study.judge(measured)
    assert finding.verdict == AGREES
    assert "6.60 lies between the evaluators of 20,000 and 50,000 games" in finding.words
    plot = study_plot(StudyResult(study, "lucid", measured, {}))
    assert [len(curve.points) for curve in plot.rows] == [1, 1, 7]  # two level lines and a curve
    higher = {name: figures(each[0].value + 9, at=each[0].at) for name, each in measured.items()}
    assert "below the random choice" in study.judge(higher).words


def test_doubling_the_database_is_judged_by_gain_and_time() -> None:
    study = OURS["database-size"]

    def measured(gained: float, slower: float) -> dict[str, tuple[Measurement, ...]]:
        return {
            f"{agent}-{size}": figures(5 + gained * place, 0.01 * slower**place, at=float(size))
            for agent in databases.AGENTS
            for place, size in enumerate(databases.SIZES)
        }

    assert study.judge(measured(0.1, 2.0)).verdict == AGREES
    assert study.judge(measured(0.1, 1.0)).verdict == CONTRADICTS
    assert study.judge(measured(2.0, 2.0)).verdict == CONTRADICTS
    plot = study_plot(StudyResult(study, "lucid", measured(0.1, 2.0), {}))
    assert [len(curve.points) for curve in plot.rows] == [len(databases.SIZES)] * 5


def test_weights_of_the_distance_help_only_beyond_chance() -> None:
    study = OURS["distance-weights"]
    measured = {variant.name: figures(6.0) for variant in study.variants}
    assert study.judge(measured).verdict == AGREES
    measured["imitation-4-north"] = figures(6.5)
    finding = study.judge(measured)
    assert finding.verdict == CONTRADICTS and "rows 4 and 5 count twice +0.50" in finding.words


def test_variants_can_be_measured_in_a_few_games() -> None:
    settings = Settings(games=12)
    by_turn = OURS["match-distance"].variants[0].measure(settings, quiet)
    assert [figure.at for figure in by_turn] == sorted(figure.at or 0 for figure in by_turn)
    assert by_turn[0].value < by_turn[-1].value
    relaxed = next(v for v in OURS["relaxation"].variants if v.name == "imitation-3-bottlenecks")
    score, taken_off = relaxed.measure(settings, quiet)
    assert score.count == 12 and taken_off.quantity == "units taken off a turn"
    by_lot = OURS["evaluator-imitation-3"].variants[0].measure(settings, quiet)
    assert by_lot[0].at is None
