"""``sandtable cite``: BibTeX for Sandtable, for a game, and for a result."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer

from sandtable.cli.common import complete_game, new_command
from sandtable.errors import DAMAGED, DISTRIBUTION, SandtableError

command = new_command()

BESIDE_THE_GAME = "citation.bib"  # the papers a game comes from, in the folder of its module
AUTHORS = "{The Sandtable authors}"
NEEDS_CARE = re.compile(r"([&%$#_{}])")


@command.command()
def cite(
    what: str | None = typer.Argument(
        None,
        help="A game, or a file of results (.json) that match, tournament or reproduce has made.",
        autocompletion=complete_game,
        show_default="Sandtable itself",
    ),
) -> None:
    """Print how to cite Sandtable, a game with the papers it comes from, or a result, in BibTeX.

    Examples:

      sandtable cite lucid

      sandtable cite result.json > result.bib
    """
    entries = [entry_of_sandtable()]
    if what is not None and what.lower().endswith(".json"):
        results = list(read_results(Path(what)))
        games = list(dict.fromkeys(each["game"] for each in results))
        entries += [entry for game in games for entry in entries_of_game(game)]
        entries += [entry_of_result(each, what) for each in results]
    elif what is not None:
        from sandtable.registry import make_game

        entries += entries_of_game(make_game(what).spec)
    typer.echo("\n\n".join(entries))


def entry_of_sandtable() -> str:
    """Return the entry of this package and version."""
    from importlib.metadata import version

    return entry(
        "software",
        "sandtable",
        {
            "author": AUTHORS,
            "title": "Sandtable: a workbench for strategy games",
            "version": version(DISTRIBUTION),
            "note": f"Python package {DISTRIBUTION}",
        },
    )


def entries_of_game(game: str) -> list[str]:
    """Return the papers a game comes from; a game of a plug-in may bring the same file."""
    from sandtable.registry import GAMES, make_game, module_folder

    made = make_game(game)
    try:
        text = (module_folder(GAMES, made.name) / BESIDE_THE_GAME).read_text("utf-8").strip()
    except (OSError, SandtableError):
        return []
    return [text]


def read_results(path: Path) -> Iterator[dict[str, Any]]:
    """Return the results in a file that a command has written with --json."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise SandtableError(f"cannot read {path}: {problem.strerror}") from problem
    except DAMAGED as problem:
        raise SandtableError(f"{path} is no file of results: {problem}") from problem
    for each in data if isinstance(data, list) else [data]:
        plan = each.get("plan", each) if isinstance(each, dict) else {}
        game = None
        with suppress(*DAMAGED):
            game = plan.get("game") or (plan.get("suite") or [None])[0]
        if not isinstance(game, str):
            raise SandtableError(f"{path} is no file of results: it names no game")
        yield {**plan, **each, "game": game}


def entry_of_result(result: dict[str, Any], path: str) -> str:
    """Return the entry of one result: what was played, how often, and by which version."""
    from importlib.metadata import version

    digest = hashlib.blake2b(
        json.dumps(result, sort_keys=True, default=str).encode(), digest_size=3
    ).hexdigest()
    named = result.get("agents") or result.get("seats") or []
    agents = []
    with suppress(*DAMAGED):  # of a kind that has none
        agents = [each if isinstance(each, str) else str(each.get("agent") or "") for each in named]
    games = result.get("games")
    facts = [f"seed {result['seed']}"] if "seed" in result else []
    facts += [f"{games:,} games"] if isinstance(games, int) else []
    return entry(
        "misc",
        f"sandtable-result-{digest}",
        {
            "title": f"{result['game']}: {' against '.join(filter(None, agents)) or 'results'}",
            "howpublished": f"Played with Sandtable {version(DISTRIBUTION)}",
            "note": ", ".join([*facts, f"file {Path(path).name}"]),
        },
    )


def entry(kind: str, key: str, fields: dict[str, str]) -> str:
    r"""Return one entry of BibTeX.

    >>> print(entry("misc", "a", {"title": "50% of b_c"}))
    @misc{a,
      title = {50\% of b\_c}
    }
    """
    lines = []
    for name, value in fields.items():
        safe = value if value.startswith("{") else NEEDS_CARE.sub(r"\\\1", value)
        lines.append(f"  {name} = {{{safe}}}")
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"
