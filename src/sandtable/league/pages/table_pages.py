"""The list of leagues, the table of one, the cross table, a bot, and how to take part."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sandtable.arena.statistics.intervals import Estimate
from sandtable.league.application import Leagues
from sandtable.league.bots import Bot
from sandtable.league.games import PlayedDeal
from sandtable.league.pages.game_pages import deals_table
from sandtable.league.pages.html import Cell, facts, form_of_key, league_path, link, page, table
from sandtable.league.standings import Row, Standings
from sandtable.league.store import League
from sandtable.league.tables import DONE, LEASED, OPEN
from sandtable.league.words import interval_text, rating_text, share_interval, share_text
from sandtable.reports.plots import IntervalPlot, Mark, PlotRow

__all__ = ["bot_page", "cross_page", "first_page", "join_page", "table_page"]

MOST_IN_PLOT = 40
NAMES = {
    "agent": "agent", "weights": "weights", "program": "program", "remote": "its author's machine",
}  # fmt: skip
MOST_SHARE, MORE_SHARE, LESS_SHARE, LEAST_SHARE = 0.75, 0.55, 0.45, 0.25


def first_page(leagues: Leagues) -> str:
    """Return the list of leagues, and the door to private ones."""
    rows = []
    for each in leagues.store.leagues():
        if not each.private:
            done = leagues.queue.waiting(each).get(DONE, 0)
            cells = [Cell(link(league_path(each), each.title), "word")]
            rows.append([*cells, Cell(escape(each.game_spec), "word"), Cell(f"{done:,}")])
    body = ["<h1>Leagues</h1>", '<p class="lead">Bots of many authors, playing for ever.</p>']
    if rows:
        headings = [("league", "word"), ("game", "word"), ("deals played", "")]
        body.append(table(headings, rows, "Public leagues"))
    else:
        body.append("<p>There is no public league here.</p>")
    body += ["<h2>A private league</h2>", form_of_key()]
    return page("Leagues", body)


def table_page(leagues: Leagues, league: League, standings: Standings) -> str:
    """Return where a league stands."""
    waiting = leagues.queue.waiting(league)
    playing = sum(row.bot.plays for row in standings.rows)
    body = [
        f"<h1>{escape(league.title)}</h1>",
        f'<p class="lead">{escape(league.game.title)} (<code>{escape(league.game_spec)}</code>), '
        f"{league.move_time:g} s a move{'; private' if league.private else ''}. A deal is the same "
        "dice in all rotations of its bots over the seats.</p>",
        facts(
            [
                ("bots that play", f"{playing:,}"),
                ("deals played", f"{waiting.get(DONE, 0):,}"),
                ("deals being played", f"{waiting.get(LEASED, 0):,}"),
                ("deals waiting", f"{waiting.get(OPEN, 0):,}"),
                ("workers seen lately", f"{leagues.workers_here():,}"),
            ]
        ),
    ]
    if playing < len(league.game.seats):
        body.append(f"<p>It begins with {len(league.game.seats)} bots that play.</p>")
    if standings.rows:
        body.append(standings_table(league, standings.rows))
    for note in standings.notes:
        body.append(f'<p class="faint">Where there is no interval: {escape(note)}.</p>')
    plot = rating_plot(standings.rows)
    if plot is not None:
        body += ["<h2>Ratings</h2>", f'<figure class="panel">{plot.draw()}</figure>']
    return page(league.title, body, league, "")


def standings_table(league: League, rows: Sequence[Row]) -> str:
    """Return the table itself."""
    headings = [("", ""), ("bot", "word"), ("author", "word"), ("plays by", "word"), ("rating", ""),
                ("95%", ""), ("points", ""), ("deals", ""), ("forfeits", "")]  # fmt: skip
    lines = []
    for place, row in enumerate(rows, start=1):
        bot = row.bot
        retired = "" if bot.plays else ' <span class="faint">(retired)</span>'
        reason = "" if row.rating is None else row.rating.reason
        lines.append([
            Cell(str(place)),
            Cell(link(league_path(league, "bots", bot.name), bot.name) + retired, "word"),
            Cell(escape(bot.author), "word"),
            Cell(escape(NAMES[bot.kind]), "word"),
            Cell(f"<b>{escape(rating_text(row.rating))}</b>"),
            Cell(escape(interval_text(row.rating)), title=reason),
            Cell(share_text(row.share)),
            Cell(f"{row.deals:,}"),
            Cell(str(row.forfeits), "bad" if row.forfeits else ""),
        ])  # fmt: skip
    return table(headings, lines, "Table")


def rating_plot(rows: Sequence[Row]) -> IntervalPlot | None:
    """Return the ratings as a picture; None where nothing has been played."""
    shown = [row for row in rows if row.rating is not None][:MOST_IN_PLOT]
    if not shown:
        return None
    lines = []
    for row in shown:
        assert row.rating is not None
        mark = Mark("rating", row.rating.rating, row.rating.low, row.rating.high)
        lines.append(PlotRow(row.bot.name, (mark,)))
    return IntervalPlot("Ratings with their intervals", "rating (Elo)", tuple(lines))


def cross_page(league: League, standings: Standings) -> str:
    """Return who did how against whom."""
    rows = [row for row in standings.rows if row.deals]
    head = "".join(f'<th scope="col" title="{escape(row.bot.name)}">{place}</th>'
                   for place, row in enumerate(rows, start=1))  # fmt: skip
    lines = []
    for place, row in enumerate(rows, start=1):
        cells = "".join(cross_cell(standings, row, other) for other in rows)
        name = link(league_path(league, "bots", row.bot.name), row.bot.name)
        lines.append(f'<tr><th scope="row">{place}. {name}</th>{cells}</tr>')
    body = [
        "<h1>Cross table</h1>",
        '<p class="lead">The share of the points that the bot of the row won against that of the '
        "column, in per cent, with the number of deals below; the interval appears when you point "
        "at it.</p>",
    ]
    if rows:
        body.append(
            '<div class="wide" tabindex="0" role="region" aria-label="Cross table">'
            f'<table class="cross"><thead><tr><th scope="col">bot</th>{head}</tr></thead>'
            f"<tbody>{''.join(lines)}</tbody></table></div>"
        )
    else:
        body.append("<p>Nothing has been played yet.</p>")
    return page("Cross table", body, league, "/cross")


def cross_cell(standings: Standings, row: Row, other: Row) -> str:
    """Return a cell of the cross table."""
    if row.bot.id == other.bot.id:
        return '<td class="none" aria-label="itself">\N{MULTIPLICATION SIGN}</td>'
    met = standings.cross.get((row.bot.id, other.bot.id))
    if met is None:
        return '<td class="none" aria-label="have not met"></td>'
    share, deals = met
    title = f"{row.bot.name} against {other.bot.name}: {share.mean:.1%} ({share_interval(share)})"
    return (
        f'<td class="{shade(share)}" title="{escape(title)}">{100 * share.mean:.0f}'
        f'<br><small class="faint">{deals}</small></td>'
    )


def shade(share: Estimate) -> str:
    """Return the class of a cell: green for more than half of the points, red for less."""
    mean = share.mean
    if mean >= MORE_SHARE:
        return "most" if mean >= MOST_SHARE else "more"
    if mean <= LESS_SHARE:
        return "least" if mean <= LEAST_SHARE else "less"
    return ""


def bot_page(
    league: League,
    bot: Bot,
    standings: Standings,
    played: Sequence[PlayedDeal],
    bots: Sequence[Bot],
) -> str:
    """Return a bot: who it is, how it did against whom, its last deals."""
    row = next(each for each in standings.rows if each.bot.id == bot.id)
    by = f"<code>{escape(bot.spec)}</code>" if bot.spec else escape(NAMES[bot.kind])
    file = f", file <code>{escape(bot.file[:12])}</code>" if bot.file else ""
    retired = f"; retired {escape(bot.retired_at[:10])}" if bot.retired_at else ""
    body = [
        f"<h1>{escape(bot.name)}</h1>",
        f'<p class="lead">Of {escape(bot.author)}, plays by {by}{file}; registered '
        f"{escape(bot.made_at[:10])}{retired}.</p>",
        facts([
            ("rating", rating_text(row.rating)), ("95%", interval_text(row.rating)),
            ("points", share_text(row.share)), ("deals", f"{row.deals:,}"),
            ("forfeited games", str(row.forfeits)),
        ]),
    ]  # fmt: skip
    lines = []
    for other in standings.rows:
        met = standings.cross.get((bot.id, other.bot.id))
        if met is not None:
            share, deals = met
            lines.append([
                Cell(link(league_path(league, "bots", other.bot.name), other.bot.name), "word"),
                Cell(rating_text(other.rating)), Cell(share_text(share)),
                Cell(escape(share_interval(share)), "prose"), Cell(f"{deals:,}"),
            ])  # fmt: skip
    if lines:
        headings = [("against", "word"), ("its rating", ""), ("points", ""), ("95%", "word"),
                    ("deals", "")]  # fmt: skip
        body += ["<h2>Against</h2>", table(headings, lines, "Against each bot")]
    body += ["<h2>Last deals</h2>", deals_table(league, played, bots)]
    return page(bot.name, body, league, "/bots")


def join_page(leagues: Leagues, league: League, address: str) -> str:
    """Return how somebody takes part."""
    name = escape(league.name)
    here = escape(address)
    key = " --key JOIN_KEY" if league.private else ""
    programs = (
        "Workers run it in a sandbox: no network, no files but an empty folder, limits on memory "
        "and time. It talks as external agents do."
        if leagues.programs
        else "Programs are not accepted on this server."
    )
    weights = (
        "Workers run the graph of an ONNX file in the same sandbox as programs."
        if leagues.weights
        else "Weights are not accepted on this server."
    )
    body = [
        "<h1>Take part</h1>",
        '<p class="lead">Join once, keep your token, and register as many bots as you like. A bot '
        "never changes: a new version is a new bot.</p>",
        f"<pre>sandtable league join {here} {name} YOUR_NAME{key}\n"
        "export SANDTABLE_LEAGUE_TOKEN=...</pre>",
        "<h2>An agent with options</h2>",
        f"<pre>sandtable league register {here} {name} my-bot --agent SPEC</pre>",
        "<h2>Weights that you trained</h2>",
        f"<p>{weights}</p>",
        f"<pre>sandtable league register {here} {name} my-net --agent network "
        "--weights my.onnx</pre>",
        "<h2>A program</h2>",
        f"<p>{programs}</p>",
        f"<pre>sandtable league register {here} {name} my-program --program ./bot</pre>",
        "<h2>On your own machine</h2>",
        "<p>Your bot stays where it is and connects by WebSocket; the library is "
        f"{link('/api/client.py', 'one file')}.</p>",
        f"<pre>sandtable league register {here} {name} far-away --remote\n"
        "sandtable league client league_client.py</pre>",
    ]
    return page("Take part", body, league, "/join")
