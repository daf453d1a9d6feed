"""Writes the protocol of the browser from the schemas of the server: TypeScript and tables.

``python scripts/protocol_types.py`` renews web/src/lib/protocol.ts and the last section of
docs/web-protocol.md; with ``--check`` it only says whether both are as they should be. The schemas
are the one place where a field is added.
"""

from __future__ import annotations

import argparse
import sys
import types
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from sandtable.server import client_messages, requests, server_messages
from sandtable.server.responses import (
    analysis,
    archive,
    classes,
    games,
    jobs,
    puzzles,
    reviews,
    rooms,
)

ROOT = Path(__file__).resolve().parents[1]
TYPES = ROOT / "web" / "src" / "lib" / "protocol.ts"
DOCUMENT = ROOT / "docs" / "web-protocol.md"
SCHEMAS_BEGIN = "<!-- The tables below are made by scripts/protocol_types.py. -->"
MODULES = (
    ("What the browser asks for over HTTP.", requests),
    ("What the server answers over HTTP about games and agents.", games),
    ("What the server answers about rooms.", rooms),
    ("What the server answers about tournaments of a class.", classes),
    ("What the server answers about puzzles.", puzzles),
    ("What the server answers about the archive.", archive),
    ("What the server answers about looking back on finished games.", reviews),
    ("What the server answers about moves and values.", analysis),
    ("What the server answers about work in the background.", jobs),
    ("What the browser says over a WebSocket.", client_messages),
    ("What the server says over a WebSocket.", server_messages),
)
UNIONS = (
    ("ClientMessage", client_messages.ClientMessage),
    ("ServerMessage", server_messages.ServerMessage),
)
LEFT_OUT = {"RequestBody", "Strict"}  # base classes that say how strict a schema is
PLAIN = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null"}
WIDTH = 100


def type_text(hint: Any) -> str:
    """Return a type of Python as one of TypeScript.

    >>> type_text(list[int] | None)
    'number[] | null'
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return type_text(arguments[0])
    if hint in PLAIN:
        return PLAIN[hint]
    if hint is Any:
        return "unknown"
    if origin is Literal:
        return " | ".join(f"'{value}'" for value in arguments)
    if origin in (Union, types.UnionType):
        return " | ".join(type_text(argument) for argument in arguments)
    if origin is list:
        inner = type_text(arguments[0])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if origin is dict:
        return f"Record<{type_text(arguments[0])}, {type_text(arguments[1])}>"
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return hint.__name__
    raise TypeError(f"no TypeScript for {hint!r}")


def bases_of(model: type[BaseModel]) -> list[type[BaseModel]]:
    """Return the schemas that a schema extends."""
    return [
        base
        for base in model.__bases__
        if issubclass(base, BaseModel) and base is not BaseModel and base.__name__ not in LEFT_OUT
    ]


def interface_text(model: type[BaseModel]) -> str:
    """Return a schema as an interface."""
    bases = bases_of(model)
    known = {name for base in bases for name in base.model_fields}
    extends = f" extends {', '.join(base.__name__ for base in bases)}" if bases else ""
    line = (model.__doc__ or "").strip().splitlines()[0]
    rows = [f"/** {line} */", f"export interface {model.__name__}{extends} {{"]
    for name, field in model.model_fields.items():
        if name not in known:
            mark = "" if field.is_required() else "?"
            rows.append(f"  {field.alias or name}{mark}: {type_text(field.annotation)}")
    if model.model_config.get("extra") == "allow" and not bases:
        rows.append("  [data: string]: unknown")
    return "\n".join([*rows, "}"])


def models_in(module: Any) -> list[type[BaseModel]]:
    """Return the schemas that a module defines, in its order."""
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, BaseModel)
        and value.__module__ == module.__name__
        and value.__name__ not in LEFT_OUT
    ]


def union_text(name: str, union: Any) -> str:
    """Return a union of messages."""
    members = [member.__name__ for member in get_args(get_args(union)[0])]
    line = f"export type {name} = {' | '.join(members)}"
    if len(line) <= WIDTH:
        return line
    return f"export type {name} =\n" + "\n".join(f"  | {member}" for member in members)


def protocol_text() -> str:
    """Return the whole file."""
    parts = [
        "// Made by scripts/protocol_types.py from the schemas of the server: not to be edited."
    ]
    for title, module in MODULES:
        parts += [f"// --- {title}", *map(interface_text, models_in(module))]
    parts += [union_text(name, union) for name, union in UNIONS]
    return "\n\n".join(parts) + "\n"


def table_text(model: type[BaseModel]) -> str:
    """Return the fields of a schema as a table of Markdown."""
    rows = [f"#### `{model.__name__}`", "", (model.__doc__ or "").strip().splitlines()[0], ""]
    rows += ["| field | type |", "|---|---|"]
    for name, field in model.model_fields.items():
        text = type_text(field.annotation).replace("|", "\\|")
        optional = "" if field.is_required() else ", may be left out"
        rows.append(f"| `{field.alias or name}` | {text}{optional} |")
    if model.model_config.get("extra") == "allow":
        rows.append("| more | what the game adds |")
    return "\n".join(rows)


def document_text(document: str) -> str:
    """Return the document with its tables as the schemas say."""
    parts = [document.partition(SCHEMAS_BEGIN)[0] + SCHEMAS_BEGIN]
    for title, module in MODULES:
        parts += [f"### {title.rstrip('.')}", *map(table_text, models_in(module))]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Write the file, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    only_check = parser.parse_args().check
    wanted = {
        TYPES: protocol_text(),
        DOCUMENT: document_text(DOCUMENT.read_text(encoding="utf-8")),
    }
    stale = [path for path, text in wanted.items() if path.read_text(encoding="utf-8") != text]
    for path in stale:
        if only_check:
            print(f"{path.relative_to(ROOT)} is not what the schemas say")
        else:
            path.write_text(wanted[path], encoding="utf-8")
    return int(only_check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
