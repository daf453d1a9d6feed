"""The results of a suite as tables and plots, for the terminal and for pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from sandtable.arena.statistics.intervals import Estimate, SupportsReason, reason_lines
from sandtable.arena.suites.figures import (
    Figures,
    PlayerFigures,
    named_figures,
)
from sandtable.arena.suites.suite import Entry, Suite
from sandtable.registry import make_game
from sandtable.reports.pages import Line, Page, Section, Sheet
from sandtable.reports.plots import IntervalPlot, Mark, PlotRow
from sandtable.specs import Spec, parse_spec

__all__ = ["benchmark_page", "label_of", "overall_sheet", "reasons_of", "title_of"]

WORDS = frozenset({"player", "opponent"})
NOT_SHOWN = "(no interval)"  # lines below the table say why
NOTHING = "-"
MOST_REASONS = 20  # of forfeits that are listed
# Options of an agent that say how it is reached, and nothing about how it plays.
ABOUT_THE_WAY = ("url", "answers", "offline", "key_variable", "parallel", "timeout", "stream",
                 "patience", "retries")  # fmt: skip
Show = Callable[[float], str]


def label_of(player: str, others: Iterable[str] = ()) -> str:
    """Return a short name of a player: without what only says where it is, if it stays unique.

    >>> label_of("model:qwen3,url=http://localhost:11434/v1,legal=0")
    'model:qwen3,legal=0'
    """
    short = shortened(player)
    return player if any(shortened(each) == short for each in others if each != player) else short


def shortened(player: str) -> str:
    """Leave out of a spec how the player is reached."""
    spec = parse_spec(player)
    kept = {name: value for name, value in spec.options.items() if name not in ABOUT_THE_WAY}
    return str(Spec(spec.name, spec.argument, kept))


def title_of(suite: Suite) -> str:
    """Say what was played."""
    quick = ", a quick try: no result" if suite.quick else ""  # so its digest is another one
    names = ", ".join(entry.name for entry in suite.entries)
    return f"{suite.name}{quick} ({suite.digest}): {names}; {suite.games:,} games a player"


def shown(estimate: Estimate | None, show: Show) -> str:
    """Write a figure with its interval.

    >>> shown(Estimate(0.5, 0.1, 0.4, 0.6, 50), "{:.1f}".format)
    '0.5 (0.4 to 0.6)'
    """
    if estimate is None or math.isnan(estimate.mean):
        return NOTHING
    if not estimate.shown:
        return f"{show(estimate.mean)} {NOT_SHOWN}"
    return f"{show(estimate.mean)} ({show(estimate.low)} to {show(estimate.high)})"


def percent(value: float) -> str:
    """Write a share."""
    return f"{100 * value:.1f}%"


def whole(value: float) -> str:
    """Write a number without its fraction."""
    return f"{value:,.0f}"


def precise(value: float) -> str:
    """Write a mean."""
    return f"{value:.2f}"


def money(value: float) -> str:
    """Write a cost, which may be small."""
    return f"{value:.4g}"


def overall_sheet(players: Sequence[PlayerFigures]) -> Sheet:
    """Return who did how in all games together."""
    names = [each.row.player for each in players]
    asked = any(each.overall.asked for each in players)
    cost = any(each.overall.asked and each.overall.asked.cost for each in players)
    headings = ["#", "player", "points", "behind the first", "games", "forfeits"]
    headings += ["answers not playable", "tokens a game"] * asked + ["cost a game"] * cost
    lines = []
    for place, each in enumerate(players, start=1):
        found = each.overall
        behind = shown(each.behind, percent) + "*" * each.sure
        cells = [str(place), label_of(each.row.player, names), shown(found.points, percent)]
        cells += [behind, f"{found.games:,}", shown(found.forfeits, percent)]
        told = found.asked
        if asked:
            wrong = told.unreadable.mean + told.illegal.mean if told else math.nan
            tokens = told.prompt_tokens.mean + told.answer_tokens.mean if told else math.nan
            cells += [NOTHING, NOTHING] if told is None else [percent(wrong), whole(tokens)]
        if cost:
            cells.append(shown(told.cost, money) if told else NOTHING)
        lines.append(Line(tuple(cells)))
    caption = "95% intervals; behind the first: on the same deals; *: the order is sure"
    return Sheet(tuple(headings), tuple(lines), WORDS, caption=caption)


def game_sheet(entry: Entry, players: Sequence[PlayerFigures]) -> Sheet:
    """Return who did how in one game."""
    names = [each.row.player for each in players]
    luck = any(each.games[entry.name].adjusted for each in players)
    headings = ["player", "rating", "points", "mean score", *(["without luck"] if luck else [])]
    headings += [f"against {opponent}" for opponent in entry.opponents]
    headings += ["forfeits", "decisions a game"]
    lines = []
    for each in players:
        found = each.games[entry.name]
        cells = [label_of(each.row.player, names), shown(found.rating, whole)]
        cells += [shown(found.points, percent), shown(found.score, precise)]
        cells += [shown(found.adjusted, precise)] if luck else []
        against = found.against or {}
        cells += [shown(against.get(opponent), percent) for opponent in entry.opponents]
        cells += [shown(found.forfeits, percent), shown(found.decisions, precise)]
        lines.append(Line(tuple(cells)))
    return Sheet(tuple(headings), tuple(lines), WORDS)


def asked_sheet(name: str, players: Sequence[tuple[str, Figures]]) -> Sheet | None:
    """Return what models were asked in a game; None if nobody was."""
    told = [(label, found.asked) for label, found in players if found.asked]
    if not told:
        return None
    headings = ("player", "requests a game", "unreadable", "illegal", "no answer",
                "rethinks a decision", "prompt tokens a game", "answer tokens a game",
                "cost a game")  # fmt: skip
    lines = [
        Line(
            (
                label,
                shown(asked.requests, precise),
                shown(asked.unreadable, percent),
                shown(asked.illegal, percent),
                shown(asked.failed, percent),
                shown(asked.rethinks, precise),
                shown(asked.prompt_tokens, whole),
                shown(asked.answer_tokens, whole),
                shown(asked.cost, money),
            )
        )
        for label, asked in told
    ]
    return Sheet(headings, tuple(lines), WORDS, title=f"Questions and answers: {name}")


def rating_plot(entry: Entry, players: Sequence[PlayerFigures]) -> IntervalPlot:
    """Return the players among the opponents, whose ratings are known."""
    names = [each.row.player for each in players]
    known = entry.measured_ratings()
    if not known:
        return points_plot(f"Points in {entry.name}", names,
                           [each.games[entry.name].points for each in players])  # fmt: skip
    rows = [(rating, PlotRow(f"opponent {name}", (Mark("opponents", rating),)))
            for name, rating in known.items()]  # fmt: skip
    for each in players:
        found = each.games[entry.name].rating
        if found and not math.isnan(found.mean):
            mark = Mark("measured", found.mean, found.low, found.high)
            rows.append((found.mean, PlotRow(label_of(each.row.player, names), (mark,))))
    rows.sort(key=lambda row: -row[0])
    title = f"Ratings in {entry.name}, among the opponents"
    return IntervalPlot(title, "Elo, 95% intervals", tuple(row for _, row in rows))


def points_plot(title: str, names: Sequence[str], found: Sequence[Estimate]) -> IntervalPlot:
    """Return the points of players as a plot."""
    rows = tuple(
        PlotRow(
            label_of(name, names),
            (Mark("points", 100 * each.mean, 100 * each.low, 100 * each.high),),
        )
        for name, each in zip(names, found, strict=True)
    )
    return IntervalPlot(title, "per cent of the deals, 95% intervals", rows)


def against_plot(entry: Entry, players: Sequence[PlayerFigures]) -> IntervalPlot:
    """Return what each player won against each opponent."""
    names = [each.row.player for each in players]
    rows = []
    for opponent in entry.opponents:
        for each in players:
            found = (each.games[entry.name].against or {})[opponent]
            mark = Mark("points", 100 * found.mean, 100 * found.low, 100 * found.high)
            rows.append(PlotRow(f"{opponent}: {label_of(each.row.player, names)}", (mark,)))
    return IntervalPlot(
        f"Points in {entry.name} by opponent", "per cent, 95% intervals", tuple(rows)
    )


def reasons_of(players: Sequence[PlayerFigures]) -> list[str]:
    """Say of figures why some of them have no interval, a line for every reason."""
    names = [each.row.player for each in players]
    figures: list[tuple[str, SupportsReason | None]] = []
    for each in players:
        label = label_of(each.row.player, names)
        figures += [(f"{label}'s {what}", found) for what, found in named_figures(each.overall)]
        figures.append((f"how far {label} is behind", each.behind))
    return reason_lines(figures)


def game_reasons(entry: Entry, players: Sequence[PlayerFigures]) -> list[str]:
    """Say the same of one game."""
    names = [each.row.player for each in players]
    figures: list[tuple[str, SupportsReason | None]] = []
    for each in players:
        found, label = each.games[entry.name], label_of(each.row.player, names)
        figures += [(f"{label}'s {what}", one) for what, one in named_figures(found)]
        figures += [(f"{label} against {opponent}", one)
                    for opponent, one in (found.against or {}).items()]  # fmt: skip
    return reason_lines(figures)


def forfeit_notes(found: Sequence[tuple[str, Figures]]) -> list[str]:
    """Say why games were forfeited."""
    lines = [
        f"Forfeits of {label}: {count:,} times `{reason}`."
        for label, figures in found
        for reason, count in figures.reasons.items()
    ]
    left = len(lines) - MOST_REASONS
    return [*lines[:MOST_REASONS], *([f"And {left:,} more reasons."] if left > 0 else [])]


def game_section(entry: Entry, players: Sequence[PlayerFigures]) -> Section:
    """Return the part of the page about one game."""
    names = [each.row.player for each in players]
    found = [(label_of(each.row.player, names), each.games[entry.name]) for each in players]
    title = make_game(entry.spec(entry.opponents[0], 0)).title.partition(":")[0]
    asked = asked_sheet(entry.name, found)
    numbered = "; another board in every deal" if entry.changes_board else ""
    return Section(
        title,
        sheets=(game_sheet(entry, players), *([asked] if asked else [])),
        plots=(rating_plot(entry, players), against_plot(entry, players)),
        remarks=(
            f"`{entry.game}`{numbered}; {entry.deals} deals against each of "
            f"{', '.join(f'`{each}`' for each in entry.opponents)}, each deal from every seat.",
        ),
        notes=(*game_reasons(entry, players), *forfeit_notes(found)),
    )


def benchmark_page(suite: Suite, players: Sequence[PlayerFigures], command: str) -> Page:
    """Return the whole report."""
    names = [each.row.player for each in players]
    overall = [(label_of(each.row.player, names), each.overall) for each in players]
    asked = asked_sheet("all games", overall)
    first = Section(
        "All games",
        sheets=(overall_sheet(players), *([asked] if asked else [])),
        plots=(points_plot("Points", names, [found.points for _, found in overall]),),
        notes=(*reasons_of(players), *guesses(overall)),
        explanation=EXPLANATION,
    )
    sections = [game_section(entry, players) for entry in suite.entries]
    introduction = [f"{title_of(suite)}."]
    if suite.quick:
        introduction.append("A quick try shows whether everything works; its figures say nothing.")
    return Page("A benchmark of players", command, (first, *sections), tuple(introduction))


def guesses(found: Sequence[tuple[str, Figures]]) -> list[str]:
    """Say where tokens were not counted by the endpoint."""
    return [
        f"The endpoint of {label} did not count the tokens of {figures.asked.guessed:,} requests; "
        "a token was taken for four letters."
        for label, figures in found
        if figures.asked and figures.asked.guessed
    ]


EXPLANATION = (
    "Every player meets the same opponents on the same boards with the same dice, from every seat. "
    "`points` is the share of the deals won, with every opponent and every game counting the same; "
    "where a game has scores and no winner, a deal is won by who has more after all its games. A "
    "round, one deal of each pairing, is one observation. `rating` is the likeliest one against "
    "opponents whose ratings are taken as known; ratings of different games cannot be compared. "
    "`answers not playable` are unreadable or illegal; after some of them a model forfeits, and a "
    "forfeited game counts as lost."
)
