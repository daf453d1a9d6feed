"""Brings pages that live beside the code into the site: rules, cards, results, changes.

A hook of MkDocs. Each page stays where people look for it in the repository, and is shown here too.
"""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]


def mounted() -> dict[str, str]:
    """Return where in the site each file from elsewhere in the repository goes."""
    places = {
        "CHANGELOG.md": "changelog.md",
        "CODE_OF_CONDUCT.md": "conduct.md",
        "CONTRIBUTING.md": "contributing.md",
        "SECURITY.md": "security.md",
        "benchmarks/README.md": "benchmarks.md",
    }
    for path in sorted(ROOT.glob("src/sandtable/games/*/README.md")):
        places[relative(path)] = f"games/{path.parent.name}/rules.md"
    for path in sorted(ROOT.glob("src/sandtable/games/*/agents/**/*.md")):
        game = path.relative_to(ROOT).parts[3]
        folder = path.parent if path.parent.name != "weights" else path.parent.parent
        name = folder.name if path.stem == "README" else path.stem
        places[relative(path)] = f"cards/{game}-{name}.md"
    for pattern in ("results/*.md", "results/*-plots/*.svg"):
        for path in sorted(ROOT.glob(pattern)):
            places[relative(path)] = relative(path)
    return places


def relative(path: Path) -> str:
    """Return the path as the repository knows it."""
    return path.relative_to(ROOT).as_posix()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages; their links are put right by the hook in links.py."""
    for source, place in mounted().items():
        if place.endswith(".md"):
            text = (ROOT / source).read_text(encoding="utf-8")
            files.append(File.generated(config, place, content=text))
        else:
            files.append(File.generated(config, place, abs_src_path=str(ROOT / source)))
    return files
