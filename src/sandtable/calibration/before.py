"""What an outside audit found before intervals and tests were mended, beside what holds now.

The figures of then are those of that audit, from simulations of its own (2,000 experiments each);
those of now are the ones of the same page, by section, case and size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sandtable.calibration.experiments import Measured

__all__ = ["AUDIT", "AuditFinding", "now"]


@dataclass(frozen=True)
class AuditFinding:
    """One thing that did not hold: what it was, how it was, and which cases show how it is."""

    what: str
    then: str
    section: str
    cases: tuple[str, ...]
    sizes: tuple[int, ...] = ()  # of intervals; none: a test


SHARED = "90% shared, a lead of -49 tested against 0..60"
RARER = "96% shared, a lead of -49 tested against 0..20"
AUDIT = (
    AuditFinding("coverage, 98% won, 8, 20, 50 and 200 games", "15, 34, 65, 91",
            "Shares of single games", ("98.0% won",), (8, 20, 50, 200)),
    AuditFinding("coverage, 80% zeros, 8, 20 and 50 games", "69, 84, 91",
            "Mean scores", ("80% nothing, the rest 3",), (8, 20, 50)),
    AuditFinding("coverage, half of the games drawn, 50 and 200 games", "98 to 100",
            "Shares of single games", ("50.0% of the points, 50% drawn",), (50, 200)),
    AuditFinding("coverage, eighteen games a deal, 200 and 1,000 deals", "99 to 100",
            "Shares of deals", ("18 games a deal, 50% won",), (200, 1000)),
    AuditFinding("coverage, ratings at a lead of 1,000, 1,000 games", "86",
            "Ratings of two seats", ("leads of 1000, 0",), (1000,)),
    AuditFinding("coverage, normalised Elo, 20 deals", "84 to 94",
            "Normalised Elo", ("as usual", "few losses"), (20,)),
    AuditFinding("`sprt` says yes at a lead of -49 to 0..60, 90% of pairs shared", "83",
            "The sequential test", (SHARED,)),
    AuditFinding("`sprt` says yes at a lead of -49 to 0..20, 96% shared", "26",
            "The sequential test", (RARER,)),
    AuditFinding("`sprt` errs in an even match, 0..200", "never ended",
            "The sequential test", ("as usual, a lead of 0 tested against 0..200",)),
    AuditFinding("equal figures called different, 10 to 20 published games", "9 to 15",
            "Equal figures that are called different",
            ("10 published games, 70% won", "10 published games, 90% won",
             "16 published games, 50% won", "20 published games, 90% won")),
    AuditFinding("one or more of 40 equal rows differ, allowing for their number", "89.5",
            "Equal figures that are called different",
            ("40 equal rows, 100 published games, 50% won",)),
    AuditFinding("an order of 10 equal agents is sure, 1,000 deals (now 200)", "55",
            "Standings", ("10 equal agents: an order or a circle that is sure",)),
)  # fmt: skip


def now(finding: AuditFinding, found: Mapping[tuple[str, str, int], Measured]) -> str:
    """Write what was measured, in the order of the finding; a dash: the interval is not shown.

    ``found`` has figures by section, case and size, those of tests with the size 0.

    >>> now(AUDIT[6], {})
    ''
    """
    measured: Sequence[Measured | None] = [
        found.get((finding.section, case, size))
        for case in finding.cases
        for size in finding.sizes or (0,)
    ]
    return ", ".join(share_of(each) for each in measured if each is not None)


def share_of(measured: Measured) -> str:
    """Write one share, and how often the interval is shown where it is not always."""
    if measured.rarely_shown:
        return "-"
    return f"{100 * measured.share:.1f}{measured.part_shown}"
