"""Studies: each variant is measured once, kept in a file of its own, and judged when all are."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from sandtable.arena.statistics.intervals import estimate_share
from sandtable.errors import SandtableError
from sandtable.reports import pages
from sandtable.reproduce.run import Settings
from sandtable.reproduce.studies import (
    AGREES,
    NOT_MEASURED,
    Finding,
    Measured,
    Measurement,
    Study,
    Variant,
    read_study,
    run_study,
)
from sandtable.reproduce.study_pages import study_section


def quiet(label: str, games: int) -> nullcontext[object]:
    return nullcontext(lambda count: None)


def make_study(calls: list[str], fails: str = "") -> Study:
    def variant(name: str, places: tuple[float, ...]) -> Variant:
        def measure(settings: Settings, report: object) -> list[Measurement]:
            if name == fails:
                raise KeyboardInterrupt
            calls.append(name)
            return [
                Measurement("score", at / 2, at / 2 - 1, at / 2 + 1, 50, at=at) for at in places
            ]

        return Variant(name, f"the {name} one", measure)

    def judge(measured: Measured) -> Finding:
        return Finding(AGREES, f"{sum(map(len, measured.values()))} figures")

    return Study(
        "sizes",
        "Sizes",
        "a paper, section 3",
        "larger is better",
        (variant("small", (1, 2)), variant("large", (1, 2, 4))),
        judge,
        horizontal="games",
        published=(Measurement("score", 1.5, at=0),),
    )


def test_a_stopped_study_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    calls: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        run_study("lucid", make_study(calls, fails="large"), tmp_path, Settings(), quiet)  # type: ignore[arg-type]
    study = make_study(calls)
    assert read_study("lucid", study, tmp_path).finding.verdict == NOT_MEASURED
    result = run_study("lucid", study, tmp_path, Settings(), quiet)  # type: ignore[arg-type]
    assert calls == ["small", "large"]
    assert result.finding == Finding(AGREES, "5 figures")
    kept = json.loads((tmp_path / "lucid" / "sizes" / "large.json").read_text())
    assert kept["command"] == "sandtable reproduce lucid --study sizes --variant large"


def test_only_the_variants_asked_for_are_measured(tmp_path: Path) -> None:
    calls: list[str] = []
    run_study("lucid", make_study(calls), tmp_path, Settings(), quiet, ["large"])  # type: ignore[arg-type]
    assert calls == ["large"]
    with pytest.raises(SandtableError, match=r"no variant 'larg'.*large"):
        run_study("lucid", make_study(calls), tmp_path, Settings(), quiet, ["larg"])  # type: ignore[arg-type]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    study = make_study([])
    path = tmp_path / "lucid" / "sizes" / "small.json"
    path.parent.mkdir(parents=True)
    for text in ("{", "[]", '{"format_version": 1}'):
        path.write_text(text)
        with pytest.raises(SandtableError, match=r"small.json is not a file of a study"):
            read_study("lucid", study, tmp_path)


def test_the_page_has_claim_finding_figures_and_curves(tmp_path: Path) -> None:
    result = run_study("lucid", make_study([]), tmp_path, Settings(), quiet)  # type: ignore[arg-type]
    page = pages.Page("Studies", "a command", (study_section(result),))
    text = pages.markdown(page, "plots")
    assert "larger is better" in text and "`agrees`" in text
    assert "| the large one | score | 4 | 2 | 1 to 3 | 50 games |" in text
    (drawing,) = pages.plot_files(page, "plots").values()
    assert drawing.count("<polyline") == 2  # a curve for each variant
    assert drawing.count("stroke-dasharray") == 1  # the published figure as a level line


def test_a_missing_interval_has_its_reason_in_the_file_and_on_the_page(tmp_path: Path) -> None:
    def measure(settings: Settings, report: object) -> list[Measurement]:
        return [Measurement.of("share", estimate_share(1.0, 50)), Measurement("seconds", 2.0)]

    study = Study(
        "ends", "Ends", "s", "all are won", (Variant("only", "the only one", measure),),
        lambda measured: Finding(AGREES, "so"),
    )  # fmt: skip
    result = run_study("lucid", study, tmp_path, Settings(), quiet)  # type: ignore[arg-type]
    kept = json.loads((tmp_path / "lucid" / "ends" / "only.json").read_text())["figures"]
    assert [each.get("no_interval") for each in kept] == ["all results are alike", None]
    section = study_section(result)
    assert "No interval of the only one, share: all results are alike." in section.remarks
    assert [line.cells[3] for line in section.sheets[0].lines] == ["no interval", "-"]
