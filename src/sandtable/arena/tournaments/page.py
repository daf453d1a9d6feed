"""A tournament as tables and a plot, for the terminal and for pages."""

from __future__ import annotations

import math
from collections.abc import Callable

from sandtable.arena.statistics.intervals import Estimate, SupportsReason, reason_lines
from sandtable.arena.statistics.ratings import Rating
from sandtable.arena.tournaments.standings import AgentStanding, TournamentResult
from sandtable.reports.pages import Line, Page, Section, Sheet
from sandtable.reports.plots import IntervalPlot, Mark, PlotRow

__all__ = [
    "cross_sheet",
    "rating_mark",
    "reasons_of_tournament",
    "standings_sheet",
    "tournament_page",
    "tournament_title",
]

WORDS = frozenset({"agent", "seats"})
NOT_SHOWN = "(no interval)"  # lines below the table say why
IN_PROGRESS = "in progress: intervals so far, not results"
Show = Callable[[Estimate], str]


def tournament_title(result: TournamentResult) -> str:
    """Say what was played."""
    plan = result.tournament
    games = plan.suite[0] if len(plan.suite) == 1 else f"{len(plan.suite)} games of the suite"
    played = f"{result.games:,} games"
    if not result.complete:
        played = f"{result.games:,} of {plan.games:,} games ({IN_PROGRESS})"
    return f"{plan.kind} of {len(plan.agents)} agents, {games}: {played}, seed {plan.seed}"


def standings_sheet(result: TournamentResult, wide: bool) -> Sheet:
    """Return the standings, the best first."""
    rows = [standing_cells(place, each, result, wide) for place, each in
            enumerate(result.standings, start=1)]  # fmt: skip
    headings = ["#", "agent"]
    if result.winners:
        headings += ["rating", "won", "behind the first", "games"]
    else:
        headings += ["seats", "mean score", *(["without luck"] if has_luck(result) else [])]
        headings += ["behind the first", "games"]
    headings += ["alpha-rank"] * bool(result.cycles)
    headings += ["forfeits"] * bool(result.forfeits)
    caption = (
        "± half the 95% interval; behind the first: on the same deals, all pairs together; "
        "*: the order is sure"
    )
    return Sheet(
        tuple(headings),
        tuple(Line(tuple(cells)) for cells in rows),
        WORDS,
        caption=caption if result.complete else f"{caption}; {IN_PROGRESS}",
    )


def has_luck(result: TournamentResult) -> bool:
    """Say whether scores are freed of luck."""
    return any(each.adjusted for each in result.standings)


def standing_cells(
    place: int, standing: AgentStanding, result: TournamentResult, wide: bool
) -> list[str]:
    """Return the line of one agent."""
    share = share_text(wide)
    mean = mean_text(wide)
    cells = [str(place), standing.agent]
    if result.winners:
        cells += [rating_text(standing.rating, wide)]
        cells += [share(standing.wins) if standing.wins else "-"]
        cells += [share(standing.behind) + sure_text(standing) if standing.behind else "-"]
    else:
        cells += [", ".join(standing.seats), mean(standing.score)]
        cells += [mean(standing.adjusted)] if standing.adjusted else []
        cells += [mean(standing.behind) + sure_text(standing) if standing.behind else "-"]
    cells.append(f"{standing.games:,}")
    if result.cycles:
        cells.append("-" if standing.mass is None else f"{100 * standing.mass:.1f}%")
    if result.forfeits:
        cells.append(str(standing.forfeits))
    return cells


def sure_text(standing: AgentStanding) -> str:
    """Mark a lead that holds together with those of all pairs."""
    return "*" if standing.sure else ""


def reasons_of_tournament(result: TournamentResult) -> list[str]:
    """Say of the figures of a tournament why some of them have no interval."""
    figures: list[tuple[str, SupportsReason | None]] = []
    for each in result.standings:
        surest = (("score", each.score), ("score without luck", each.adjusted))
        named = (("rating", each.rating), ("share won", each.wins)) if result.winners else surest
        figures += [(f"{each.agent}'s {what}", estimate) for what, estimate in named]
        figures.append((f"how far {each.agent} is behind", each.behind))
    figures += [(f"{one} against {other}", each) for (one, other), each in result.cross.items()]
    return reason_lines(figures)


def cross_sheet(result: TournamentResult, wide: bool) -> Sheet:
    """Return who did what against whom; the columns are numbered as the standings are."""
    show = share_text(wide) if result.winners else mean_text(wide)
    lines = []
    for place, each in enumerate(result.standings, start=1):
        cells = [str(place), each.agent]
        for other in result.standings:
            found = result.cross.get((each.agent, other.agent))
            cells.append("·" if other is each else show(found) if found else "-")
        lines.append(Line(tuple(cells)))
    numbers = tuple(str(place) for place in range(1, len(result.standings) + 1))
    what = "share ahead of the other" if result.winners else "mean score against the other"
    several = ", freed of luck" if has_luck(result) else ""
    return Sheet(
        ("#", "agent", *numbers),
        tuple(lines),
        WORDS,
        title=f"Cross table: {what}{several}",
        caption="of the agent in the row, against the one in the column; ± half the 95% interval",
    )


