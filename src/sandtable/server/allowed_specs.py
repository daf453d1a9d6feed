"""Which spec strings may come from a browser: none that names a file or starts a program."""

from __future__ import annotations

import re
from pathlib import Path

from sandtable.errors import SandtableError
from sandtable.specs import Spec, parse_spec

__all__ = ["allowed_agent", "allowed_game"]

PLAIN_VALUE = re.compile(r"[A-Za-z0-9_+-]*(\.[0-9]+)?")
NEVER = ("human",)
ONLY_WITH_PERMISSION = ("external",)
LINE_OF_FILE = re.compile(r"#[0-9]+$")


def allowed_agent(text: str, external: bool) -> str:
    """Return the clean spec of an agent that a browser may name."""
    spec = parse_spec(text)
    if spec.name in NEVER:
        raise SandtableError(f"'{spec.name}' plays at a terminal; choose a person instead")
    if spec.name in ONLY_WITH_PERMISSION:
        if external:
            return str(spec)
        raise SandtableError(
            "external programs are not allowed here; start the server with --allow-external"
        )
    for value in values_of(spec):
        if not PLAIN_VALUE.fullmatch(value):
            raise SandtableError(f"'{spec.name}': files cannot be named in the browser")
    return str(spec)


def allowed_game(text: str) -> str:
    """Return the clean spec of a game that a browser may name."""
    spec = parse_spec(text)
    for value in values_of(spec):
        if looks_like_file(value):
            raise SandtableError(f"'{spec.name}': files cannot be named in the browser")
    return str(spec)


def values_of(spec: Spec) -> list[str]:
    """Return everything in a spec that is not a name."""
    return [*([] if spec.argument is None else [spec.argument]), *spec.options.values()]


def looks_like_file(value: str) -> bool:
    """Say whether a value names a file that exists, or one outside this folder."""
    path = LINE_OF_FILE.sub("", value)
    if path.startswith(("/", "~", "\\")) or ".." in path or "\0" in path:
        return True
    try:
        return bool(path) and Path(path).exists()
    except OSError:
        return False
