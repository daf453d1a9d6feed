"""The code blocks of the documents: which there are, and what is not run for which reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/*.md", "src/**/*.md")
    for path in ROOT.glob(pattern)
)
FENCE = re.compile(r"^( *)```(\S*)(.*?)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"<!-- not run: (.+?) -->\n\s*\Z")
COMMANDS = re.compile(
    r"(?:^    (?:sandtable|make|pip|python|ray|createdb|source|export) .*\n(?:^    .*\n)*)",
    re.MULTILINE,
)
RUN = ("python", "bash", "console", "sh", "shell")

# What is not run wherever it stands, and why. Commands are at least read with all their options.
REASONS = {
    r"make |python |source |\.venv/|export |scp |createdb |tensorboard |ray |RAY_|pip install": (
        "not a command of Sandtable"
    ),
    r"sandtable mcp": "runs until it is stopped; tests/cli/test_mcp.py starts it",
    r"sandtable serve": "runs until it is stopped; tests/cli/test_serve.py starts it",
    r"sandtable league": "needs a server; tests/league has one",
    r"sandtable classes": "needs a class that has played; tests/server/test_classes.py has one",
    r"sandtable page": "compiles a game for the browser; tests/pages has its pages",
    r"sandtable (demo|reproduce)": "plays for minutes; tests/cli/test_reproduce.py plays a few",
    r"sandtable bench": "measures for minutes; tests/cli/test_bench.py has work without duration",
    r"sandtable --install-completion": "changes the settings of a shell",
    r".*--cluster": "needs a cluster; tests/arena/test_cluster.py has one",
    r".*postgresql://": "needs a server; tests/records/test_postgres.py has one",
    r"sandtable play .*human(?!:)": "asks a person; tests/cli/test_play.py types for one",
    r"sandtable play --resume": "a person's game; tests/documents/test_tour.py leaves one",
    r"sandtable puzzle ": "asks a person; tests/cli/test_puzzles.py types for one",
    r"sandtable curves": "needs runs; tests/cli/test_authors.py has some",
    r"sandtable exploit": "takes minutes; tests/cli/test_exploit.py has small ones",
    r"sandtable ladder": "plays for minutes; tests/agents/test_levels.py measures short ones",
    r"sandtable train": "trains for minutes to hours; tests/learning trains small ones",
    r".*external:": "needs a program of yours; tests/agents/test_external.py has some",
    r".*\b(hexapawn|kuhn|mine|nim|connect-four)\b": (
        "belongs to a package of yours; tests/test_plugins.py installs one"
    ),
    r".*[0-9a-f]{10}-\d": "names a game of somebody's archive",
    r"sandtable (match|tournament|sprt|play) (gravwell|stratego|skirmish)": (
        "compiles for every set of agents; tests/agents and tests/arena play them"
    ),
    r".*lucid/(champion|constraint|imitation|semantic)": "played in tests/agents/lucid",
    r"sandtable (label|explain)": "works on expert games; tests/cli has them",
    r"sandtable series": "asks a person; tests/games/lucid/test_series.py types for one",
    r"sandtable show gravwell/": "draws networks; tests/cli/test_show_agents.py does",
    r"sandtable check lucid$": "takes a while; tests/test_conformance.py does the same",
    r"sandtable doctor": "looks at the machine; tests/cli/test_doctor.py",
    r".*openspiel[.:]": "played in tests/adapters",
    r".*--delay": "waits after every turn",
    r"sandtable ratings": "needs games with winners; tests/arena/test_archived.py rates some",
    r"sandtable archive (import|export)": "needs other archives; tests/cli/test_archive.py",
}
# Pages on which only a mark excuses a block: here everything has to work as it stands.
WITHOUT_EXCUSE = ("docs/tutorial.md", "docs/training.md", "docs/notebooks/index.md")


@dataclass(frozen=True)
class Block:
    """One block of code."""

    page: str
    line: int
    language: str
    title: str
    text: str
    reason: str  # why it is not run, from a mark before it; empty: it is run

    @property
    def where(self) -> str:
        """Return the place for a message."""
        return f"{self.page}:{self.line}"

    @property
    def is_doctest(self) -> bool:
        """Say whether tests/test_docs.py runs it, prompts and all."""
        return self.language == "python" and self.text.lstrip().startswith(">>>")


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page that could be run, those in fences and indented commands."""
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    found = []
    for match in FENCE.finditer(text):
        title = re.search(r'title="([^"]+)"', match[3])
        if match[2] not in RUN and not title:
            continue
        mark = MARK.search(text[: match.start()])
        found.append(
            Block(
                name,
                line_of(text, match.start()),
                match[2],
                title[1] if title else "",
                match[4],
                mark[1] if mark else "",
            )
        )
    outside = FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)
    for match in COMMANDS.finditer(outside):
        mark = MARK.search(outside[: match.start()])
        commands = re.sub(r"^    ", "", match[0], flags=re.MULTILINE)
        found.append(
            Block(
                name, line_of(outside, match.start()), "bash", "", commands, mark[1] if mark else ""
            )
        )
    return sorted(found, key=lambda block: block.line)


def line_of(text: str, place: int) -> int:
    """Return the number of the line at a place of a text."""
    return text.count("\n", 0, place) + 1


@dataclass(frozen=True)
class Command:
    """One command of a block, with what it is said to print."""

    where: str
    text: str
    printed: str | None  # None: nothing is said about it


def commands_of(block: Block) -> list[Command]:
    """Return the commands of a block, without comments and the column of words behind them."""
    lines = re.sub(r" *\\\n *", " ", block.text).splitlines()
    if block.language == "console":
        parts = re.split(r"^\$ ", "\n".join(lines), flags=re.MULTILINE)[1:]
        split = [part.partition("\n") for part in parts]
        return [Command(block.where, command, printed or None) for command, _, printed in split]
    plain = [re.sub(r"(  +#.*|   +\S.*)$", "", line).strip() for line in lines]
    return [Command(block.where, line, None) for line in plain if line and line[0] != "#"]


def reason_not_to_run(command: Command, page: str) -> str:
    """Return why a command is not run, or an empty text."""
    if page in WITHOUT_EXCUSE:
        return ""
    return next((why for rule, why in REASONS.items() if re.match(rule, command.text)), "")
