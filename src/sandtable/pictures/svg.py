"""Elements of SVG, written the same way by the drawings of all games."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

__all__ = ["INK", "box", "line", "moved_to", "number", "tag", "text"]

INK = "#3a362c"


def tag(name: str, *children: str, **attributes: str | float) -> str:
    """Write one element; ``stroke_width`` becomes ``stroke-width`` and ``class_`` ``class``."""
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(number(value))}"
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


def number(value: str | float) -> str:
    """Write a number with no more digits than a drawing needs."""
    return value if isinstance(value, str) else f"{round(value, 2):g}"


def text(x: float, y: float, words: str, size: float, **attributes: str | float) -> str:
    """Write words; they stand in the drawing's ink unless told otherwise."""
    look = {"fill": INK, **attributes}
    return tag("text", escape(words), x=x, y=y, font_size=size, **look)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: str | float) -> str:
    """Draw a straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)


def box(x: float, y: float, width: float, height: float, **attributes: str | float) -> str:
    """Draw a rectangle around its centre."""
    corner = {"x": x - width / 2, "y": y - height / 2}
    return tag("rect", **corner, width=width, height=height, **attributes)


def moved_to(x: float, y: float, *children: str, **attributes: str | float) -> str:
    """Group elements and move their origin."""
    return tag("g", *children, transform=f"translate({number(x)} {number(y)})", **attributes)
