"""``sandtable agents``: which agents are installed, and a page about each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import typer

from sandtable.cli.common import complete_agent, complete_game, new_command
from sandtable.cli.text import wrapped, write

if TYPE_CHECKING:
    from rich.table import Table

command = new_command()

MARGIN = 2  # columns left of what belongs to a heading
NEEDED, NOTHING = "needed", "nothing"  # in place of a default


def complete_either(incomplete: str) -> list[str]:
    """Complete the name of a game or of an agent in the shell."""
    return [*complete_game(incomplete), *complete_agent(incomplete)]


@command.command()
def agents(
    name: str | None = typer.Argument(
        None,
        help="A game: the agents that can play it. An agent: all about it.",
        autocompletion=complete_either,
    ),
) -> None:
    """List the installed agents, or tell all about one: options, seats, games and weights.

    Examples:

      sandtable agents lucid

      sandtable agents lucid/champion-blue
    """
    from sandtable.registry import FILE, agent_names, is_game, make_game
    from sandtable.specs import parse_spec

    spec = None if name is None else parse_spec(name)
    if spec is None:
        show_list(agent_names(), "Agents")
    elif name is not None and spec.name == FILE:
        show_page(name)
    elif spec.name in agent_names() or ("/" in spec.name and not is_game(spec.name)):
        show_page(spec.name)
    elif name is not None and (is_game(spec.name) or not near_an_agent(spec.name)):
        game = make_game(name)  # an unknown name ends here, with the nearest known one
        show_list(agent_names(game.name), f"Agents that can play {name}", game)
    else:
        show_page(spec.name)


def near_an_agent(name: str) -> bool:
    """Say whether a word that is nothing looks more like an agent than like a game.

    >>> near_an_agent("randon"), near_an_agent("lucit")
    (True, False)
    """
    from sandtable.errors import suggestion
    from sandtable.registry import agent_names, game_names

    games = game_names()
    found = suggestion(name, [*games, *agent_names()])
    return bool(found) and found not in [suggestion(name, [game]) for game in games]


# --- the list ------------------------------------------------------------------------------------


def show_list(names: list[str], title: str, game: Any = None) -> None:
    """Print agents with what they are; names are never broken, sentences wrap between words."""
    from rich.console import Console

    from sandtable.errors import SandtableError, WrongSeats
    from sandtable.registry import AGENTS, agent_factory, summary

    typer.secho(title, bold=True)  # before their modules are loaded, which takes a moment
    table = two_columns()
    problems = []
    for name in names:
        try:
            factory = agent_factory(name)
            if game is not None:
                getattr(factory, "suits", lambda game: None)(game)
            table.add_row(name, summary(AGENTS, name).replace("``", "'"))
        except WrongSeats:
            continue  # it plays other games
        except SandtableError as problem:  # a broken plug-in must not hide the others
            problems.append(str(problem))
    Console(highlight=False, markup=False).print(table)
    write("'sandtable agents NAME' tells more about one: its options, seats and weights.")
    write("A class in a file of your own plays as file:./bot.py:Bot, without a package.")
    for line in problems:
        write(f"warning: {line}", err=True)


def two_columns() -> Table:
    """Return a table of names, which stay whole, and of sentences, which wrap."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, MARGIN, 0, 0))
    table.add_column(no_wrap=True, overflow="ignore", style="cyan")
    table.add_column(overflow="fold")
    return table


# --- the page ------------------------------------------------------------------------------------


def show_page(name: str) -> None:
    """Print all about one agent."""
    from rich.console import Console

    from sandtable.registry import resolved
    from sandtable.specs import parse_spec

    factory, _ = resolved(parse_spec(name))  # an unknown name ends here, with the nearest known
    console = Console(highlight=False, markup=False)
    typer.secho(name, bold=True)
    write((factory.__doc__ or "").strip().partition("\n")[0].replace("``", "'"))
    for heading, lines in (
        ("plays", games_lines(name, factory)),
        ("needs", need_lines(factory)),
        ("weights", weight_lines(name)),
        ("from", [origin(name)]),
    ):
        if lines:
            typer.secho(f"\n{heading}", bold=True)
        for line in lines:
            typer.echo(wrapped(f"  {line}", console.width, indent="    "))
    options = list(option_rows(factory))
    typer.secho("\noptions" if options else "\nIt has no options.", bold=bool(options))
    table = two_columns()
    for option, default, meaning in options:
        usual = "" if default == NOTHING else f"[{default}]"
        table.add_row(f"  {option}", " ".join(filter(None, (meaning, usual))))
    if options:
        console.print(table)
        write(f"\nOptions are written behind a colon: {example_spec(name, options)}")


