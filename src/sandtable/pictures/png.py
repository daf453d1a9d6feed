"""SVG drawings as PNG files; needs the extra ``png``, and no font on the machine."""

from __future__ import annotations

import functools
import io
from typing import TYPE_CHECKING

from sandtable.errors import MissingExtra, SandtableError

if TYPE_CHECKING:  # the command line draws, and starts without NumPy
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MOST_PIXELS_WIDE", "pixels", "rasterise"]

MOST_PIXELS_WIDE = 10_000
FONT_FAMILY = "Roboto"  # drawings that name this family first look the same everywhere
WEIGHTS_IN_USE = ("Roboto", "RobotoMedium", "RobotoBold", "RobotoItalic")


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
