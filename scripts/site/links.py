"""Puts links right that lead out of the folder of documents: to mounted pages, or to no page.

A hook of MkDocs. In the repository a link to a source file works; in the site there is no such
page, so the name of the file is shown instead.
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mounted_pages import ROOT, mounted

LINK = re.compile(
    r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)"
)
FENCE = re.compile(r"^(```.*?^```)$", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrite the links of a page, code blocks left alone."""
    place = page.file.src_uri
    homes = {there: source for source, there in mounted().items()}
    source = homes.get(place, f"docs/{place}")
    parts = FENCE.split(markdown)
    return "".join(
        part if part.startswith("```") else rewritten(part, source, place) for part in parts
    )


def rewritten(text: str, source: str, place: str) -> str:
    """Rewrite the links of a text that stands in one file and is shown as another page."""
    return LINK.sub(lambda link: new_link(link, source, place), text)


def new_link(link: re.Match[str], source: str, place: str) -> str:
    """Return one link as the site needs it."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link["target"]))
    if target.startswith("docs/"):
        there = target.removeprefix("docs/").replace(".ipynb", ".md")
    elif target == "README.md":
        there = "index.md"
    else:
        there = mounted().get(target, "")
    if there:
        way = os.path.relpath(there, Path(place).parent)
        return f"{link['picture']}[{link['text']}]({way}{link['anchor'] or ''})"
    if not (ROOT / target).exists():
        raise PluginError(f"{source} links to {target}, which is not there")
    text = link["text"]
    return f"`{target}`" if text.strip("`") in target else f"{text} (`{target}`)"
