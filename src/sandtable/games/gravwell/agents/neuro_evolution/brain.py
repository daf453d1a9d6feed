"""A brain of Gravwell's neuro-evolution: its networks, the names of what they see, and its file.

The published network sees a hand whole: its cards by their places in it, and the ships. Ours are
asked about one card, one stack or one Emergency Stop at a time, and see it in relation to the
board and to what the draft has shown. Kernels take numbers from here (see sandtable.compiled).

A file is JSON that people can read and change: inputs by their names, nodes as ``node 1``,
``node 2`` and so on, each from values before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.neuro_evolution.networks import OPERATIONS, Network, Node

__all__ = [
    "BOARD",
    "CARD_INPUTS",
    "HAND_OUTPUTS",
    "KIND_CELLS",
    "MODE",
    "MOST_MODES",
    "NETWORK_INPUTS",
    "NETWORK_OUTPUTS",
    "SLOTS",
    "Brain",
    "brain_of",
    "brain_text",
    "load_brain",
    "output_names",
    "value_name",
]

SLOTS = 8  # places for cards in the published network; a hand fills at most six
SHIP_NAMES = ("own tile", "enemy 1", "enemy 2", "enemy 3", "hulk 1", "hulk 2")
HAND_INPUTS = (
    *(f"card {slot} {what}" for slot in range(1, SLOTS + 1) for what in ("value", "kind", "order")),
    *SHIP_NAMES,
)

# What all three of our networks see, and then what each of them does.
BOARD_INPUTS = (
    "one",
    "own tile",
    "lead",  # over the best enemy
    "gap ahead",  # to the next ship there, FAR_AWAY at most
    "gap behind",
    "drawn forward",  # 1, or -1: drawn backward, 0: stuck
    "ships ahead",
    "round",
    "turn",
    "stop left",
    "tractors work",
)
BOARD = len(BOARD_INPUTS)
KIND_INPUTS = ("value", "normal", "repulsor", "tractor", "order")
KIND_CELLS = len(KIND_INPUTS)
EFFECT_INPUTS = (
    "progress",  # of the own ship if the card took effect now
    "then forward",  # how the ship would be drawn from there
    "wins",
    "pull",  # what a tractor would win over the enemies, on average
)
CARD_INPUTS = (
    *BOARD_INPUTS,
    *KIND_INPUTS,
    *EFFECT_INPUTS,
    "enemies first",  # how many enemies' cards will take effect earlier, as far as one can tell
    "target first",  # chance that the card of the ship it is drawn to takes effect earlier
    "least progress",  # of all cards in hand
    "most progress",
)
STACK_INPUTS = (
    *BOARD_INPUTS,
    *KIND_INPUTS,
    "stacks taken",
    "normals held",
    "repulsors held",
    "tractors held",
    "early held",  # in the first half of the alphabet
    "value held",
    "place in draft",
)
STOP_INPUTS = (
    *BOARD_INPUTS,
    *KIND_INPUTS,
    *EFFECT_INPUTS,
    "cards to come",  # that take effect after this one
    "least progress",
    "most progress",
)

NETWORK_INPUTS = {
    "hand": HAND_INPUTS,
    "card": CARD_INPUTS,
    "stack": STACK_INPUTS,
    "stop": STOP_INPUTS,
}
NETWORK_OUTPUTS = {"hand": SLOTS, "card": 1, "stack": 1, "stop": 1}

# The hand's network may also have one output, the number of a card, or several modes: a preference
# for each place and one for the mode itself, of which the highest says which mode is heeded.
MODE = SLOTS + 1
MOST_MODES = 4
HAND_OUTPUTS = (SLOTS, 1, *(MODE * modes for modes in range(1, MOST_MODES + 1)))


def output_names(kind: str, count: int) -> list[str]:
    """Name the outputs of a network.

    >>> output_names("hand", 1), output_names("hand", 18)[8:10]
    (['card number'], ['mode 1', 'mode 2 card 1'])
    """
    if kind != "hand":
        return ["output"]
    cards = [f"card {slot}" for slot in range(1, SLOTS + 1)]
    if count in (1, SLOTS):
        return ["card number"] if count == 1 else cards
    modes = [f"mode {number}" for number in range(1, 1 + count // MODE)]
    return [name for mode in modes for name in (*(f"{mode} {card}" for card in cards), mode)]


class Brain(NamedTuple):
    """The networks of a player; without stack and stop it drafts at random and never stops."""

    hand: Network | None = None  # the published one, instead of card
    card: Network | None = None
    stack: Network | None = None
    stop: Network | None = None


# --- files ---------------------------------------------------------------------------------------

FORMAT = "sandtable gravwell networks"
VERSION = 1
LARGEST_FILE = 1 << 20
MOST_NODES = 2000
LARGEST_WEIGHT = 1e6


def value_name(kind: str, value: int) -> str:
    """Return the name of a value of a network of this kind.

    >>> value_name("stop", 1), value_name("stop", len(NETWORK_INPUTS["stop"]))
    ('own tile', 'node 1')
    """
    inputs = NETWORK_INPUTS[kind]
    return inputs[value] if value < len(inputs) else f"node {value - len(inputs) + 1}"


def brain_text(brain: Brain, about: Mapping[str, Any]) -> str:
    """Return the file of a brain, a node a line, with words about it."""
    networks = []
    for kind, network in brain._asdict().items():
        if network is None:
            continue
        nodes = [json.dumps(node_words(kind, node)) for node in network.nodes]
        outputs = json.dumps([value_name(kind, value) for value in network.outputs])
        listed = f"[\n        {(',' + chr(10) + ' ' * 8).join(nodes)}\n      ]" if nodes else "[]"
        networks.append(
            f'    "{kind}": {{\n      "nodes": {listed},\n      "outputs": {outputs}\n    }}'
        )
    head = (
        f'  "format": "{FORMAT}",\n  "version": {VERSION},\n  "about": {json.dumps(dict(about))},'
    )
    return f'{{\n{head}\n  "networks": {{\n{("," + chr(10)).join(networks)}\n  }}\n}}\n'


def node_words(kind: str, node: Node) -> dict[str, Any]:
    """Return a node in words."""
    words = {
        "operation": OPERATIONS[node.operation],
        "sources": [value_name(kind, source) for source in node.sources],
        "weights": list(node.weights),
    }
    return words | ({"innovation": node.innovation} if node.innovation else {})


def load_brain(path: Path) -> Brain:
    """Read a file, or say in one line what is wrong with it."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise SandtableError(f"{path} is too large for a file of networks")
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise SandtableError(f"cannot read the networks {path}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise SandtableError(f"{path} is not a file of networks: it is no text") from None
    try:
        return brain_of(json.loads(text))
    except (ValueError, RecursionError) as problem:
        reason = "it is no JSON" if isinstance(problem, json.JSONDecodeError) else problem
        raise SandtableError(f"{path} is not a file of networks: {reason}") from problem


def brain_of(data: Any) -> Brain:
    """Return the brain that was read; a ValueError says what is wrong with it."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"it does not say 'format': '{FORMAT}'")
    if data.get("version") != VERSION:
        raise ValueError(f"its version is {data.get('version')!r}, only {VERSION} can be read")
    networks = data.get("networks")
    if not isinstance(networks, dict) or not networks:
        raise ValueError("it has no 'networks'")
    unknown = sorted(set(networks) - set(NETWORK_INPUTS))
    if unknown:
        known = ", ".join(NETWORK_INPUTS)
        raise ValueError(f"there is no network '{unknown[0]}', only {known}")
    brain = Brain(**{kind: network_of(kind, words) for kind, words in networks.items()})
    if (brain.hand is None) == (brain.card is None):
        raise ValueError("it needs one of the networks 'hand' and 'card'")
    return brain


def network_of(kind: str, words: Any) -> Network:
    """Return one network of a file."""
    if not isinstance(words, dict) or not isinstance(words.get("nodes"), list):
        raise ValueError(f"'{kind}' has no list of 'nodes'")
    inputs = NETWORK_INPUTS[kind]
    if len(words["nodes"]) > MOST_NODES:
        raise ValueError(f"'{kind}' has more than {MOST_NODES} nodes")
    numbers = {name: value for value, name in enumerate(inputs)}
    nodes = []
    for place, entry in enumerate(words["nodes"], start=1):
        nodes.append(node_of(entry, numbers, f"node {place} of '{kind}'"))
        numbers[f"node {place}"] = len(inputs) + place - 1
    outputs = numbers_of(words.get("outputs"), numbers, f"the outputs of '{kind}'")
    if len(outputs) not in (HAND_OUTPUTS if kind == "hand" else (NETWORK_OUTPUTS[kind],)):
        raise ValueError(f"'{kind}' has {len(outputs)} outputs, not {NETWORK_OUTPUTS[kind]}")
    return Network(len(inputs), tuple(nodes), outputs)


def node_of(words: Any, numbers: Mapping[str, int], where: str) -> Node:
    """Return one node of a file; it can only name values before it."""
    if not isinstance(words, dict) or words.get("operation") not in OPERATIONS:
        raise ValueError(f"{where} has no operation of {', '.join(OPERATIONS)}")
    sources = numbers_of(words.get("sources"), numbers, where)
    weights = words.get("weights", [1.0, 1.0])
    good = isinstance(weights, list) and all(type(each) in (int, float) for each in weights)
    if len(sources) != 2 or not good or len(weights) != 2:
        raise ValueError(f"{where} has not two sources and two weights")
    left, right = map(float, weights)
    if not max(abs(left), abs(right)) <= LARGEST_WEIGHT:  # also when one is not a number
        raise ValueError(f"{where} has a weight beyond {LARGEST_WEIGHT:g}")
    operation = OPERATIONS.index(words["operation"])
    innovation = words.get("innovation", 0)
    if type(innovation) is not int or innovation < 0:
        raise ValueError(f"{where} has an 'innovation' that is no number from 0 up")
    return Node(operation, (sources[0], sources[1]), (left, right), innovation)


def numbers_of(names: Any, numbers: Mapping[str, int], where: str) -> tuple[int, ...]:
    """Return the numbers of values that are given by name."""
    if not isinstance(names, list):
        raise ValueError(f"{where} name no values")
    for name in names:
        if not isinstance(name, str) or name not in numbers:
            raise ValueError(f"{where}: there is no value {name!r} before it")
    return tuple(numbers[name] for name in names)
