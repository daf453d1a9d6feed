"""Lets the reference show the fields of a class as one table, with the comments behind them.

An extension of Griffe, which reads the sources for the reference. A field explained by a comment in
its own line needs no docstring in the code, and a line of a table is enough for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import griffe

MARK = "  # "  # two spaces before a comment behind code, as the formatter sees to


class FieldComments(griffe.Extension):
    """Turns ``seed: int  # of any size`` into a row of the table of its class."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **more: Any) -> None:
        """Take the comment at the end of an attribute's line, unless it has a docstring."""
        path, last = attr.filepath, attr.endlineno
        if attr.docstring is not None or last is None or not isinstance(path, Path):
            return
        comment = comment_behind(attr.lines_collection[path], last - 1)
        if comment:
            attr.docstring = griffe.Docstring(comment, lineno=attr.lineno, parent=attr)

    def on_class_members(self, *, cls: griffe.Class, **more: Any) -> None:
        """Put the fields of a class below its description, and keep them out of its members."""
        for name, member in cls.members.items():
            if name.startswith("__") and name != "__init__":  # what Python calls, not people
                member.public = False
        fields = [
            member
            for name, member in cls.members.items()
            if isinstance(member, griffe.Attribute)
            and "property" not in member.labels
            and member.annotation is not None
            and not name.startswith("_")
        ]
        if not fields:
            return
        rows = ["| field | type | meaning |", "|---|---|---|"]
        for field in fields:
            meaning = field.docstring.value if field.docstring else ""
            rows.append(f"| `{field.name}` | `{field.annotation}` | {meaning} |")
            field.public = False
        text = cls.docstring.value if cls.docstring else ""
        table = "\n".join(rows)
        cls.docstring = griffe.Docstring(f"{text}\n\n{table}", lineno=cls.lineno, parent=cls)


def comment_behind(lines: list[str], place: int) -> str:
    """Return the comment behind a line of code, with the lines of comment that continue it."""
    _, mark, comment = lines[place].partition(MARK)
    if not mark or comment.startswith("type:"):
        return ""
    words = [comment.strip()]
    for line in lines[place + 1 :]:
        if not line.lstrip().startswith("# "):
            break
        words.append(line.strip().removeprefix("# "))
    return " ".join(words)
