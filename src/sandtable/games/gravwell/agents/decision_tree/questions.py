"""The decision trees as questions and answers: to be drawn, and to tell which way was taken.

The kernels decide; what stands here says the same in words (a test walks both). An answer lists the
actions that the tree may take there, of which the kernel draws one where there are several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents import card_sets
from sandtable.games.gravwell.agents.decision_tree import as_coded as coded
from sandtable.games.gravwell.agents.decision_tree import described
from sandtable.games.gravwell.cards import CARDS, KIND, NAMES, TRACTOR, VALUE
from sandtable.games.gravwell.drawing.trees import Branch, TreeNode
from sandtable.games.gravwell.rules.movement import destination, direction_of
from sandtable.types import Position

__all__ = ["Answer", "Question", "Step", "Tree", "as_drawn", "trees_of", "way_taken"]

PHASES = {
    layout.DRAFTING: "Which stack to draft",
    layout.PLAYING: "Which card to play",
    layout.STOPPING: "Whether to use the Emergency Stop",
}


class Scene(NamedTuple):
    """A view of the seat that is to move."""

    view: Position
    seat: int
    hand: int  # a set of cards
    field: int

    @property
    def direction(self) -> int:
        """1 when drawn to the gate, -1 when drawn back, 0 when stuck."""
        return int(direction_of(self.view, self.seat))

    @property
    def current(self) -> int:
        """The card about which the Emergency Stop is asked."""
        return int(self.view[layout.CURRENT])

    @property
    def loss(self) -> int:
        """How many tiles that card would cost."""
        end = destination(self.view, self.seat, self.current)
        return int(self.view[layout.SHIPS + self.seat] - end)


@dataclass(frozen=True)
class Answer:
    """A leaf: what is done, and the actions that may be."""

    words: str
    actions: Callable[[Scene], list[int]]


@dataclass(frozen=True)
class Question:
    """A node: yes or no."""

    words: str
    ask: Callable[[Scene], bool]
    yes: Tree
    no: Tree


Tree: TypeAlias = Question | Answer


@dataclass(frozen=True)
class Step:
    """A question as it was answered; the last step has the answer and its actions."""

    words: str
    reply: bool | None
    actions: tuple[int, ...] = ()


def listed(cards: int) -> list[int]:
    """Return the cards of a set.

    >>> listed(0b101)
    [0, 2]
    """
    return [card for card in range(CARDS) if cards >> card & 1]


def of_value(best: Callable[[list[int]], int], cards: int) -> list[int]:
    """Return the cards of a set whose value is the best one, the lowest or the highest."""
    found = listed(cards)
    wanted = best([int(VALUE[card]) for card in found])
    return [card for card in found if VALUE[card] == wanted]


def trees_of(phase: int, settings: described.Settings | None) -> Tree:
    """Return the tree of a phase; without settings that of the authors' program."""
    if phase == layout.DRAFTING:
        return draft_tree(settings.groups) if settings else coded_draft_tree()
    if phase == layout.PLAYING:
        return play_tree(settings) if settings else coded_play_tree()
    return stop_tree(settings) if settings else coded_stop_tree()


# --- as described --------------------------------------------------------------------------------

GROUP_NAMES = ("tractor", "repulsor", "low normal card", "high normal card", "other normal card")


def draft_tree(groups: int) -> Tree:
    """Return the tree of figure 7."""
    tree: Tree = Answer("any stack", lambda scene: takes(scene.field))
    for number in range(groups - 1, -1, -1):
        name, group = GROUP_NAMES[number], described.GROUPS[number]
        tree = Question(
            f"{name} on the field, none in hand?",
            lacks(group, group),
            Answer(f"the earliest {name}", takes_one(group, 1)),
            tree,
        )
    return tree


def lacks(held: int, taken: int) -> Callable[[Scene], bool]:
    """Return the question whether the hand has none of some cards and the field one of others."""
    return lambda scene: not scene.hand & held and bool(scene.field & taken)


def takes_one(cards: int, most: int) -> Callable[[Scene], list[int]]:
    """Return the answer that takes a stack with one of these cards, of so many that may be it."""
    return lambda scene: takes(scene.field & cards)[:most]


