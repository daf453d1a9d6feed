"""Write the rows of Stratego's published table anew from the games that are kept, and play none.

    python scripts/stratego_rows.py

Rows are played by ``sandtable reproduce stratego --rows NAME --json results/stratego.json``, which
keeps their games in results/stratego.games.jsonl and writes these rows alone. This writes
results/stratego.* of all rows.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

from sandtable.cli.common import write_json
from sandtable.cli.reproduce import command_words, write_reports
from sandtable.games.stratego.reproduction import reproduce
from sandtable.reproduce.run import Settings

RESULTS = Path("results")


def main() -> None:
    """Write both files."""
    settings = Settings(kept=RESULTS / "stratego.games.jsonl", journals=[])
    report = reproduce(
        settings, lambda label, games: nullcontext(lambda count: None), kept_only=True
    )
    write_json(RESULTS / "stratego.json", report.as_data())
    write_reports([RESULTS / "stratego.md"], [report], command_words("stratego", settings))
    for row in report.rows:
        print(f"{row.label}, {row.rules}: {row.note or row.verdict}")


if __name__ == "__main__":
    main()