def cycle_lines(result: TournamentResult) -> list[str]:
    """Say which agents beat each other in a circle."""
    lines = []
    for each in result.cycles:
        lines.append(
            f"{', '.join(each.agents)} beat each other in a circle: no rating can order "
            "them, and alpha-rank says who lasts."
        )
    return lines


def standings_plot(result: TournamentResult) -> IntervalPlot:
    """Return the ratings, or where there are none the mean scores, as a plot."""
    rows = []
    for each in result.standings:
        surest = each.adjusted or each.score
        mark = Mark("mean score", surest.mean, surest.low, surest.high)
        if each.rating:
            mark = rating_mark(each.rating)
        rows.append(PlotRow(each.agent, (mark,)))
    axis = "Elo, 95% intervals" if result.winners else "mean score, 95% intervals"
    return IntervalPlot("Ratings" if result.winners else "Mean scores", axis, tuple(rows))


def tournament_page(result: TournamentResult, command: str) -> Page:
    """Return the whole report."""
    plan = result.tournament
    suite = (
        f"Suite: {', '.join(f'`{each}`' for each in plan.suite)}." if len(plan.suite) > 1 else ""
    )
    forfeits = [
        f"Forfeit: {each.agent} in game {each.number} of match {each.match}: {each.reason}."
        for each in result.forfeits[:20]
    ]
    section = Section(
        tournament_title(result),
        sheets=(standings_sheet(result, wide=True), cross_sheet(result, wide=True)),
        plots=(standings_plot(result),),
        remarks=tuple(cycle_lines(result)),
        notes=(*result.notes, *reasons_of_tournament(result), *forfeits),
        explanation=explanation(result),
    )
    return Page(
        f"Tournament: {plan.suite[0].partition(':')[0]}",
        command,
        (section,),
        tuple(filter(None, (suite,))),
    )


def explanation(result: TournamentResult) -> str:
    """Say how the figures are to be read."""
    agents = len(result.tournament.agents)
    pairs = agents * (agents - 1) // 2
    allowed = (
        f"{agents} agents make {pairs} pairs, of which about {pairs / 20:.1f} would differ by "
        "chance at the 95% level if all were equal; so the intervals of `behind the first` are so "
        "wide that all pairs hold together with 95%, and circles are made of such leads only."
        if pairs > 1
        else ""
    )
    unit = "A deal, over all games that were played on it, is one observation of the intervals"
    if result.winners:
        return (
            f"Intervals are 95% intervals. {unit}. Ratings are those of Plackett and Luce on the "
            "scale of Elo, with mean zero. `behind the first` is the difference of the shares won "
            "on the same deals; with a star the order is sure. "
            f"{allowed}"
        )
    return (
        f"Intervals are 95% intervals (Student). {unit}. This game has scores and no winners, so "
        "there are no ratings; agents are compared with those that took the same seats. "
        f"{allowed}"
    )


def share_text(wide: bool) -> Show:
    """Return what writes a share in per cent with its interval."""

    def show(estimate: Estimate) -> str:
        low, mean, high = (100 * each for each in (estimate.low, estimate.mean, estimate.high))
        if math.isnan(mean):  # it has not played yet
            return "-"
        if math.isnan(low):
            return f"{mean:.1f}% {NOT_SHOWN}"
        return (
            f"{mean:.1f}% ({low:.1f} to {high:.1f})"
            if wide
            else f"{mean:.1f}% ±{(high - low) / 2:.1f}"
        )

    return show


def mean_text(wide: bool) -> Show:
    """Return what writes a mean with its interval."""

    def show(estimate: Estimate) -> str:
        if math.isnan(estimate.mean):
            return "-"
        if math.isnan(estimate.low):
            return f"{estimate.mean:.3f} {NOT_SHOWN}"
        if wide:
            return f"{estimate.mean:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"
        return f"{estimate.mean:.2f} ±{(estimate.high - estimate.low) / 2:.2f}"

    return show


def rating_mark(rating: Rating) -> Mark:
    """Return a rating as a mark; an infinite end is drawn as far away as the other one."""
    low, high = rating.low, rating.high
    if math.isinf(high):
        high = 2 * rating.rating - low
    if math.isinf(low):
        low = 2 * rating.rating - high
    finite = math.isfinite(low) and math.isfinite(high)
    return Mark("rating", rating.rating, *((low, high) if finite else (math.nan, math.nan)))


def rating_text(rating: Rating | None, wide: bool) -> str:
    """Write a rating with its interval."""
    if rating is None:
        return "-"
    if math.isnan(rating.low):
        return f"{rating.rating:+.0f} {NOT_SHOWN}"
    if math.isinf(rating.low) and math.isinf(rating.high):
        return f"{rating.rating:+.0f} (anything)"
    if math.isinf(rating.high):
        return f"{rating.rating:+.0f} ({rating.low:+.0f} or more)"
    if math.isinf(rating.low):
        return f"{rating.rating:+.0f} ({rating.high:+.0f} or less)"
    if wide:
        return f"{rating.rating:+.0f} ({rating.low:+.0f} to {rating.high:+.0f})"
    return f"{rating.rating:+.0f} ±{(rating.high - rating.low) / 2:.0f}"