def games_lines(name: str, factory: Callable[..., Any]) -> list[str]:
    """Return which games and seats an agent plays, and which it does not and why."""
    from sandtable.errors import SandtableError, WrongSeats
    from sandtable.registry import agent_game, game_names, make_game

    only = agent_game(name)
    seats = getattr(factory, "seats", ())
    if only is not None:
        return [f"{only}, {' or '.join(seats)}" if seats else f"{only}, any seat"]
    can, cannot = [], []
    for game in game_names():
        try:
            getattr(factory, "suits", lambda game: None)(make_game(game))
        except WrongSeats as problem:
            cannot.append(f"not {game}: {problem}")
        except SandtableError:
            continue  # a game that cannot be loaded; 'sandtable games' tells
        else:
            can.append(game)
    return [f"{', '.join(can) or 'no installed game'}, any seat", *cannot]


def need_lines(factory: Callable[..., Any]) -> list[str]:
    """Return what must be given, and what must be installed and is not."""
    from sandtable.errors import SandtableError
    from sandtable.specs import Spec, build

    rows = list(option_rows(factory))
    lines = [f"the option '{option}'" for option, default, _ in rows if default == NEEDED]
    if lines:
        return lines
    try:
        made = build(factory, Spec("agent"))
        getattr(made, "check", lambda: None)()
    except SandtableError as problem:
        lines.append(str(problem))
    return lines


def weight_lines(name: str) -> list[str]:
    """Return the bundled weights an agent can play with, the usual ones first."""
    from sandtable.errors import SandtableError
    from sandtable.registry import make_agent

    try:
        files = list(make_agent(name).weight_files())
    except SandtableError:  # it needs an option first
        return []
    lines = []
    for path in files:
        others = sorted(
            each.stem for each in path.parent.glob(f"*{path.suffix}") if each.stem != path.stem
        )
        known = f"; also bundled: {', '.join(others)}" if others else ""
        lines.append(f"{path.stem}{known}")
    return lines


def origin(name: str) -> str:
    """Return the package and the place in it that an agent comes from."""
    from sandtable.registry import AGENTS, registered

    point = registered(AGENTS).get(name)
    if point is None:
        return name.partition(":")[2]
    package = point.dist.name if point.dist is not None else "?"
    return f"{package}, {point.value}"


def option_rows(factory: Callable[..., Any]) -> Iterator[tuple[str, str, str]]:
    """Return the options of an agent: name, default, and what it means."""
    import inspect

    meanings = getattr(factory, "meanings", {})
    for name, parameter in inspect.signature(factory).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        default = parameter.default
        shown = f"{default}".lower() if isinstance(default, bool) else f"{default}"
        if default is parameter.empty:
            shown = NEEDED
        elif default in (None, ""):
            shown = NOTHING
        yield name, shown, meanings.get(name) or told_in(documentation(factory), name)


def documentation(factory: Callable[..., Any]) -> str:
    """Return what the author of an agent says about its options."""
    import inspect

    made = getattr(factory, "__init__", None) if inspect.isclass(factory) else None
    return f"{inspect.getdoc(factory) or ''}\n\n{inspect.getdoc(made) or '' if made else ''}"


def told_in(text: str, option: str) -> str:
    """Return the sentence of a documentation that names an option in double backticks.

    >>> told_in("Plays. ``depth`` is how far it looks; ``width`` how broad.", "width")
    'width how broad'
    """
    import re

    for sentence in re.split(r"[.;](?:\s+|$)", " ".join(text.split())):
        if f"``{option}``" in sentence:
            return sentence.replace("``", "")
    return ""


def example_spec(name: str, options: list[tuple[str, str, str]]) -> str:
    """Return a spec string with one option, to show how they are written.

    >>> example_spec("bot", [("seconds", "2", "")])
    'bot:seconds=2'
    """
    option, default, _ = next(
        (row for row in options if row[1] not in (NEEDED, NOTHING)), options[0]
    )
    return f"{name}:{option}={'...' if default in (NEEDED, NOTHING) else default}"
