"""``sandtable panel``: a table with a row for every member, and one clear line about strangers."""

import json

from sandtable.games.stratego.panel import MEMBERS, panel_plans


def test_the_panel_is_of_several_schools_and_plays_both_seats():
    plans = panel_plans("stratego/champion", MEMBERS, 10, 3)
    assert len({plan.agents[1] for plan in plans}) >= 7
    assert all(plan.rotate and plan.seed == 3 and plan.games == 10 for plan in plans)


def test_some_members_are_met(sandtable, tmp_path):
    path = tmp_path / "panel.json"
    words = ("panel", "stratego/besieger", "--only", "rusher", "--only", "hunter", "--games", "20")
    code, out, _ = sandtable(*words, "--also", "random", "--json", path)
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert [line[0] for line in lines if line and line[0] in ("stratego/rusher", "random")] == [
        "stratego/rusher",
        "random",
    ]
    rows = json.loads(path.read_text())
    assert [row["opponent"] for row in rows] == ["stratego/hunter", "stratego/rusher", "random"]
    assert all(row["games"] == 20 and 0 <= row["won"] <= 1 for row in rows)
    assert rows[2]["won"] > 0.9


def test_a_stranger_is_refused_in_one_line(sandtable):
    code, _, errors = sandtable("panel", "--only", "hunted")
    assert code != 0
    assert "nobody on the panel is called 'hunted'" in errors
    assert "hunter" in errors
