"""PNG files from SVG documents."""

import struct
import sys

import pytest

from sandtable.errors import MissingExtra, SandtableError
from sandtable.pictures import font_files, rasterise

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">{}</svg>'
WORD = '<text x="2" y="15" font-size="14" font-family="{}" font-weight="{}">Wm</text>'


def size(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


@pytest.fixture
def painter():
    pytest.importorskip("resvg_py")


@pytest.mark.usefixtures("painter")
def test_png_has_the_size_asked_for():
    assert size(rasterise(SQUARE.format("<rect/>"))) == (40, 20)
    assert size(rasterise(SQUARE.format("<rect/>"), 400)) == (400, 200)


@pytest.mark.usefixtures("painter")
@pytest.mark.parametrize("weight", ["400", "500", "700"])
def test_words_are_drawn_with_our_own_fonts(weight):
    blank = rasterise(SQUARE.format(""), 80)
    written = rasterise(SQUARE.format(WORD.format("Roboto", weight)), 80)
    assert written != blank
    # a machine's own fonts are not looked at: unknown families are drawn in ours as well
    assert written == rasterise(SQUARE.format(WORD.format("sans-serif", weight)), 80)
    assert all(path.endswith(".ttf") for path in font_files())


@pytest.mark.usefixtures("painter")
def test_nonsense_is_refused_in_one_line():
    with pytest.raises(SandtableError, match="not an SVG") as caught:
        rasterise("no svg", None)
    assert "\n" not in str(caught.value)
    with pytest.raises(SandtableError, match="1 to 10000 pixels wide, got 0"):
        rasterise(SQUARE.format(""), 0)


@pytest.mark.parametrize("module", ["resvg_py", "font_roboto"])
def test_missing_extra_says_what_to_install(monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    font_files.cache_clear()
    with pytest.raises(
        MissingExtra, match=r"drawing a PNG needs.*pip install 'sandtable-games\[png\]'"
    ):
        rasterise(SQUARE.format(""))
