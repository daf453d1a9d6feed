"""Sequential tests as pages: where each stands, and why it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from sandtable.arena.statistics.sprt import ACCEPTED, REJECTED, Verdict
from sandtable.league.bots import Bot
from sandtable.league.games import PlayedDeal
from sandtable.league.pages.game_pages import deals_table
from sandtable.league.pages.html import Cell, facts, league_path, link, page, table
from sandtable.league.store import League
from sandtable.league.trials import Trial

__all__ = ["test_page", "tests_page"]


def state_text(trial: Trial, names: Mapping[int, str]) -> str:
    """Say how a test ended, or that it goes on."""
    first, second = names.get(trial.first, "?"), names.get(trial.second, "?")
    if trial.ended == ACCEPTED:
        return f"yes: {first} is better than {second} by more than {trial.low:g}"
    if trial.ended == REJECTED:
        return f"no: {first} is not better than {second} by {trial.high:g}"
    return "it goes on" if trial.ended is None else f"undecided after {trial.most:,} deals"


def tests_page(league: League, trials: Sequence[tuple[Trial, Verdict]], bots: Sequence[Bot]) -> str:
    """Return the list of tests."""
    names = {bot.id: bot.name for bot in bots}
    rows = []
    for trial, verdict in trials:
        title = f"{names.get(trial.first, '?')} against {names.get(trial.second, '?')}"
        kind = {ACCEPTED: "good", REJECTED: "bad"}.get(trial.ended or "", "")
        state = f'<span class="{kind}">{escape(state_text(trial, names))}</span>'
        rows.append([
            Cell(link(league_path(league, "tests", trial.id), title), "word"),
            Cell(f"{trial.low:g} to {trial.high:g}"), Cell(f"{verdict.deals:,}"),
            Cell(f"{verdict.ratio:+.2f}"), Cell(state, "prose"),
        ])  # fmt: skip
    body = [
        "<h1>Tests</h1>",
        '<p class="lead">Is one bot better than another, with as few deals as it takes? Leads are '
        "in normalised Elo; a test is wrong at most about once in twenty.</p>",
    ]
    if rows:
        headings = [("test", "word"), ("leads", ""), ("deals", ""), ("log ratio", ""),
                    ("verdict", "word")]  # fmt: skip
        body.append(table(headings, rows, "Tests"))
    else:
        body.append("<p>Nobody has begun a test.</p>")
    return page("Tests", body, league, "/tests")


def test_page(
    league: League,
    trial: Trial,
    verdict: Verdict,
    played: Sequence[PlayedDeal],
    bots: Sequence[Bot],
) -> str:
    """Return one test."""
    names = {bot.id: bot.name for bot in bots}
    lowest, highest = trial.test.limits
    ratio = min(max(verdict.ratio, lowest), highest)
    counts = ", ".join(
        f"{count:,} of {value:g}"
        for value, count in zip(verdict.counts.values, verdict.counts.counts, strict=True)
    )
    title = f"{names.get(trial.first, '?')} against {names.get(trial.second, '?')}"
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">Is the first ahead by {trial.high:g} rather than by {trial.low:g} '
        "normalised Elo?</p>",
        facts([
            ("verdict", "open" if trial.ended is None else trial.ended),
            ("deals looked at", f"{verdict.deals:,} of at most {trial.most:,}"),
            ("log of the likelihood ratio", f"{verdict.ratio:+.2f}"),
            ("no below, yes above", f"{lowest:.2f}, {highest:.2f}"),
        ]),
        f"<p>{escape(state_text(trial, names).capitalize())}.</p>",
        f'<p><label>From no to yes <meter class="ratio" min="{lowest:.4f}" max="{highest:.4f}" '
        f'value="{ratio:.4f}">{verdict.ratio:+.2f}</meter></label></p>',
        f'<p class="faint">Deals by the points of the first: {escape(counts or "none yet")}.</p>',
        "<h2>Last deals</h2>",
        deals_table(league, played, bots),
    ]  # fmt: skip
    return page(title, body, league, "/tests")
