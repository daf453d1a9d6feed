"""Spec strings: one way to write a game or agent with its options, everywhere.

``lucid/one-axis-blue:axis=c``, ``random``, ``external:./bot,seconds=2`` and
``external:"python bot.py --depth=3",seconds=2``: a name, then after a colon one plain argument
and any number of ``key=value`` options, separated by commas. Quotes keep commas together.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, get_type_hints

from sandtable.errors import UnreadableSpec, suggestion

__all__ = ["Spec", "build", "files_allowed", "parse_spec", "without_files"]

PARTS = re.compile(r'\s*((?:"[^"]*"|[^",])*)\s*(?:,|$)')
OPTION = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)=(.*)", re.DOTALL)
WORDS_FOR_TRUE = ("true", "yes", "on", "1")
WORDS_FOR_FALSE = ("false", "no", "off", "0")
FILES_ALLOWED: ContextVar[bool] = ContextVar("FILES_ALLOWED", default=True)


def files_allowed() -> bool:
    """Say whether a value in a spec may name a file; if not, nobody even looks for one.

    >>> files_allowed()
    True
    """
    return FILES_ALLOWED.get()


@contextmanager
def without_files() -> Iterator[None]:
    """Make games and agents from specs of strangers, who must not learn which files there are.

    >>> with without_files():
    ...     print(files_allowed())
    False
    """
    token = FILES_ALLOWED.set(False)
    try:
        yield
    finally:
        FILES_ALLOWED.reset(token)


@dataclass(frozen=True)
class Spec:
    """A parsed spec string; ``str`` gives back its one canonical form.

    >>> str(Spec("external", "./bot", {"seconds": "2"}))
    'external:./bot,seconds=2'
    """

    name: str
    argument: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [] if self.argument is None else [quoted(self.argument)]
        parts += [f"{key}={quoted(value)}" for key, value in sorted(self.options.items())]
        return f"{self.name}:{','.join(parts)}" if parts else self.name


def quoted(value: str) -> str:
    """Put quotes round a value that would not survive on its own.

    >>> quoted("a,b"), quoted("ab")
    ('"a,b"', 'ab')
    """
    needs_quotes = "," in value or value != value.strip() or OPTION.fullmatch(value) or not value
    return f'"{value}"' if needs_quotes else value


def parse_spec(text: str) -> Spec:
    """Read a spec string.

    >>> parse_spec("external:./bot,seconds=2")
    Spec(name='external', argument='./bot', options={'seconds': '2'})
    >>> parse_spec("random").options
    {}
    """
    name, colon, rest = text.strip().partition(":")
    if not name:
        raise UnreadableSpec(f"'{text}' names no game or agent; write name or name:key=value,...")
    if colon and not rest.strip():
        raise UnreadableSpec(f"'{text}' ends in a colon; write {name} or {name}:key=value,...")
    argument: str | None = None
    options: dict[str, str] = {}
    for index, part in enumerate(split_parts(rest, text)):
        option = OPTION.fullmatch(part)
        if option and option[1] in options:
            raise UnreadableSpec(f"'{text}' gives the option '{option[1]}' twice")
        if option:
            options[option[1]] = unquoted(option[2])
        elif index == 0 and part:
            argument = unquoted(part)
        else:
            raise UnreadableSpec(f"'{part}' in '{text}' is not key=value")
    return Spec(name, argument, options)


def split_parts(rest: str, text: str) -> list[str]:
    """Split at the commas that stand outside quotes.

    >>> split_parts('"a,b",c=1', 'x:"a,b",c=1')
    ['"a,b"', 'c=1']
    """
    if rest.count('"') % 2:
        raise UnreadableSpec(f"'{text}' has a quote that is never closed")
    parts = [match[1].strip() for match in PARTS.finditer(rest)]
    return parts[:-1] if parts and not parts[-1] and not rest.endswith(",") else parts


def unquoted(value: str) -> str:
    """Take one pair of surrounding quotes off.

    >>> unquoted('"a,b"'), unquoted("ab")
    ('a,b', 'ab')
    """
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value


def build(factory: Callable[..., Any], spec: Spec) -> Any:
    """Call a factory with the options of a spec, converted to the types it declares.

    >>> def bot(program: str, seconds: float = 1.0) -> tuple[str, float]:
    ...     return program, seconds
    >>> build(bot, parse_spec("external:./bot,seconds=2"))
    ('./bot', 2.0)
    """
    known = inspect.signature(factory).parameters
    source = factory.__init__ if inspect.isclass(factory) else factory
    hints = get_type_hints(source)
    arguments: dict[str, Any] = {}
    options = dict(spec.options)
    if spec.argument is not None:
        if not known:
            raise UnreadableSpec(f"'{spec.name}' takes no argument, got '{spec.argument}'")
        options = {next(iter(known)): spec.argument, **options}
    for key, value in options.items():
        if key not in known:
            names = ", ".join(known) or "none"
            raise UnreadableSpec(
                f"'{spec.name}' has no option '{key}' (its options: {names})."
                + suggestion(key, known)
            )
        arguments[key] = converted(value, hints.get(key, str), f"{spec.name}:{key}")
    missing = [
        key
        for key, parameter in known.items()
        if parameter.default is inspect.Parameter.empty and key not in arguments
    ]
    if missing:
        raise UnreadableSpec(
            f"'{spec.name}' needs the option '{missing[0]}'; add {missing[0]}=... to it"
        )
    try:
        return factory(**arguments)
    except (ValueError, TypeError) as problem:
        raise UnreadableSpec(f"'{spec}': {problem}") from problem


def converted(value: str, wanted: Any, where: str) -> Any:
    """Turn the text of an option into the type its parameter declares.

    >>> converted("2", int, "bot:seconds"), converted("yes", bool, "bot:fast")
    (2, True)
    """
    kinds = [kind for kind in getattr(wanted, "__args__", (wanted,)) if kind is not type(None)]
    kind = kinds[0] if kinds else str
    if kind is bool:
        if value.lower() in WORDS_FOR_TRUE + WORDS_FOR_FALSE:
            return value.lower() in WORDS_FOR_TRUE
        raise UnreadableSpec(f"{where} is true or false, got '{value}'")
    if kind not in (int, float, str):
        return value
    try:
        return kind(value)
    except ValueError:
        described = "a whole number" if kind is int else "a number"
        raise UnreadableSpec(f"{where} is {described}, got '{value}'") from None
