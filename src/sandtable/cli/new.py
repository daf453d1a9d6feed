"""``sandtable new``: a package of one's own, ready to be installed, checked and changed."""

from __future__ import annotations

import keyword
import re
from contextlib import suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import typer

from sandtable.cli.common import complete_game, new_command
from sandtable.errors import DISTRIBUTION, SandtableError
from sandtable.files import write_whole

command = new_command()

TAKEN = ("agent", "analysis", "candidate", "game", "rules", "test")  # by the templates themselves
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
SUFFIX = ".template"
PACKAGE = "PACKAGE"  # stands in paths for the name of the package
PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")

FolderOption = typer.Option(
    None, "--into", help="The folder to make.", show_default="sandtable-NAME, here"
)


@command.callback()
def new() -> None:
    """Write a package with a game or an agent of your own to begin with.

    It is small, works at once, and says in comments what to change.

    Examples:

      sandtable new game reversi

      sandtable new agent cunning --game skirmish
    """


@command.command()
def game(
    name: str = typer.Argument(..., help="The name of the game, like tic-tac-toe."),
    into: Path | None = FolderOption,
) -> None:
    """Write a package with a game: rules, notation, drawing, a screen to click on, and tests.

    Example: `sandtable new game reversi`
    """
    from sandtable.registry import game_names

    check_name(name)
    if f"sandtable-{name}" == DISTRIBUTION:
        raise SandtableError(f"'{DISTRIBUTION}' is Sandtable itself; choose another name")
    if name in game_names():
        raise SandtableError(f"there is a game '{name}' already; choose another name")
    words = words_of(f"sandtable-{name}", name)
    folder = write_package("game", into or Path(words["distribution"]), words)
    show_next_steps(folder, name, f"sandtable play {name} human random")


@command.command()
def agent(
    name: str = typer.Argument(..., help="The name of the agent, without that of its game."),
    game: str | None = typer.Option(
        None, "--game", help="The one game it plays.", autocompletion=complete_game,
        show_default="it plays any game",
    ),
    into: Path | None = FolderOption,
) -> None:  # fmt: skip
    """Write a package with an agent and its tests.

    Example: `sandtable new agent cunning --game skirmish`
    """
    from sandtable.registry import agent_names, make_game

    check_name(name)
    played = make_game(game) if game else None
    full_name = f"{played.name}/{name}" if played else name
    if full_name in agent_names():
        raise SandtableError(f"there is an agent '{full_name}' already; choose another name")
    words = words_of("-".join(["sandtable", *([played.name] if played else []), name]), name)
    words |= {"agent": full_name, "game": played.spec if played else smallest_game()}
    folder = write_package("agent", into or Path(words["distribution"]), words)
    others = ["random"] * (len(make_game(words["game"]).seats) - 1)
    show_next_steps(
        folder, full_name, f"sandtable match {' '.join([words['game'], full_name, *others])}"
    )


def smallest_game() -> str:
    """Return the game to try an agent in that plays any: one with the fewest seats."""
    from sandtable.registry import game_names, make_game

    seats: dict[str, int] = {}
    for name in game_names():
        with suppress(SandtableError):  # a broken plug-in
            seats[name] = len(make_game(name).seats)
    return min(seats, key=lambda name: seats[name])


def check_name(name: str) -> None:
    """Refuse a name that cannot be one of a game, an agent and a Python package.

    >>> check_name("tic-tac-toe")
    """
    if not NAME.fullmatch(name):
        raise SandtableError(f"'{name}' is no name: use small letters, digits and single hyphens")
    if name in TAKEN:
        raise SandtableError(
            f"the files of the package use '{name}' themselves; choose another name"
        )
    if keyword.iskeyword(name):
        raise SandtableError(f"'{name}' is a word of Python's own; choose another name")


def words_of(distribution: str, name: str) -> dict[str, str]:
    """Return what the placeholders of the templates stand for.

    >>> words_of("sandtable-tic-tac-toe", "tic-tac-toe")["class"]
    'TicTacToe'
    """
    return {
        "name": name,
        "title": name.replace("-", " ").capitalize(),
        "class": "".join(part.capitalize() for part in name.split("-")),
        "function": name.replace("-", "_"),
        "package": re.sub(r"\W", "_", distribution),
        "distribution": re.sub(r"[^a-z0-9]+", "-", distribution),
        "sandtable": DISTRIBUTION,
    }


def write_package(kind: str, folder: Path, words: dict[str, str]) -> Path:
    """Write the files of a template into a new folder; return it."""
    if folder.exists():
        raise SandtableError(f"{folder} is there already; remove it, or name another with --into")
    try:
        for place, template in template_files(files("sandtable") / "templates" / kind):
            path = folder / place.replace(PACKAGE, words["package"]).removesuffix(SUFFIX)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, filled(template.read_text("utf-8"), words).encode())
    except OSError as problem:
        raise SandtableError(f"{folder} cannot be written: {problem.strerror}") from problem
    return folder


def template_files(folder: Traversable, place: str = "") -> list[tuple[str, Traversable]]:
    """Return the files below a folder with their places in it."""
    found: list[tuple[str, Traversable]] = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            found += template_files(entry, f"{place}{entry.name}/")
        elif entry.name.endswith(SUFFIX):
            found.append((place + entry.name, entry))
    return found


def filled(text: str, words: dict[str, str]) -> str:
    """Return a text with its placeholders filled in.

    >>> filled("class {{class}}:", {"class": "TicTacToe"})
    'class TicTacToe:'
    """
    return PLACEHOLDER.sub(lambda match: words[match[1]], text)


def show_next_steps(folder: Path, name: str, trial: str) -> None:
    """Say what was made, and the three commands that come next."""
    typer.echo(f"{name} is in {folder}. Next:")
    for line in (f"pip install --editable {folder}", f"sandtable check {name}", trial):
        typer.echo(f"  {line}")
