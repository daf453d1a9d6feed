"""What somebody reads who uses an adapter without the extra."""

from __future__ import annotations

import importlib
import sys

import pytest

from sandtable.errors import MissingExtra


@pytest.mark.parametrize(
    ("adapter", "library"),
    [("gymnasium", "gymnasium"), ("openspiel.our_games", "pyspiel"), ("pettingzoo", "pettingzoo")],
)
def test_an_adapter_without_its_library_says_how_to_get_it(adapter, library, monkeypatch):
    module = f"sandtable.adapters.{adapter}"
    monkeypatch.setitem(sys.modules, library, None)  # as if it were not installed
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(MissingExtra, match=r"needs the extra 'interop': pip install"):
        importlib.import_module(module)
