"""What all pages share: their frame, tables and links. Everything from outside is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import quote

from sandtable.league.store import League
from sandtable.reports.plots import STYLE

__all__ = ["Cell", "facts", "form_of_key", "league_path", "link", "page", "stylesheet", "table"]

FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/league.css">
</head>
<body>
<header><div><strong><a href="/">Leagues</a></strong>{navigation}</div></header>
<main>
{body}
</main>
<footer>Sandtable. Ratings are relative to the mean of all bots; an interval holds the truth 95% of
the time, and none is shown where none would.</footer>
</body>
</html>
"""
PARTS = (("", "Table"), ("/cross", "Cross table"), ("/games", "Games"), ("/tests", "Tests"),
         ("/join", "Take part"))  # fmt: skip


def stylesheet() -> str:
    """Return how the pages look, plots included.

    >>> "--paper" in stylesheet() and ".plot" in stylesheet()
    True
    """
    own = Path(__file__).with_name("league.css").read_text(encoding="utf-8")
    return f"{own}\n{STYLE}\n"


def league_path(league: League, *parts: str | int) -> str:
    """Return the address of something in a league."""
    return "/".join(
        ["/leagues", quote(league.name, safe=""), *(quote(str(each)) for each in parts)]
    )


def link(address: str, text: str) -> str:
    """Return a link.

    >>> link("/a", "<b>")
    '<a href="/a">&lt;b&gt;</a>'
    """
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def page(title: str, body: Iterable[str], league: League | None = None, part: str = "") -> str:
    """Return a page; one of a league leads to its other pages."""
    navigation = ""
    if league is not None:
        links = []
        for end, name in PARTS:
            here = ' aria-current="page"' if end == part else ""
            links.append(f'<a href="{escape(league_path(league) + end)}"{here}>{name}</a>')
        navigation = f'<nav aria-label="Pages of the league">{"".join(links)}</nav>'
    whole = f"{title} - {league.title}" if league is not None and title != league.title else title
    return FRAME.format(title=escape(whole), navigation=navigation, body="\n".join(body))


@dataclass(frozen=True)
class Cell:
    """A cell of a table; ``markup`` is HTML that was made of escaped text."""

    markup: str
    kind: str = ""  # word, prose, or a class of its own
    title: str = ""


def table(
    headings: Sequence[tuple[str, str]], rows: Iterable[Sequence[Cell]], caption: str = ""
) -> str:
    """Return a table whose first word names the row; headings are text and kind.

    >>> "<td>1</td>" in table([("n", "")], [[Cell("1")]])
    True
    """
    head = "".join(f'<th scope="col" class="{kind}">{escape(text)}</th>' for text, kind in headings)
    lines = []
    for row in rows:
        cells, named = [], False
        for cell in row:
            name = "th" if cell.kind == "word" and not named else "td"
            named = named or name == "th"
            scope = ' scope="row"' if name == "th" else ""
            kind = f' class="{cell.kind}"' if cell.kind else ""
            title = f' title="{escape(cell.title)}"' if cell.title else ""
            cells.append(f"<{name}{scope}{kind}{title}>{cell.markup}</{name}>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    body = "\n".join(lines)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption or "Table")}">'
        f"<table>{said}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Return a few figures, each with its name."""
    found = (f"<li><b>{escape(value)}</b><span>{escape(name)}</span></li>" for name, value in pairs)
    return f'<ul class="facts">{"".join(found)}</ul>'


def form_of_key() -> str:
    """Return the form by which a private league is opened."""
    return (
        '<form method="post" action="/open">'
        '<label>Name of the league <input name="league" required maxlength="40"></label>'
        '<label>Join key <input name="key" type="password" autocomplete="off" required '
        'maxlength="200"></label>'
        "<button>Open</button></form>"
    )
