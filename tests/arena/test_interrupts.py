"""Ctrl-C while something is compiled: an interrupt, without a word of the compiler's."""

from __future__ import annotations

import signal
import sys
from types import SimpleNamespace

import pytest

from sandtable.arena.play.interrupts import hush_compiler, remembered_interrupts


def test_an_error_that_the_compiler_makes_of_ctrl_c_is_an_interrupt(monkeypatch):
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    with pytest.raises(KeyboardInterrupt), remembered_interrupts():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("lowering failed") from None
    with pytest.raises(RuntimeError, match="its own"), remembered_interrupts():
        raise RuntimeError("its own")


def test_only_the_compilers_half_made_objects_are_silent(monkeypatch):
    heard = []
    monkeypatch.setattr(sys, "unraisablehook", heard.append)
    hush_compiler()
    for module in ("llvmlite.binding.ffi", "somebody"):
        sys.unraisablehook(SimpleNamespace(object=SimpleNamespace(__module__=module)))
    assert [each.object.__module__ for each in heard] == ["somebody"]
