"""What stands inside columns of JSON, asked of SQLite and of PostgreSQL alike."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, ColumnElement, Float
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

__all__ = ["JsonNumber", "JsonTrue"]


class JsonTrue(FunctionElement[bool]):
    """Whether a column holds ``true`` at a path of names, which are ours and not a person's.

    >>> from sqlalchemy import column
    >>> print(JsonTrue(column("notes"), "web", "listed"))
    coalesce(CASE json_valid(notes) WHEN 1 THEN json_extract(notes, '$.web.listed') END = 1, 0)
    """

    type = Boolean()
    inherit_cache = False  # the names are a part of the text

    def __init__(self, column: ColumnElement[Any], *names: str) -> None:
        super().__init__(column)
        self.names = names


class JsonNumber(FunctionElement[float]):
    """The number at a place of a column that holds a list.

    >>> from sqlalchemy import column
    >>> print(JsonNumber(column("scores"), 1))
    json_extract(scores, '$[1]')
    """

    type = Float()
    inherit_cache = False

    def __init__(self, column: ColumnElement[Any], place: int) -> None:
        super().__init__(column)
        self.place = place


@compiles(JsonTrue)
def true_in_sqlite(element: JsonTrue, compiler: SQLCompiler, **more: Any) -> str:
    """Write it for SQLite, which has one for true; what is no JSON at all would be an error."""
    column = compiler.process(element.clauses, **more)
    found = f"json_extract({column}, '$.{'.'.join(element.names)}')"
    return f"coalesce(CASE json_valid({column}) WHEN 1 THEN {found} END = 1, 0)"


@compiles(JsonTrue, "postgresql")
def true_in_postgresql(element: JsonTrue, compiler: SQLCompiler, **more: Any) -> str:
    """Write it for PostgreSQL."""
    column = compiler.process(element.clauses, **more)
    return f"coalesce(({column})::jsonb #>> '{{{','.join(element.names)}}}' = 'true', false)"


@compiles(JsonNumber)
def number_in_sqlite(element: JsonNumber, compiler: SQLCompiler, **more: Any) -> str:
    """Write it for SQLite."""
    return f"json_extract({compiler.process(element.clauses, **more)}, '$[{element.place}]')"


@compiles(JsonNumber, "postgresql")
def number_in_postgresql(element: JsonNumber, compiler: SQLCompiler, **more: Any) -> str:
    """Write it for PostgreSQL."""
    column = compiler.process(element.clauses, **more)
    return f"(({column})::jsonb ->> {element.place})::float8"
