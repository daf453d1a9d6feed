"""Which spec strings may come from a browser: none that names a file or starts a program.

Whether a file exists makes no difference to any answer. Guests, who only hold a seat, may ask for
hints of modest programs.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Collection
from typing import Any

from sandtable.errors import SandtableError
from sandtable.registry import agent_factory
from sandtable.specs import Spec, parse_spec

__all__ = ["allowed_agent", "allowed_game", "allowed_hint"]

PLAIN_VALUE = re.compile(r"[A-Za-z0-9_+-]*(\.[0-9]+)?")
LIKE_A_NUMBER = re.compile(r"[+-]*[0-9]")
NEVER = ("human",)
ONLY_WITH_PERMISSION = ("external", "model")  # they start programs, or send things elsewhere
OPTIONS_OF_FILES = re.compile(r"file|path|folder|directory")

# What a guest may ask of a program in a hint, by the names that options for effort have. Numbers
# under other names may be ten times those the program has by itself.
MOST_FOR_GUESTS = {
    "budget": 20_000.0,
    "candidates": 20_000.0,
    "depth": 4.0,
    "playouts": 2_000.0,
    "samples": 2_000.0,
    "seconds": 5.0,
    "simulations": 2_000.0,
    "tries": 200.0,
}
MOST_TIMES_DEFAULT = 10.0
MOST_WITHOUT_DEFAULT = 100.0


def allowed_agent(text: str, external: bool, weights: Collection[str] = ()) -> str:
    """Return the clean spec of an agent that a browser may name, with ``weights`` of a folder."""
    spec = parse_spec(text)
    if spec.name in NEVER:
        raise SandtableError(f"'{spec.name}' plays at a terminal; choose a person instead")
    if spec.name in ONLY_WITH_PERMISSION:
        if external:
            return str(spec)
        what = "external programs" if spec.name == "external" else "language models"
        raise SandtableError(f"{what} are not allowed here; start the server with --allow-external")
    chosen = spec.options.get("weights", "")
    for value in values_of(spec):
        if value == chosen and value.startswith("@"):
            if value[1:] not in weights:
                raise SandtableError(f"'{spec.name}': the server has no weights '{value[1:]}'")
        elif not PLAIN_VALUE.fullmatch(value):
            raise SandtableError(f"'{spec.name}': files cannot be named in the browser")
    return str(spec)


def allowed_hint(text: str) -> str:
    """Return the clean spec of an agent that a guest may ask: it starts nothing and ends soon."""
    spec = parse_spec(allowed_agent(text, external=False))
    parameters = inspect.signature(agent_factory(spec.name)).parameters
    options = dict(spec.options)
    if spec.argument is not None and parameters:
        options = {next(iter(parameters)): spec.argument, **options}
    for name, value in options.items():
        most = most_for_guests(name, parameters.get(name))
        try:
            number = abs(float(value))
        except ValueError:
            if LIKE_A_NUMBER.match(value):  # hexadecimal, say: an option may read it all the same
                raise SandtableError(f"'{spec.name}': {name} is no plain number") from None
            continue  # a word
        if not number <= most:
            raise SandtableError(f"'{spec.name}': {name} is at most {most:g} in a hint")
    return str(spec)


def most_for_guests(name: str, parameter: inspect.Parameter | None) -> float:
    """Return the largest number a guest may give an option."""
    if name in MOST_FOR_GUESTS:
        return MOST_FOR_GUESTS[name]
    usual: Any = None if parameter is None else parameter.default
    known = isinstance(usual, (int, float)) and not isinstance(usual, bool)
    if known and usual and math.isfinite(usual):
        return MOST_TIMES_DEFAULT * abs(float(usual))
    return MOST_WITHOUT_DEFAULT


def allowed_game(text: str) -> str:
    """Return the clean spec of a game that a browser may name; it is made ``without_files``.

    >>> allowed_game("skirmish:level=2")
    'skirmish:level=2'
    """
    spec = parse_spec(text)
    named = any(OPTIONS_OF_FILES.search(option.lower()) for option in spec.options)
    if named or any(looks_like_path(value) for value in values_of(spec)):
        raise SandtableError(f"'{spec.name}': files cannot be named in the browser")
    return str(spec)


def values_of(spec: Spec) -> list[str]:
    """Return everything in a spec that is not a name."""
    return [*([] if spec.argument is None else [spec.argument]), *spec.options.values()]


def looks_like_path(value: str) -> bool:
    """Say whether a value can only be meant as a path; nothing is looked up."""
    return value.startswith(("/", "~", "\\")) or ".." in value or "\0" in value or "#" in value
