"""Spec strings: reading, writing, and telling what is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandtable.errors import SandtableError, UnreadableSpec
from sandtable.specs import Spec, build, parse_spec


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("random", Spec("random")),
        ("lucid/one-axis-blue:axis=c", Spec("lucid/one-axis-blue", None, {"axis": "c"})),
        ("external:./bot", Spec("external", "./bot")),
        ("external:./bot,seconds=2", Spec("external", "./bot", {"seconds": "2"})),
        (
            'external:"python bot.py --depth=3,4",seconds=2',
            Spec("external", "python bot.py --depth=3,4", {"seconds": "2"}),
        ),
        ("a: b=1 , c=x y ", Spec("a", None, {"b": "1", "c": "x y"})),
    ],
)
def test_reading(text, expected):
    assert parse_spec(text) == expected
    assert parse_spec(str(expected)) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no game or agent"),
        (":x=1", "names no game or agent"),
        ("random:", "ends in a colon"),
        ("a:x=1,x=2", "'x' twice"),
        ("a:x=1,y", "'y' in 'a:x=1,y' is not key=value"),
        ('a:"x', "never closed"),
    ],
)
def test_unreadable(text, words):
    with pytest.raises(UnreadableSpec, match=words):
        parse_spec(text)


@given(st.text())
def test_nothing_but_our_own_errors(text):
    try:
        spec = parse_spec(text)
    except SandtableError:
        return
    assert parse_spec(str(spec)) == spec


names = st.from_regex("[a-z][a-z-]*", fullmatch=True)
values = st.text(st.characters(exclude_characters='"', exclude_categories=["C", "Z"]), min_size=1)


@given(names, st.none() | values, st.dictionaries(st.from_regex("[a-z]+", fullmatch=True), values))
def test_round_trip(name, argument, options):
    spec = Spec(name, argument, options)
    assert parse_spec(str(spec)) == spec


def make(command: str, seconds: float = 1.0, deep: bool = False, width: int | None = None) -> dict:
    return {"command": command, "seconds": seconds, "deep": deep, "width": width}


def test_building_converts_to_the_declared_types():
    made = build(make, parse_spec("x:run,seconds=2,deep=yes,width=7"))
    assert made == {"command": "run", "seconds": 2.0, "deep": True, "width": 7}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x", "needs the option 'command'"),
        ("x:run,second=2", "no option 'second' .* Did you mean 'seconds'?"),
        ("x:run,seconds=fast", "x:seconds is a number, got 'fast'"),
        ("x:run,width=1.5", "x:width is a whole number, got '1.5'"),
        ("x:run,deep=perhaps", "x:deep is true or false, got 'perhaps'"),
    ],
)
def test_building_tells_what_is_wrong(text, words):
    with pytest.raises(UnreadableSpec, match=words):
        build(make, parse_spec(text))
