"""Processes of programs stand behind the server, whatever the system goes by."""

import os

from sandtable.server import priority


def lowered(monkeypatch, tmp_path, session) -> str:
    monkeypatch.setattr(priority, "GROUP", tmp_path / "autogroup")
    monkeypatch.setattr(os, "nice", lambda steps: 3 + steps)
    monkeypatch.setattr(os, "getsid", lambda process: session)
    (tmp_path / "autogroup").write_text("0")
    priority.let_others_go_first(5)
    return (tmp_path / "autogroup").read_text()


def test_a_session_of_its_own_is_lowered_whole(monkeypatch, tmp_path):
    assert lowered(monkeypatch, tmp_path, os.getpid()) == "8"


def test_a_session_of_others_is_left_alone(monkeypatch, tmp_path):
    assert lowered(monkeypatch, tmp_path, os.getpid() + 1) == "0"


def test_where_there_are_no_priorities_nothing_happens(monkeypatch):
    monkeypatch.delattr(os, "nice")
    priority.let_others_go_first(5)
