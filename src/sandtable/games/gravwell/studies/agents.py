"""Studies of the agents that are there: trees, Q-learners and fictitious play."""

from __future__ import annotations

from sandtable.games.gravwell.studies.shares import SHARE, match_variant, more_is, told
from sandtable.reproduce.studies import (
    AGREES,
    CONTRADICTS,
    Finding,
    Measured,
    Measurement,
    Study,
    Variant,
)

__all__ = ["STUDIES"]

REPORT = "Gravitas 2016"
RANDOM = ["random"] * 3


def against_random(name: str, title: str, spec: str, games: int = 10_000) -> Variant:
    """Return a variant that plays against three random players."""
    return match_variant(name, title, [spec, *RANDOM], games)


def tree(name: str, title: str, options: str = "") -> Variant:
    """Return a decision tree with options against three random players."""
    return against_random(name, title, f"gravwell/decision-tree{options}")


def readings(measured: Measured) -> Finding:
    """Say how far apart the readings of the text are, and which is nearest to the published one."""
    shares = {name: figures[0] for name, figures in measured.items() if name != "as-coded"}
    nearest = min(shares, key=lambda name: abs(shares[name].value - 0.52))
    low, high = (pick(shares.values(), key=lambda each: each.value) for pick in (min, max))
    inside = low.value <= 0.52 <= high.value
    words = (
        f"The readings lie between {told(low)} and {told(high)}; nearest to the published 52% is "
        f"'{nearest}' with {told(shares[nearest])}. The program itself took the lowest card."
    )
    return Finding(AGREES if inside else CONTRADICTS, words)


TREES = (
    Study(
        "tree-readings",
        "Which card the decision tree means",
        f"{REPORT}, section 3.5, figure 13",
        "the tree wins 52% against random players; which normal card it plays is not said",
        (
            tree("highest", "the highest card that goes forward"),
            tree("lowest", "the lowest", ":forward=lowest"),
            tree("earliest", "the earliest letter", ":forward=earliest"),
            tree("any", "any of them", ":forward=any"),
            tree("four-groups", "the highest, four groups in the draft", ":groups=4"),
            tree("as-coded", "as in the authors' program", ":as_coded=yes"),
        ),
        readings,
        minutes=2,
        published=(Measurement(f"{SHARE}, tractors inert", 0.52, count=10_000),),
    ),
    Study(
        "card-pick",
        "Is the choice of a card relevant?",
        f"{REPORT}, section 6.1",
        "maybe the card-pick phase is not that relevant; a tree with random cards would show it",
        (
            tree("tree", "the tree as described"),
            tree("random-card", "the same with any card", ":random_card=yes"),
            tree("as-coded", "the tree as coded", ":as_coded=yes"),
            tree("as-coded-random-card", "the same", ":as_coded=yes,random_card=yes"),
            against_random("no-stop", "random without stop", "gravwell/random-no-stop"),
        ),
        more_is("random-card", "tree", 0),
        minutes=2,
    ),
    Study(
        "tree-future",
        "What the tree was to learn",
        f"{REPORT}, section 6.2",
        "a tree that is careful after its Emergency Stop, saves it, or looks ahead plays better",
        (
            tree("plain", "as described"),
            tree("careful-3", "careful with ships within 3 tiles", ":careful=3"),
            tree("careful", "careful with ships within 5 tiles", ":careful=5"),
            tree("careful-10", "careful with ships within 10 tiles", ":careful=10"),
            tree("saving", "saving its stop", ":saving=yes"),
            tree("foresight", "looking ahead", ":foresight=both"),
            tree("all", "looking ahead, saving", ":foresight=both,saving=yes"),
            tree("all-careful", "all three", ":foresight=both,saving=yes,careful=5"),
        ),
        more_is("careful", "plain", 1),
        minutes=3,
    ),
)


# --- learners ------------------------------------------------------------------------------------


def q_learner(name: str, title: str, table: str) -> Variant:
    """Return a bundled Q-learner against three random players."""
    return against_random(name, title, f"gravwell/q-learning:table={table}")


def fictitious(measured: Measured) -> Finding:
    """Say whether fictitious play helps, where the report found it too hard."""
    finding = more_is("fictitious-play", "published", 0)(measured)
    return Finding(finding.verdict, finding.words + " What each is told stands in the table.")


LEARNERS = (
    Study(
        "q-states",
        "Better states for Q-learning",
        f"{REPORT}, section 6.3",
        "the states are too weak; a network in their place, or joint actions, could improve it",
        (
            q_learner("published", "12 x 12 distances", "published"),
            q_learner("joint", "joint actions with the nearest opponent", "joint"),
            q_learner("network", "a network that sees the whole table", "network"),
            q_learner("extended", "hulks, enemy cards and our other settings", "extended"),
        ),
        more_is("network", "published", 1),
        minutes=1,
    ),
    Study(
        "fictitious-play",
        "Fictitious play",
        f"{REPORT}, section 3.4",
        "it is hard to use fictitious play to predict the others, so they are left out",
        (
            q_learner("published", "Q-learning, others as a part of the world", "published"),
            against_random(
                "fictitious-play", "best answer to frequencies", "gravwell/fictitious-play"
            ),
            against_random(
                "fewer-samples", "the same with 8 deals", "gravwell/fictitious-play:samples=8"
            ),
            tree("tree", "the tree that drafts and stops like it"),
        ),
        fictitious,
        minutes=4,
    ),
)

STUDIES: tuple[Study, ...] = (*TREES, *LEARNERS)
