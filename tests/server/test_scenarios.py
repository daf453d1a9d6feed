"""Scenarios over HTTP: listed, checked, played, and no file of the server is ever opened."""

from __future__ import annotations

import pytest


def test_scenarios_are_listed_and_checked(server):
    listed = {each["name"]: each for each in server.get("/api/scenarios")}
    assert list(listed) == ["published", "pass", "relief", "river"]
    assert listed["published"]["spec"] == "lucid"
    values = {k: v for k, v in listed["river"].items() if k not in ("name", "spec")}
    answer = server.post("/api/scenarios/check", {"values": values})
    assert answer["problems"] == [] and answer["spec"] == "lucid:scenario=river"
    assert answer["board"]["columns"] == 7 and answer["values"] == values
    again = server.post("/api/scenarios/check", {"file": answer["file"]})
    assert again["spec"] == answer["spec"]
    wrong = server.post("/api/scenarios/check", {"values": {**values, "turns": 0, "first": {}}})
    assert len(wrong["problems"]) == 2 and "spec" not in wrong
    assert "TOML" in server.post("/api/scenarios/check", {"file": "["})["problems"][0]


def test_a_scenario_is_played_in_a_room(server):
    answer = server.post(
        "/api/scenarios/check",
        {"values": {"board": ["r1 . .", ". x .", "b2 b2 b1"], "turns": 6}},
    )
    agents = server.get("/api/agents", params={"game": answer["spec"]})
    names = {agent["name"] for agent in agents}
    assert "random" in names and "montecarlo" in names
    assert not any(name.startswith("lucid/") for name in names)
    room = server.room(answer["spec"], "random", "random")
    assert server.get(f"/api/rooms/{room['room']}")["game"] == answer["spec"]


@pytest.mark.parametrize("path", ["/etc/passwd", "../mine.toml", "~/mine.toml", "pyproject.toml"])
def test_files_cannot_be_named_through_the_server(server, path):
    spec = f"lucid:scenario={path}"
    answer = server.http.get("/api/game", params={"spec": spec})
    assert answer.status_code == 400
    assert "files cannot be named" in answer.text or "there is no scenario" in answer.text
    assert "build-system" not in answer.text  # nothing of the file is told
