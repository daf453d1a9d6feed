"""Studies of the semantic agents of Operation Lucid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sandtable.games.lucid.agents.force_groups import FEATURE_NAMES
from sandtable.games.lucid.learning.expert_database import unseen_seed
from sandtable.games.lucid.learning.semantic.recipe import PUBLISHED
from sandtable.games.lucid.rules import SIDE
from sandtable.games.lucid.studies import semantic_example, semantic_fitting
from sandtable.games.lucid.studies.figures import alike, apart, words
from sandtable.games.lucid.studies.measuring import REPORT, blue_score
from sandtable.games.lucid.studies.semantic_trainings import (
    LARGE,
    LEAST_TRAININGS,
    LITERAL,
    TRAININGS,
    over_trainings,
    score_of_training,
)
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
    score_against,
)

__all__ = ["STUDIES"]

PUBLISHED_SCORE = Measurement("score", 6.28, 6.15, 6.41, 1000)
PUBLISHED_AGENT = f"{LITERAL},weights=published"
QUICK_TRAININGS = 2
ABLATION_EXAMPLES = 200_000  # of 500,000: 55 trainings are compared with one another alone


def spec_variant(name: str, title: str, agent: str, games: int = 2000) -> Variant:
    """Return a variant that is one agent against AxesRed."""

    def measure(settings: Settings, report: Report) -> Sequence[Measurement]:
        return [blue_score(agent, settings, report, games)]

    return Variant(name, title, measure)


# --- what each part of ours is worth -------------------------------------------------------------


def judge_parts(measured: Measured) -> Finding:
    """Say whether better orders and more games make the agent better."""
    figures = {name: some[0] for name, some in measured.items()}
    base = figures["published"]
    better = {
        "better orders": apart(figures["published-go"], base),
        "300 games instead of 20": apart(figures["published-300"], base),
        "both, and ranking by what is special": apart(figures["ours"], base),
    }
    told = "; ".join(
        f"{what}: {'higher' if sign > 0 else 'lower' if sign < 0 else 'no clear difference'}"
        for what, sign in better.items()
    )
    numbers = ", ".join(f"{name} {words(each)}" for name, each in figures.items())
    return Finding(AGREES if max(better.values()) > 0 else CONTRADICTS, f"{told}. {numbers}.")


def measure_large(settings: Settings, report: Report) -> Sequence[Measurement]:
    """Train the published agent on 300 games instead of 20."""
    found = score_of_training(PUBLISHED, settings, report, 2000, LARGE)
    return [replace(found, at=None)]


PARTS = Study(
    name="semantic-parts",
    title="The semantic agent: from the published one to ours",
    source=f"{REPORT}, section 5.2",
    claim="a larger database of expert games and better move implementations should improve it.",
    variants=(
        spec_variant("published", "as published", PUBLISHED_AGENT),
        spec_variant(
            "published-go",
            "as published, units left over go on",
            f"{PUBLISHED_AGENT.replace('leftover=stay', 'leftover=go')}",
        ),
        spec_variant(
            "published-special",
            "as published, special categories first",
            f"{PUBLISHED_AGENT.replace('ranking=outputs', 'ranking=special')}",
        ),
        Variant("published-300", "as published, 300 games", measure_large),
        spec_variant("ours", "ours", "lucid/semantic"),
        spec_variant("ours-outputs", "ours, ranked by outputs", "lucid/semantic:ranking=outputs"),
        spec_variant("ours-stay", "ours, units left over stay", "lucid/semantic:leftover=stay"),
        spec_variant(
            "ours-literal",
            "ours, ranked by outputs, units left over stay",
            "lucid/semantic:leftover=stay,ranking=outputs",
        ),
    ),
    judge=judge_parts,
    minutes=12,
    published=(PUBLISHED_SCORE,),
)


# --- other trainings of the published agent ------------------------------------------------------


def seed_variant(seed: int) -> Variant:
    """Return a variant that is one more training."""

    def measure(settings: Settings, report: Report) -> Sequence[Measurement]:
        config = replace(PUBLISHED, seed=seed)
        return [replace(score_of_training(config, settings, report, 1000), at=None)]

    return Variant(f"seed-{seed}", f"training with seed {seed}", measure)


def judge_seeds(measured: Measured) -> Finding:
    """Compare the mean of all trainings with the published score."""
    values = [some[0].value for some in measured.values()]
    mean = over_trainings("score", values)
    sign = apart(mean, PUBLISHED_SCORE)
    spread = f"single trainings from {min(values):.2f} to {max(values):.2f}"
    if sign == 0:
        return Finding(AGREES, f"{TRAININGS} trainings score {words(mean)}; {spread}.")
    higher = "higher" if sign > 0 else "lower"
    return Finding(
        CONTRADICTS, f"{TRAININGS} trainings score {words(mean)}, {higher} than 6.28; {spread}."
    )


SEEDS = Study(
    name="semantic-seeds",
    title="The semantic agent as published: how much the training matters",
    source=f"{REPORT}, table 5.1",
    claim="the agent scores 6.28 (6.15 to 6.41; 1,000 games of one training).",
    variants=tuple(map(seed_variant, range(TRAININGS))),
    judge=judge_seeds,
    minutes=8,
    published=(PUBLISHED_SCORE,),
)


# --- looking up instead of learning --------------------------------------------------------------


def judge_lookup(measured: Measured) -> Finding:
    """Compare looking up with the networks."""
    figures = {name: some[0] for name, some in measured.items()}
    networks = figures.pop("networks")
    best = max(figures, key=lambda name: figures[name].value)
    sign = apart(networks, figures[best])
    told = f"networks {words(networks)}; " + ", ".join(
        f"{name} {words(each)}" for name, each in figures.items()
    )
    verdict = AGREES if sign > 0 else CONTRADICTS if sign < 0 else CANNOT_BE_TOLD
    return Finding(verdict, f"{told}.")


def lookup_variant(neighbours: int) -> Variant:
    """Return a variant that looks up so many groups."""
    agent = LITERAL.replace("lucid/semantic:", "lucid/semantic-lookup:")
    title = "the most similar group" if neighbours == 1 else f"the {neighbours} most similar groups"
    options = f"{agent},labels=literal,neighbours={neighbours}"
    return spec_variant(f"lookup-{neighbours}", title, options)


LOOKUP = Study(
    name="semantic-lookup",
    title="Force groups: looking up the expert's moves, or networks",
    source=f"{REPORT}, section 4.1.3",
    claim="networks may generalise better to new states of force groups than looking them up.",
    variants=(
        spec_variant("networks", "networks, as published", PUBLISHED_AGENT),
        *map(lookup_variant, (1, 5, 15)),
    ),
    judge=judge_lookup,
    minutes=8,
    published=(PUBLISHED_SCORE,),
)


# --- nineteen attributes -------------------------------------------------------------------------


def attribute_variant(name: str, title: str, left_out: str) -> Variant:
    """Return a variant without one of the attributes, over several trainings."""

    def measure(settings: Settings, report: Report) -> Sequence[Measurement]:
        seeds = range(QUICK_TRAININGS if settings.quick else LEAST_TRAININGS)
        shorter = replace(PUBLISHED, left_out=left_out, examples=ABLATION_EXAMPLES)
        configs = [replace(shorter, seed=seed) for seed in seeds]
        values = [score_of_training(each, settings, report, 200).value for each in configs]
        return [over_trainings("score", values)]

    return Variant(name, title, measure)


def judge_attributes(measured: Measured) -> Finding:
    """Say which attribute is missed."""
    whole = measured["all"][0]
    others = {name: some[0] for name, some in measured.items() if name != "all"}
    signs = {name: apart(each, whole, len(others)) for name, each in others.items()}
    worse = [name for name, sign in signs.items() if sign < 0]
    better = [name for name, sign in signs.items() if sign > 0]
    told = f"all twenty {words(whole)}; clearly worse without: {', '.join(worse) or 'none'}; "
    told += f"clearly better without: {', '.join(better) or 'none'}."
    unnamed = "without-group-density"
    if unnamed in worse + better:
        return Finding(CONTRADICTS, told)
    same = alike(measured[unnamed][0], whole)
    told += f" Without the group's density {words(measured[unnamed][0])}."
    return Finding(AGREES if same else CANNOT_BE_TOLD, told)


ATTRIBUTES = Study(
    name="semantic-attributes",
    title="The semantic agent with 19 of the 20 attributes",
    source=f"paper of 2001, figure 2 and table 2; {REPORT}, figure 4.1",
    claim="with 19 attributes it scores 6.23 (2001), with 20 it scores 6.28 (2003). Which one came "
    "later is not said; the group's density is the one that neither text names.",
    variants=(
        attribute_variant("all", "all twenty", ""),
        *(
            attribute_variant(f"without-{name.lower().replace(' ', '-')}", f"without {name}", name)
            for name in FEATURE_NAMES[2 * SIDE :]
        ),
    ),
    judge=judge_attributes,
    minutes=6,
    published=(PUBLISHED_SCORE,),
)


# --- Red -----------------------------------------------------------------------------------------

BLUES = {
    "SimpleBlue": ("lucid/simple-blue", 1000),
    "OneAxisBlue": ("lucid/one-axis-blue", 1000),
    "imitation 1": ("lucid/imitation-1", 1000),
    "semantic as published": (PUBLISHED_AGENT, 1000),
    "semantic, ours": ("lucid/semantic", 1000),
    "champion": ("lucid/champion-blue:weights=axes-red", 1000),
}


def red_variant(name: str, title: str, agent: str) -> Variant:
    """Return a variant that is a Red agent against several Blues."""

    def measure(settings: Settings, report: Report) -> Sequence[Measurement]:
        fresh = replace(settings, seed=unseen_seed(settings.seed))
        return [
            Measurement.of(
                f"score of {blue}",
                score_against(
                    "lucid", [spec, agent], fresh, report, games=games, quick=20, label=blue
                ),
            )
            for blue, (spec, games) in BLUES.items()
        ]

    return Variant(name, title, measure)


def judge_red(measured: Measured) -> Finding:
    """Say against how many Blues the semantic Red is better than AxesRed."""
    semantic = {each.quantity: each for each in measured["semantic"]}
    axes = {each.quantity: each for each in measured["axes"]}
    signs = {name: apart(semantic[name], axes[name], len(axes)) for name in axes}
    better = [name.removeprefix("score of ") for name, sign in signs.items() if sign < 0]
    worse = [name.removeprefix("score of ") for name, sign in signs.items() if sign > 0]
    told = f"it concedes less than AxesRed to {', '.join(better) or 'nobody'} and more to "
    return Finding(AGREES if better else CONTRADICTS, f"{told}{', '.join(worse) or 'nobody'}.")


RED = Study(
    name="semantic-red",
    title="The semantic agent as Red",
    source=f"{REPORT}, section 2.3; paper of 2001, section 3",
    claim="it is usually a minor task to adjust the algorithms to a Red player.",
    variants=(
        red_variant("semantic", "semantic", "lucid/semantic"),
        red_variant("semantic-stay", "semantic, left over stay", "lucid/semantic:leftover=stay"),
        red_variant("axes", "AxesRed", "lucid/axes-red"),
        red_variant("champion", "champion (its expert)", "lucid/champion-red:weights=early-red"),
    ),
    judge=judge_red,
    minutes=10,
)


STUDIES: tuple[Study, ...] = (
    PARTS,
    SEEDS,
    LOOKUP,
    *semantic_fitting.STUDIES,
    ATTRIBUTES,
    RED,
    *semantic_example.STUDIES,
)
