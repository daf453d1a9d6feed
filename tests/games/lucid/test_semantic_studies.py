"""The studies of the semantic agent: what they measure, and what they make of it."""

import itertools
from contextlib import nullcontext
from dataclasses import replace

import pytest

from sandtable.games.lucid.agents.force_groups import PATHS
from sandtable.games.lucid.learning.label_agreement import CategoryAgreement
from sandtable.games.lucid.learning.semantic.recipe import PUBLISHED
from sandtable.games.lucid.studies import semantic, semantic_example, semantic_fitting
from sandtable.games.lucid.studies.figures import apart
from sandtable.games.lucid.studies.semantic_trainings import accuracies, score_of_training
from sandtable.reproduce.run import Settings
from sandtable.reproduce.studies import (
    AGREES,
    CANNOT_BE_TOLD,
    CONTRADICTS,
    Measurement,
    Study,
    studies_of,
)


def quiet(label, games):
    return nullcontext(lambda count: None)


def named(name) -> Study:
    return next(study for study in studies_of("lucid") if study.name == name)


def figure(value, half=0.1, at=None, quantity="score"):
    return Measurement(quantity, value, value - half, value + half, 100, at=at)


def test_every_study_has_variants_with_names_of_their_own():
    names = [study.name for study in semantic.STUDIES]
    assert len(set(names)) == len(names) and {study.name for study in studies_of("lucid")} >= {
        *names
    }
    for study in semantic.STUDIES:
        variants = [variant.name for variant in study.variants]
        assert len(set(variants)) == len(variants) > 1


def test_figures_are_apart_if_their_intervals_are():
    assert apart(figure(7), figure(6)) == 1 and apart(figure(6), figure(7)) == -1
    assert apart(figure(6.1), figure(6)) == 0
    assert apart(Measurement("score", 9.0), figure(6)) == 0  # without an interval nothing is sure


def test_a_short_training_is_measured():
    short = replace(PUBLISHED, examples=3000)
    out, inside = accuracies(short, quiet, 20)
    assert 0.8 < out < 0.96 and 0.85 < inside <= 1
    found = score_of_training(short, Settings(games=10), quiet, games=400)
    assert found.count == 10 and 0 <= found.value <= 15


def test_overfitting_is_seen_where_it_is():
    judge = semantic_fitting.ACCURACY.judge
    held = "right on games held out"
    rising = [figure(value, 0.01, at, held) for at, value in [(1, 0.9), (2, 0.95), (3, 0.95)]]
    falling = [figure(value, 0.01, at, held) for at, value in [(1, 0.9), (2, 0.95), (3, 0.9)]]
    assert judge({"twenty-games": rising}).verdict == AGREES
    assert judge({"twenty-games": falling}).verdict == CONTRADICTS


def test_worse_play_after_longer_training_is_seen():
    def trainings(*scores):
        return {
            f"seed-{seed}": [
                Measurement("score", score + 0.01 * seed, None, None, 10, at=place)
                for place, score in enumerate(scores, start=1)
            ]
            for seed in range(8)
        }

    judge = named("semantic-fitting").judge
    assert judge(trainings(5, 7, 7)).verdict == AGREES
    assert judge(trainings(5, 7, 6)).verdict == CONTRADICTS


def test_judges_say_what_the_figures_say():
    lookup = {name: [figure(3)] for name in ("lookup-1", "lookup-5", "lookup-15")}
    assert semantic.LOOKUP.judge(lookup | {"networks": [figure(7)]}).verdict == AGREES
    assert semantic.LOOKUP.judge(lookup | {"networks": [figure(2)]}).verdict == CONTRADICTS
    seeds = {f"seed-{seed}": [figure(6.2 + 0.02 * seed)] for seed in range(8)}
    assert semantic.SEEDS.judge(seeds).verdict == AGREES
    seeds = {f"seed-{seed}": [figure(7.2 + 0.02 * seed)] for seed in range(8)}
    assert "higher than 6.28" in semantic.SEEDS.judge(seeds).words


def test_red_is_judged_by_what_it_concedes():
    def conceded(*scores):
        names = zip(scores, "ab", strict=True)
        return [figure(score, quantity=f"score of {name}") for score, name in names]

    found = semantic.RED.judge({"semantic": conceded(3, 9), "axes": conceded(5, 5)})
    assert found.words == "it concedes less than AxesRed to a and more to b."


@pytest.mark.parametrize("paths", PATHS)
def test_the_search_for_the_example_tries_every_placement(paths):
    """Two Red units and a group on a3 b3 that is to see them on a5 and e5."""
    group = semantic_example.possible_groups()[0]
    found = semantic_example.search(paths, group, 2, (2, 0, 2, 1, 3, 0, 4, 0, 5, 1))
    assert found.placements == sum(1 for _ in itertools.combinations_with_replacement(range(23), 2))
    assert found.matches >= 1 and found.at_home >= 1


def test_kappa_is_nothing_where_chance_explains_all():
    assert (
        CategoryAgreement("attack", 0, 0, 0, 9).kappa
        != CategoryAgreement("attack", 0, 0, 0, 9).kappa
    )
    assert CategoryAgreement("attack", 5, 0, 0, 5).kappa == 1
    assert CategoryAgreement("attack", 25, 25, 25, 25).kappa == 0


def test_an_attribute_is_of_no_matter_only_where_that_is_seen():
    def judged(low, high):
        whole = [Measurement("score", 7.0, 6.9, 7.1, 5)]
        without = [Measurement("score", (low + high) / 2, low, high, 5)]
        measured = {"all": whole, "without-group-density": without, "without-turns": whole}
        return semantic.ATTRIBUTES.judge(measured).verdict

    assert judged(6.85, 7.05) == AGREES
    assert judged(6.3, 7.5) == CANNOT_BE_TOLD  # a unit less may be hidden there
    assert judged(5.9, 6.1) == CONTRADICTS
