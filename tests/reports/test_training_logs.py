"""Curves of training that stand in reports."""

from __future__ import annotations

import json

from sandtable.reports.training_logs import read_log, training_section


def kept(folder, name, losses):
    (folder / "training").mkdir(exist_ok=True)
    lines = [json.dumps({"game": game, "loss": loss}) for game, loss in enumerate(losses)]
    (folder / "training" / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_logs_of_one_game_are_drawn_in_one_plot_by_the_names_of_their_rows(tmp_path):
    assert training_section(tmp_path, "race") is None  # nothing is kept
    kept(tmp_path, "race-first.jsonl", [float(loss) for loss in range(100)])
    kept(tmp_path, "race-second.jsonl", [5.0, 4.0])
    kept(tmp_path, "other-third.jsonl", [1.0, 2.0])
    section = training_section(tmp_path, "race")
    (plot,) = section.plots
    assert [curve.series for curve in plot.curves] == ["first", "second"]
    first, second = plot.curves
    assert len(first.points) == 25
    assert first.points[0].mean == 1.5  # of 0, 1, 2 and 3
    assert [point.mean for point in second.points] == [5.0, 4.0]
    assert "first (100 lines), second (2 lines)" in section.notes[0]


def test_a_line_that_is_being_written_is_left_out(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"loss": 1.0}\n{"loss"', encoding="utf-8")
    assert read_log(path) == [{"loss": 1.0}]
