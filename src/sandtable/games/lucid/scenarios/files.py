"""Scenarios as TOML files, those that come with the game, and as the options of a spec."""

from __future__ import annotations

import functools
import json
import tomllib
from pathlib import Path
from typing import Any

from sandtable.errors import suggestion
from sandtable.games.lucid.rules import BLUE_SEAT, RED_SEAT
from sandtable.games.lucid.scenarios import rules
from sandtable.games.lucid.scenarios.generator import GENERATED, generated_values
from sandtable.games.lucid.scenarios.parse import DEFAULTS, UnreadableScenario, read_scenario
from sandtable.games.lucid.scenarios.scenario import Scenario
from sandtable.specs import files_allowed

__all__ = [
    "PUBLISHED",
    "bundled_names",
    "bundled_scenario",
    "file_values",
    "format_scenario",
    "option_texts",
    "scenario_values",
]

FOLDER = Path(__file__).resolve().parent / "bundled"
PUBLISHED = "published"  # the name of the scenario that is the game of the papers
MOST_BYTES = 64 * 1024
FIRST_NAMES = {rules.DRAWN: "drawn", BLUE_SEAT: "blue", RED_SEAT: "red"}


@functools.cache
def bundled_names() -> tuple[str, ...]:
    """Return the names of the scenarios that come with the game, the published one first.

    >>> bundled_names()[0]
    'published'
    """
    return (PUBLISHED, *sorted(path.stem for path in FOLDER.glob("*.toml")))


@functools.cache
def bundled_scenario(name: str) -> Scenario:
    """Return a scenario that comes with the game, by its name.

    >>> bundled_scenario("published").turns
    36
    """
    if name not in bundled_names():
        raise UnreadableScenario(
            f"there is no scenario '{name}' and no such file; the scenarios: "
            f"{', '.join(bundled_names())}, random-17 (17 being any number)."
            f"{suggestion(name, bundled_names())}"
        )
    return read_scenario(scenario_values(name), name)


def scenario_values(name: str) -> dict[str, Any]:
    """Return the values of a bundled scenario, of a drawn one (``random-17``), or of a file.

    UnreadableScenario if there is none.

    >>> scenario_values("published")
    {}
    """
    if name == PUBLISHED:
        return {}
    if match := GENERATED.fullmatch(name):
        return generated_values(int(match[1]))
    if name in bundled_names():
        return file_values((FOLDER / f"{name}.toml").read_text("utf-8"), name)
    path = Path(name)
    try:
        if not files_allowed() or not path.is_file():  # strangers do not learn which there are
            bundled_scenario(name)  # says which scenarios there are
        if path.stat().st_size > MOST_BYTES:
            raise UnreadableScenario(f"{path} is larger than {MOST_BYTES} bytes: no scenario")
        return file_values(path.read_text("utf-8"), str(path))
    except (OSError, ValueError) as problem:
        raise UnreadableScenario(f"cannot read the scenario {path}: {problem}") from None