def holds(cards: int) -> Callable[[Scene], bool]:
    """Return the question whether the hand has one of these cards."""
    return lambda scene: bool(scene.hand & cards)


def plays(cards: int, choose: Callable[[int], list[int]]) -> Callable[[Scene], list[int]]:
    """Return the answer that plays one of these cards in hand."""
    return lambda scene: choose(scene.hand & cards)


def takes(cards: int) -> list[int]:
    """Return the actions that take one of the stacks with these visible cards."""
    return [layout.TAKE + card for card in listed(cards)]


def forward_cards(which: int, cards: int) -> list[int]:
    """Return the cards among those that go forward that may be played."""
    if which == described.FORWARD["highest"]:
        return of_value(max, cards)[:1]
    if which == described.FORWARD["lowest"]:
        return of_value(min, cards)[:1]
    return listed(cards)[: 1 if which == described.FORWARD["earliest"] else None]


def play_tree(settings: described.Settings) -> Tree:
    """Return the tree of figure 8, with what was added to it."""
    any_card = Answer("any card", lambda scene: listed(scene.hand))
    if settings.random_card:
        return any_card
    if settings.foresight:
        tree: Tree = Answer(
            "the card worth most", lambda scene: most_worth(scene, settings.foresight)
        )
    else:
        word = {number: name for name, number in described.FORWARD.items()}[settings.which]
        sides = []
        for cards, name in ((card_sets.NORMALS, "normal card"), (card_sets.REPULSORS, "repulsor")):
            other = "repulsor" if name == "normal card" else "normal card"
            sides.append(
                Question(
                    f"{name} in hand?",
                    holds(cards),
                    Answer(f"{word} {name}", plays(cards, partial(forward_cards, settings.which))),
                    tractor_or(
                        Answer(f"lowest {other}", lambda scene: of_value(min, scene.hand)[:1])
                    ),
                )
            )
        tree = Question("stuck?", lambda scene: scene.direction == 0, any_card, ahead(*sides))
    if not settings.careful:
        return tree
    return Question(
        f"stop used, a normal card in hand, ships within {settings.careful} tiles all round?",
        lambda scene: must_be_careful(scene, settings.careful),
        Answer("lowest normal card", lambda scene: of_value(min, scene.hand & card_sets.NORMALS)),
        tree,
    )


def ahead(yes: Tree, no: Tree) -> Question:
    """Return the question after which side a ship is drawn to."""
    return Question("nearest ship ahead?", lambda scene: scene.direction > 0, yes, no)


def tractor_or(other: Answer) -> Question:
    """Return the question after a tractor, with what is done without one."""
    return Question(
        "tractor in hand?",
        lambda scene: bool(scene.hand & card_sets.TRACTORS),
        Answer("a tractor", lambda scene: listed(scene.hand & card_sets.TRACTORS)),
        other,
    )


def must_be_careful(scene: Scene, tiles: int) -> bool:
    """Say whether the stop is gone and others are close by."""
    used = scene.view[layout.STOPS + scene.seat] == 0 and scene.hand & card_sets.NORMALS
    return bool(used) and bool(described.is_crowded(scene.view, scene.seat, tiles))


def most_worth(scene: Scene, foresight: int) -> list[int]:
    """Return the cards that may be worth most; a tractor's worth can hang on dice."""
    room, dice = np.empty_like(scene.view), np.zeros(4, dtype=np.uint64)
    worths = {
        card: described.worth(scene.view, scene.seat, card, foresight, room, dice)
        for card in listed(scene.hand)
    }
    best = max(worths.values())
    return [c for c, worth in worths.items() if worth == best or KIND[c] == TRACTOR]


def stop_tree(settings: described.Settings) -> Tree:
    """Return the tree of figure 9."""
    go = Answer("let it take effect", lambda scene: [layout.GO])
    stop = Answer("stop it", lambda scene: [layout.STOP])
    if settings.saving:
        asked = Question(
            "loss large enough for the turn?",
            lambda scene: scene.loss >= described.LOSSES_TO_STOP[int(scene.view[layout.TURN])],
            stop,
            go,
        )
    else:
        asked = Question("would it set the ship back?", lambda scene: scene.loss > 0, stop, go)
    return Question("a tractor?", lambda scene: KIND[scene.current] == TRACTOR, go, asked)


