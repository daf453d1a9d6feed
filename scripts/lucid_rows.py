"""Join rows of Operation Lucid that were played one by one, in the results and in the notes.

    python scripts/lucid_rows.py rows/*.json

Every file is what ``sandtable reproduce lucid --rows AGENT --json FILE`` wrote. A row is known by
its agent; those in results/lucid.json stay where no file has a newer one.
"""

from __future__ import annotations

import itertools
import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from sandtable.cli.common import write_json
from sandtable.cli.reports import write_report
from sandtable.games.lucid.reproduction import NOTES, compare
from sandtable.reproduce.comparison import ComparedMeans, Comparison, Figure
from sandtable.reproduce.report import reproduction_page

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
NOTES_PAGE = ROOT / "docs" / "reproduction.md"
HEAD = "| agent | published | ours | without luck |"  # of the table
WORDS = "sandtable reproduce lucid --seed 0, row by row (--rows AGENT --games N), joined"


def played_rows(paths: list[Path]) -> dict[str, dict[str, Any]]:
    """Return the rows that were played, by their agents; later files win."""
    rows = {}
    for path in paths:
        for row in json.loads(path.read_text("utf-8"))["rows"]:
            if row.get("ours"):
                rows[row["agent"]] = row
    return rows


def figure(data: dict[str, Any] | None) -> Figure | None:
    """Return a figure of a file."""
    return Figure(**data) if data else None


def joined(rows: dict[str, dict[str, Any]]) -> ComparedMeans:
    """Put what was played beside what was published, in the published order."""
    published = json.loads((files("sandtable.games.lucid") / "published.json").read_text("utf-8"))
    comparisons = []
    for row in published["rows"]:
        blank = compare(row, published["games"], None, playable=bool(row.get("agent")))
        known = rows.get(row.get("agent", ""))
        if known:
            ours, adjusted = figure(known["ours"]), figure(known["adjusted"])
            blank = Comparison(blank.label, blank.agent, blank.published, ours, adjusted)
        elif blank.agent:
            blank = Comparison(blank.label, blank.agent, blank.published, note="not played yet")
        comparisons.append(blank)
    return ComparedMeans(
        game="lucid",
        title=published["title"],
        source=published["source"],
        seed=0,
        rows=tuple(comparisons),
        notes=NOTES,
    )


def table_in(text: str) -> str:
    """Return the first table of a text with this head."""
    lines = text[text.index(HEAD) :].splitlines()
    return "\n".join(itertools.takewhile(lambda line: line.startswith("|"), lines))


def main(arguments: list[str]) -> None:
    """Join the files named with the saved rows."""
    saved = RESULTS / "lucid.json"
    result = joined(played_rows([saved, *map(Path, arguments)]))
    write_json(saved, result.as_data())
    write_report(RESULTS / "lucid.md", reproduction_page([result], WORDS))
    notes = NOTES_PAGE.read_text("utf-8")
    measured = table_in((RESULTS / "lucid.md").read_text("utf-8"))
    NOTES_PAGE.write_text(notes.replace(table_in(notes), measured), "utf-8")
    for row in result.rows:
        print(f"{row.label}: {row.verdict}")


if __name__ == "__main__":
    main(sys.argv[1:])
