"""``sandtable calibrate``: its page, its figures as data, and its exit code."""

from __future__ import annotations

import json


def test_a_part_of_the_simulations(sandtable, tmp_path):
    page, data = tmp_path / "page.md", tmp_path / "figures.json"
    code, out, _ = sandtable(
        "calibrate", "--only", "a lead of -49", "-n", "60", "--report", page, "--json", data
    )
    assert code == 0
    assert out.splitlines()[-1] == "3 figures, 0 outside their bands"
    figures = json.loads(data.read_text())
    assert [each["share"] for each in figures] == [0.0, 0.0, 0.0]
    assert figures[0]["band"] == [0.0, 0.05] and figures[0]["holds"]
    assert "a lead of -49 tested against 0..60" in page.read_text()


def test_words_that_no_case_has(sandtable):
    code, _, errors = sandtable("calibrate", "--only", "no such thing")
    assert code == 1 and "no experiment has the words 'no such thing'" in errors
