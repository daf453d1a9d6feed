"""Lets the reference show the comments behind the fields of a class as their descriptions.

An extension of Griffe, which reads the sources for the reference. A field explained by a comment in
its own line needs no docstring in the code, and still has its line in the reference.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import griffe

MARK = "  # "  # two spaces before a comment behind code, as the formatter sees to


class FieldComments(griffe.Extension):
    """Turns ``seed: int  # of any size`` into a field described by "Of any size"."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **more: Any) -> None:
        """Take the comment at the end of an attribute's line, unless it has a docstring."""
        path, last = attr.filepath, attr.endlineno
        if attr.docstring is not None or last is None or not isinstance(path, Path):
            return
        lines = attr.lines_collection[path]
        comment = comment_behind(lines, last - 1)
        if comment:
            text = comment[:1].upper() + comment[1:]
            attr.docstring = griffe.Docstring(text, lineno=attr.lineno, parent=attr)


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
