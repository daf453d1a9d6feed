"""All experiments, in the order of the page."""

from __future__ import annotations

from sandtable.calibration import leads, rated, scores, shares, verdicts
from sandtable.calibration.experiments import Case, ErrorCase

__all__ = ["all_cases", "all_error_cases", "figure_count"]


def all_cases() -> list[Case]:
    """Return all experiments with intervals.

    >>> len(all_cases()) > 50
    True
    """
    return [*shares.cases(), *scores.cases(), *leads.cases(), *rated.cases()]


def all_error_cases() -> list[ErrorCase]:
    """Return all experiments with tests.

    >>> len(all_error_cases()) > 15
    True
    """
    return list(verdicts.cases())


def figure_count() -> int:
    """Return how many figures a complete page has.

    >>> figure_count() > 300
    True
    """
    return sum(len(case.sizes) for case in all_cases()) + len(all_error_cases())