# --- as coded ------------------------------------------------------------------------------------


def coded_draft_tree() -> Tree:
    """Return the draft of the authors' program."""
    wanted = (
        ("tractor", card_sets.TRACTORS, card_sets.TRACTORS),
        ("repulsor", card_sets.REPULSORS, card_sets.REPULSORS),
        ("normal card from 3 up", coded.TREE_LOW, coded.TAKEN_AS_LOW),
        ("normal card below 7", coded.HIGH, coded.TAKEN_AS_HIGH),
    )
    lacking = ("none in hand", "none in hand", "none up to 8 in hand", "none from 3 up in hand")
    tree: Tree = Answer("any stack", lambda scene: takes(scene.field))
    for (name, held, taken), none in reversed(list(zip(wanted, lacking, strict=True))):
        tree = Question(
            f"{name} on the field, {none}?",
            lacks(held, taken),
            Answer(f"the first {name}", takes_one(taken, CARDS)),
            tree,
        )
    return tree


def coded_play_tree() -> Tree:
    """Return the play of the authors' program: the smallest step forward, the largest back."""
    sides = []
    for cards, name in ((card_sets.NORMALS, "normal card"), (card_sets.REPULSORS, "repulsor")):
        other = "repulsor" if name == "normal card" else "normal card"
        sides.append(
            Question(
                f"{name} in hand?",
                holds(cards),
                Answer(f"lowest {name}", plays(cards, partial(of_value, min))),
                tractor_or(Answer(f"highest {other}", lambda scene: of_value(max, scene.hand))),
            )
        )
    stuck = tractor_or(Answer("any card", lambda scene: listed(scene.hand)))
    return Question("stuck?", lambda scene: scene.direction == 0, stuck, ahead(*sides))


def coded_stop_tree() -> Tree:
    """Return the stop of the authors' program, which asks for direction and kind."""
    go = Answer("let it take effect", lambda scene: [layout.GO])
    stop = Answer("stop it", lambda scene: [layout.STOP])

    def is_normal(scene: Scene) -> bool:
        return bool(1 << scene.current & card_sets.NORMALS)

    behind = Question("nearest ship behind?", lambda scene: scene.direction < 0, stop, go)
    before = Question("nearest ship ahead?", lambda scene: scene.direction > 0, stop, go)
    rest = Question(
        "a repulsor?", lambda scene: bool(1 << scene.current & card_sets.REPULSORS), before, go
    )
    return Question("a normal card?", is_normal, behind, rest)


# --- walking and drawing -------------------------------------------------------------------------


def scene_of(view: Position) -> Scene:
    """Return what the trees look at, from a view of the seat that is to move."""
    seat = int(view[layout.MOVER])
    return Scene(view, seat, int(card_sets.hand_of(view, seat)), int(card_sets.field_of(view)))


def way_taken(tree: Tree, view: Position) -> Iterator[Step]:
    """Yield the questions as they are answered in a view, and last the answer."""
    scene = scene_of(view)
    while isinstance(tree, Question):
        reply = bool(tree.ask(scene))
        yield Step(tree.words, reply)
        tree = tree.yes if reply else tree.no
    yield Step(tree.words, None, tuple(tree.actions(scene)))


def as_drawn(tree: Tree, view: Position | None = None) -> TreeNode:
    """Return a tree to be drawn; with a view the way taken is marked."""
    scene = None if view is None else scene_of(view)
    return node_of(tree, scene, scene is not None)


def node_of(tree: Tree, scene: Scene | None, marked: bool) -> TreeNode:
    """Return a node to be drawn with all below it."""
    if isinstance(tree, Answer):
        return TreeNode(tree.words, (), marked)
    reply = tree.ask(scene) if marked and scene is not None else None
    branches = tuple(
        Branch(label, node_of(below, scene, marked and reply == said))
        for label, below, said in (("yes", tree.yes, True), ("no", tree.no, False))
    )
    return TreeNode(tree.words, branches, marked)


def cards_in_words(cards: int) -> str:
    """Write a set of cards with their values.

    >>> cards_in_words(0b11)
    'Ar (1), B (2)'
    """
    return ", ".join(f"{NAMES[card]} ({VALUE[card]})" for card in listed(cards)) or "none"
