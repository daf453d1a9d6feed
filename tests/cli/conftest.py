"""What the tests of the command line share."""

from __future__ import annotations

import sys

import pytest

from sandtable.cli.main import run


@pytest.fixture
def sandtable(monkeypatch, capsys):
    """Run a command line in this process, and return its exit code, output and errors."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["sandtable", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            run()
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return call
