"""A reproduction as a page of Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandtable.reproduce.comparison import Comparison, Figure, Reproduction

__all__ = ["HEADINGS", "cells", "full", "markdown", "short"]


HEADINGS = ("agent", "published", "ours", "without luck", "sd", "games", "verdict")


def cells(row: Comparison, show: Callable[[Figure], str]) -> list[str]:
    """Return one row as text; ``show`` writes a mean with its interval."""
    if row.ours is None:
        return [row.label, show(row.published), "-", "-", "-", "-", row.note or row.verdict]
    adjusted = [show(row.adjusted), f"{row.adjusted.sd:.2f}"] if row.adjusted else ["-", "-"]
    ours = [show(row.published), show(row.ours), *adjusted]
    return [row.label, *ours, f"{row.ours.games:,}", row.verdict]


def short(figure: Figure) -> str:
    """Write a mean with half the width of its interval, for narrow terminals."""
    return f"{figure.mean:.2f} ±{(figure.high - figure.low) / 2:.2f}"


def full(figure: Figure) -> str:
    """Write a mean with both ends of its interval."""
    return f"{figure.mean:.3f} ({figure.low:.3f} to {figure.high:.3f})"


def markdown(reproductions: Sequence[Reproduction], command: str) -> str:
    """Return the whole report."""
    lines = ["# Published figures beside ours", "", f"Made by `{command}`.", ""]
    for reproduction in reproductions:
        lines += [f"## {reproduction.title}", "", f"Source: {reproduction.source}.", ""]
        lines.append("| " + " | ".join(HEADINGS) + " |")
        lines.append("|" + "---|" * len(HEADINGS))
        lines += ["| " + " | ".join(cells(row, full)) + " |" for row in reproduction.rows]
        lines += ["", *timing_lines(reproduction), ""]
        lines += [f"- {note}" for note in reproduction.notes]
        lines.append("")
    lines += [
        "Intervals are 95% intervals; sd is that of the scores without luck (so is the published",
        "one). The verdict compares the means without luck: `agrees` when the",
        "difference could be chance at the 95% level, both intervals taken into account.",
        "",
    ]
    return "\n".join(lines)


def timing_lines(reproduction: Reproduction) -> list[str]:
    """Say how much faster the games were played than published, where both are known."""
    lines = []
    for row in reproduction.rows:
        if row.ours and row.ours.seconds_per_game and row.published.seconds_per_game:
            factor = row.published.seconds_per_game / row.ours.seconds_per_game
            lines.append(
                f"- {row.label}: {row.ours.seconds_per_game:.2g} s a game here, "
                f"{row.published.seconds_per_game:g} s published ({factor:,.0f} times faster)."
            )
    return lines
