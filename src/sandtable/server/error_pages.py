"""Mistakes as a page: what a browser shows that was sent somewhere it cannot go.

Programs get JSON; whoever asks for HTML, as a browser does for a page, gets one that says the same
in the same words and leads back to the games.
"""

from __future__ import annotations

import html
from collections.abc import Mapping

__all__ = ["error_page", "wants_page"]

TITLES = {
    401: "This needs a key",
    403: "This is not allowed",
    404: "There is nothing here",
    421: "Not under this name",
    429: "One moment",
    503: "The server is stopping",
}
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - Sandtable</title>
</head>
<body style="font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 10vh auto;
padding: 0 1.2rem; color: #2b2a26; background: #f7f4ec">
<main>
<h1>{title}</h1>
<p>{line}</p>
{more}
</main>
</body>
</html>
"""
BACK = '<p><a href="/">To the games</a></p>'


def wants_page(headers: Mapping[bytes, bytes]) -> bool:
    """Say whether a request comes from the address line of a browser.

    >>> wants_page({b"accept": b"text/html,*/*;q=0.8"}), wants_page({b"accept": b"*/*"})
    (True, False)
    """
    return b"text/html" in headers.get(b"accept", b"")


def error_page(status: int, line: str) -> str:
    """Return a mistake as a page.

    >>> "<h1>Not under this name</h1>" in error_page(421, "use another")
    True
    """
    title = TITLES.get(status, "That did not work")
    sentence = line[:1].upper() + line[1:] + ("" if line.endswith((".", "?", "!")) else ".")
    back = "" if status == 421 else BACK
    return PAGE.format(title=html.escape(title), line=html.escape(sentence), more=back)
