"""Pictures: the parts of an SVG document, and SVG as PNG (extra ``png``, no font needed)."""

from __future__ import annotations

import functools
import io
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from sandtable.errors import MissingExtra, SandtableError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "INK",
    "MOST_PIXELS_WIDE",
    "box",
    "line",
    "moved_to",
    "number",
    "pixels",
    "rasterise",
    "tag",
    "text",
]

MOST_PIXELS_WIDE = 10_000
FONT_FAMILY = "Roboto"  # drawings that name this family first look the same everywhere
WEIGHTS_IN_USE = ("Roboto", "RobotoMedium", "RobotoBold", "RobotoItalic")
INK = "#3a362c"


@functools.cache
def font_files() -> list[str]:
    """Return the paths of the TrueType fonts that text is drawn with."""
    import font_roboto

    return [font_roboto.font_files[name] for name in WEIGHTS_IN_USE]


def rasterise(svg: str, width: int | None = None) -> bytes:
    """Return an SVG document as a PNG so many pixels wide (by default as wide as it says)."""
    try:
        import resvg_py

        fonts = font_files()
    except ImportError as problem:
        raise MissingExtra("drawing a PNG", "png") from problem
    if width is not None and not 1 <= width <= MOST_PIXELS_WIDE:
        raise SandtableError(f"a PNG is 1 to {MOST_PIXELS_WIDE} pixels wide, got {width}")
    try:
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=svg,
                width=width,
                skip_system_fonts=True,  # the same picture on every machine
                font_files=fonts,
                font_family=FONT_FAMILY,
                sans_serif_family=FONT_FAMILY,
            )
        )
    except ValueError as problem:
        raise SandtableError(f"the drawing is not an SVG that can be painted: {problem}") from None


def pixels(svg: str, width: int | None = None) -> NDArray[np.uint8]:
    """Return an SVG document as pixels [height, width, red green blue] on white."""
    import numpy as np

    try:
        from PIL import Image
    except ImportError as problem:
        raise MissingExtra("drawing pixels", "interop") from problem
    picture = Image.open(io.BytesIO(rasterise(svg, width))).convert("RGBA")
    paper = Image.new("RGBA", picture.size, "white")
    paper.alpha_composite(picture)
    return np.asarray(paper.convert("RGB"), dtype=np.uint8)


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
