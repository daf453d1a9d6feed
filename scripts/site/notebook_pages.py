"""Shows the notebooks as pages: their text, their code, and the outputs they were saved with.

A hook of MkDocs. Nothing is run here; a test runs every notebook and compares its outputs with the
saved ones.
"""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mounted_pages import ROOT

FOLDER = ROOT / "docs" / "notebooks"
SVG = "image/svg+xml"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page and its pictures for every notebook; the notebook itself is there as a file."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        pictures: dict[str, str] = {}
        text = page_of(notebook, path, pictures)
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=text))
        for name, svg in pictures.items():
            files.append(File.generated(config, f"notebooks/{name}", content=svg))
    return files


def page_of(notebook: Any, path: Path, pictures: dict[str, str]) -> str:
    """Return a notebook as Markdown, and collect its pictures."""
    parts: list[str] = []
    for number, each in enumerate(notebook.cells):
        if each.cell_type == "markdown":
            parts.append(each.source)
        elif each.cell_type == "code":
            parts.append(f"```python\n{each.source.strip()}\n```")
            for place, output in enumerate(each.outputs):
                name = f"{path.stem}-{number}-{place}.svg"
                parts.append(shown(output, name, pictures))
    way = path.name
    parts.insert(1, f'<p class="notebook-file">The notebook: <a href="{way}">{way}</a></p>')
    return "\n\n".join(part for part in parts if part) + "\n"


def shown(output: Any, name: str, pictures: dict[str, str]) -> str:
    """Return one output: a picture if it has one, else its text."""
    if output.output_type == "stream":
        return plain(output.text)
    data = output.get("data", {})
    if SVG in data:
        pictures[name] = data[SVG]
        alt = html.escape(data.get("text/plain", "drawing").splitlines()[0], quote=True)
        return f'<img class="notebook-picture" src="{name}" alt="{alt}">'
    return plain(data.get("text/plain", ""))


def plain(text: str) -> str:
    """Return printed text as a block without colours."""
    return f"```{{.text .notebook-output}}\n{text.rstrip()}\n```" if text.strip() else ""
