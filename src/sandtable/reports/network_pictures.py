"""What a network sees and is made of: planes as small maps, files of weights as lists of layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from sandtable.errors import MissingExtra, SandtableError
from sandtable.pictures import box, tag, text

__all__ = ["Layer", "layers_of", "layers_svg", "layers_text", "planes_svg", "planes_text"]

CELL, WIDE_CELL = 14.0, 7.0  # pixels of a square, and of one in a long row
LONG_ROW = 24
GAP, TITLE, MARGIN = 26.0, 18.0, 20.0
PICTURE = 980.0  # pixels wide, at least one plane
PAPER, EMPTY, ABOVE, BELOW = "#fbfaf5", "#ebe8dd", (47, 111, 208), (194, 87, 26)
SHADES = " .:-=+*#%@"  # from nothing to most
LONGEST_NAME = 30
FONT = "Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
MOST_BLOCKS = 60


# --- planes --------------------------------------------------------------------------------------


def planes_text(planes: NDArray[np.float32], names: Sequence[str]) -> str:
    """Return planes as text, each under its name; what is below nothing is marked by ``n``.

    >>> print(planes_text(np.array([[[0.0, 1.0]], [[-1.0, 0.5]]], dtype=np.float32), ["a", "b"]))
    1 a
      . @
    2 b
      n +
    """
    lines = []
    for number, (plane, name) in enumerate(zip(planes, names, strict=True), start=1):
        most = float(np.abs(plane).max()) or 1.0
        lines.append(f"{number} {name}")
        lines += ["  " + " ".join(shade(float(value) / most) for value in row) for row in plane]
    return "\n".join(lines)


def shade(value: float) -> str:
    """Return the letter of a value between -1 and 1."""
    if value < 0:
        return "n"
    return SHADES[min(int(value * 10), 9)] if value >= 0.1 else "."


def planes_svg(planes: NDArray[np.float32], names: Sequence[str], title: str) -> str:
    """Return planes as one picture: blue above nothing, orange below, the strongest the most.

    >>> planes_svg(np.zeros((1, 2, 2), dtype=np.float32), ["units"], "What it sees")[:4]
    '<svg'
    """
    _, rows, columns = planes.shape
    cell = WIDE_CELL if columns > LONG_ROW else CELL
    wide, high = max(columns * cell, 190.0) + GAP, rows * cell + TITLE + GAP
    across = max(1, int((PICTURE - 2 * MARGIN) // wide))
    parts = [text(MARGIN, 28, title, 16, font_weight="bold")]
    for index, (plane, name) in enumerate(zip(planes, names, strict=True)):
        x = MARGIN + (index % across) * wide
        y = 56 + (index // across) * high
        parts.append(tag("g", tag("title", escape(name)), text(x, y, short_name(index, name), 11)))
        parts += plane_cells(plane, x, y + 6, cell)
    height = 56 + math.ceil(len(planes) / across) * high
    return picture(parts, MARGIN * 2 + across * wide, height)


def short_name(index: int, name: str) -> str:
    """Return the number and the beginning of a plane's name, as much as stands above it.

    >>> short_name(0, "spy: own 1, other's minus the chance that it is one")
    '1: spy'
    """
    first = name.partition(":")[0] if len(name) > LONGEST_NAME else name
    shown = first if len(first) <= LONGEST_NAME else first[: LONGEST_NAME - 1] + "…"
    return f"{index + 1}: {shown}"


def plane_cells(plane: NDArray[np.float32], x: float, y: float, cell: float) -> list[str]:
    """Return the squares of one plane."""
    most = float(np.abs(plane).max()) or 1.0
    parts = []
    for row, column in np.ndindex(plane.shape):
        value = float(plane[row, column]) / most
        colour = EMPTY if value == 0 else mixed(value)
        centre = (x + (column + 0.5) * cell, y + (row + 0.5) * cell)
        parts.append(box(*centre, cell - 1, cell - 1, fill=colour))
    return parts


def mixed(value: float) -> str:
    """Return the colour of a value between -1 and 1.

    >>> mixed(1.0)
    '#2f6fd0'
    """
    strength = 0.25 + 0.75 * abs(value)
    paper = (251, 250, 245)
    strong = ABOVE if value > 0 else BELOW
    parts = [round(p + (s - p) * strength) for p, s in zip(paper, strong, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in parts)


# --- files of weights ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Layer:
    """One array of numbers that was learned.

    >>> Layer("first", (8, 4)).count
    32
    """

    name: str
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)


def layers_of(path: Path) -> list[Layer]:
    """Return the arrays in a file of weights, in the order in which they are used or named."""
    if path.suffix == ".onnx":
        return onnx_layers(path)
    from sandtable.agents.weights import read_array_file

    try:
        arrays, _ = read_array_file(path.read_bytes())
    except OSError as problem:
        raise SandtableError(f"cannot read {path}: {problem.strerror}") from problem
    except ValueError as problem:
        raise SandtableError(f"{path} is not a file of weights: {problem}") from problem
    return [Layer(name, tuple(array.shape)) for name, array in arrays.items()]


def onnx_layers(path: Path) -> list[Layer]:
    """Return the arrays of a network in a file of ONNX."""
    try:
        import onnx
    except ImportError as problem:
        raise MissingExtra("looking into a network", "learn") from problem
    try:
        graph = onnx.load(str(path)).graph
    except Exception as problem:  # its reader raises errors of several libraries
        raise SandtableError(f"{path} is not a network in ONNX") from problem
    shapes = onnx.TensorProto.INT64  # whole numbers say how something is laid out
    learned = [each for each in graph.initializer if each.data_type != shapes]
    return [Layer(each.name, tuple(each.dims)) for each in learned]


def layers_text(path: Path, layers: Sequence[Layer]) -> str:
    """Return a file of weights as a list of what was learned.

    >>> print(layers_text(Path("a.onnx"), [Layer("first", (8, 4)), Layer("bias", (8,))]))
    a.onnx: 40 numbers in 2 arrays
      first  8 x 4         32
      bias   8              8
    """
    total = sum(layer.count for layer in layers)
    wide = max((len(layer.name) for layer in layers), default=0)
    shapes = [" x ".join(map(str, layer.shape)) for layer in layers]
    broad = max(map(len, shapes), default=0)
    lines = [f"{path.name}: {total:,} numbers in {len(layers)} arrays"]
    for layer, shape in zip(layers, shapes, strict=True):
        lines.append(f"  {layer.name:{wide}}  {shape:{broad}}  {layer.count:>9,}")
    return "\n".join(lines)


def layers_svg(files: Sequence[tuple[Path, Sequence[Layer]]]) -> str:
    """Return files of weights as a picture: a bar for each array, as long as it has numbers.

    >>> layers_svg([(Path("a.onnx"), [Layer("first", (8, 4))])])[:4]
    '<svg'
    """
    parts, y = [], 34.0
    for path, layers in files:
        total = sum(layer.count for layer in layers)
        title = f"{path.name}: {total:,} numbers in {len(layers)} arrays"
        parts.append(text(MARGIN, y, title, 16, font_weight="bold"))
        most = max((layer.count for layer in layers), default=1)
        shown = sorted(layers, key=lambda layer: -layer.count)[:MOST_BLOCKS]
        for layer in [layer for layer in layers if layer in shown]:
            y += 22
            length = 360 * math.sqrt(layer.count / most)  # small ones are seen as well
            shape = " x ".join(map(str, layer.shape))
            parts.append(text(MARGIN, y, layer.name[-46:], 12))
            parts.append(box(360 + length / 2, y - 4, length, 14, fill="#2f6fd0"))
            parts.append(text(366 + length, y, f"{shape} = {layer.count:,}", 12))
        y += 44
    return picture(parts, PICTURE, y)


def picture(parts: Sequence[str], wide: float, high: float) -> str:
    """Return a whole drawing on paper."""
    return tag(
        "svg",
        tag("rect", width=wide, height=high, fill=PAPER),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {wide:g} {high:g}",
        width=wide,
        height=high,
        role="img",
        font_family=FONT,
    )