def file_values(text: str, where: str) -> dict[str, Any]:
    """Read the text of a scenario file; UnreadableScenario if it is not TOML.

    >>> file_values("turns = 20", "an example")
    {'turns': 20}
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise UnreadableScenario(f"{where} is not TOML: {problem}") from None
    except RecursionError:
        raise UnreadableScenario(f"{where} is nested too deeply for a scenario") from None


def board_rows(scenario: Scenario) -> list[list[str]]:
    """Return the words of the board from the top row down, one a node."""
    rows = []
    for first in range(scenario.nodes - scenario.columns, -1, -scenario.columns):
        words = []
        for node in range(first, first + scenario.columns):
            blue, red = scenario.blue[node], scenario.red[node]
            units = f"b{blue}" if blue else f"r{red}" if red else "."
            words.append("x" if node in scenario.closed else units)
        rows.append(words)
    return rows


def short_row(words: list[str]) -> str:
    """Write a row with numbers for runs of empty nodes.

    >>> short_row(["b3", ".", ".", "x", "."])
    'b3,2,x,1'
    """
    written: list[str] = []
    empty = 0
    for word in [*words, ""]:
        if word == ".":
            empty += 1
            continue
        if empty:
            written.append(str(empty))
            empty = 0
        written.append(word)
    return ",".join(written[:-1])


def usual_advantage(scenario: Scenario) -> int:
    """Return what the defender has more on most open nodes."""
    open_nodes = [n for n in range(scenario.nodes) if n not in scenario.closed]
    found = [scenario.advantages[node] for node in open_nodes]
    return max(sorted(set(found)), key=found.count)


def special_advantages(scenario: Scenario) -> dict[str, int]:
    """Return by name the nodes where the defender has another advantage than on most."""
    usual = usual_advantage(scenario)
    return {
        scenario.name(node): units
        for node, units in enumerate(scenario.advantages)
        if units != usual and node not in scenario.closed
    }


def supply_words(scenario: Scenario) -> str | list[str]:
    """Write where supply comes from."""
    if not scenario.penalty:
        return "off"
    home = {node for node in range(scenario.columns) if node not in scenario.closed}
    if scenario.sources == home:
        return "row1"
    return [scenario.name(node) for node in sorted(scenario.sources)]


def right_to_move_words(scenario: Scenario) -> str | int:
    """Write who gets the right to move."""
    words = {rules.FAIR: "drawn", rules.ALTERNATE: "alternate"}
    return words.get(scenario.blue_chance, scenario.blue_chance)


def all_values(scenario: Scenario) -> dict[str, Any]:
    """Return the values of a file that says everything; ``read_scenario`` reads them back.

    >>> all_values(bundled_scenario("published"))["board"][0]
    'r2 r2 r2 r2 r2'
    """
    usual, special = usual_advantage(scenario), special_advantages(scenario)
    roads = sorted(scenario.closed_roads)
    return {
        "title": scenario.title,
        "about": scenario.about,
        "board": [" ".join(f"{word:<2}" for word in row).rstrip() for row in board_rows(scenario)],
        "turns": scenario.turns,
        "capacity": scenario.capacity,
        "closed_roads": [f"{scenario.name(here)}-{scenario.name(there)}" for here, there in roads],
        "defender": {"default": usual, **special} if special else usual,
        "right_to_move": right_to_move_words(scenario),
        "first": FIRST_NAMES[scenario.first],
        "supply": supply_words(scenario),
        "penalty": max(1, scenario.penalty),
    }


def option_texts(scenario: Scenario) -> dict[str, Any]:
    """Return the options of a spec that make this scenario, those of the published game left out.

    >>> option_texts(read_scenario({"turns": 20, "supply": "off"}))
    {'turns': 20, 'supply': 'off'}
    """
    values = all_values(scenario)
    special = "".join(f" {node}:{units}" for node, units in special_advantages(scenario).items())
    supply = values["supply"]
    values |= {
        "board": "/".join(short_row(row) for row in board_rows(scenario)),
        "closed_roads": " ".join(values["closed_roads"]),
        "defender": f"{usual_advantage(scenario)}{special}" if special else values["defender"],
        "supply": supply if isinstance(supply, str) else " ".join(supply),
    }
    left_out = ("title", "about")
    return {
        key: value
        for key, value in values.items()
        if value != DEFAULTS[key] and key not in left_out
    }


def format_scenario(scenario: Scenario) -> str:
    """Write a scenario as the text of a file.

    >>> text = format_scenario(bundled_scenario("published"))
    >>> read_scenario(file_values(text, "text")) == bundled_scenario("published")
    True
    """
    lines = ["# A scenario of Operation Lucid; docs/games/lucid/scenarios.md explains it."]
    for key, value in all_values(scenario).items():
        if key == "board":
            lines += ["board = [  # from the top row down", *(f'  "{row}",' for row in value), "]"]
        elif isinstance(value, dict):
            inside = ", ".join(f"{name} = {units}" for name, units in value.items())
            lines.append(f"{key} = {{ {inside} }}")
        else:  # texts, numbers and lists of texts are written as in JSON
            lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"
