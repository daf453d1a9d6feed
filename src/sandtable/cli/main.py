"""The ``sandtable`` command: finds the commands, and turns errors into one clear line."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from typing import Any

import typer
from typer.core import TyperGroup

from sandtable.cli.common import EXIT_ERROR, EXIT_STOPPED, EXIT_USAGE
from sandtable.cli.text import write
from sandtable.errors import (
    DISTRIBUTION,
    SandtableError,
    UnknownName,
    failure_line,
    suggestion,
)
from sandtable.registry import load, registered
from sandtable.system import use_utf8
from sandtable.system.processes import listen_for_interrupts

__all__ = ["application", "run"]

# In the order in which a newcomer needs them; each is a file of this folder, imported when used.
# Those of single games come after them: entry points in the group ``sandtable.commands``.
COMMANDS = (
    "demo",
    "games",
    "agents",
    "play",
    "serve",
    "page",
    "mcp",
    "puzzle",
    "puzzles",
    "classes",
    "league",
    "match",
    "tournament",
    "sprt",
    "ratings",
    "ladder",
    "calibrate",
    "train",
    "exploit",
    "curves",
    "reproduce",
    "replay",
    "mistakes",
    "archive",
    "show",
    "explain",
    "perft",
    "check",
    "new",
    "benchmark",
    "bench",
    "cite",
    "doctor",
)


PLUGGED_IN = "sandtable.commands"
MADE: dict[str, Any] = {}  # commands that have been asked for
# Typer brings Click along, or has its own copy of it, by version; the class is the same to both.
UsageError: Any = typer.BadParameter.__base__
TRACEBACK, TRACE_VARIABLE = "--traceback", "SANDTABLE_TRACEBACK"
HELP_ALONE = "NoArgsIsHelpError"  # what it raises for a group of commands that is called alone


class LazyCommands(TyperGroup):
    """Commands that are imported only when they are called or listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return [*COMMANDS, *filter(self.usable, registered(PLUGGED_IN))]

    def usable(self, name: str) -> bool:
        """Say whether a plug-in's command can be listed; one that cannot breaks only itself."""
        try:
            return name not in COMMANDS and self.get_command(None, name) is not None
        except SandtableError as problem:
            warnings.warn(str(problem), stacklevel=2)
            return False

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return one command, imported when it is first asked for."""
        if cmd_name not in MADE:
            MADE[cmd_name] = self.made_command(cmd_name)
        return MADE[cmd_name]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; for a word that is none the nearest one is proposed."""
        name = args[0] if args else ""
        known = [*COMMANDS, *registered(PLUGGED_IN)]
        if name and not name.startswith("-") and name not in known:
            hint = suggestion(name, known) or f" '{ctx.command_path} --help' lists them all."
            ctx.fail(f"there is no command '{name}'.{hint}")
        return super().resolve_command(ctx, args)

    def made_command(self, cmd_name: str) -> Any:
        """Import one command."""
        if cmd_name in COMMANDS:
            made = importlib.import_module(f"sandtable.cli.{cmd_name}").command
        elif cmd_name in registered(PLUGGED_IN):
            made = load(PLUGGED_IN, "command", cmd_name)
            if not isinstance(made, typer.Typer):
                where = registered(PLUGGED_IN)[cmd_name].value
                raise UnknownName(f"the command '{cmd_name}' ({where}) is no typer.Typer")
        else:
            return None
        command = typer.main.get_command(made)
        command.name = cmd_name
        if hasattr(command, "commands"):
            command.no_args_is_help = not getattr(command, "invoke_without_command", False)
        for each in (command, *getattr(command, "commands", {}).values()):
            each.help = rewrapped(each.help or "")
        return command


def rewrapped(text: str) -> str:
    """Return a text of help whose paragraphs are one line each, for terminals of any width."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(
        each if each.startswith(" ") else each.replace("\n", " ") for each in paragraphs
    )


application = typer.Typer(
    cls=LazyCommands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
)


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        from importlib.metadata import version

        typer.echo(f"sandtable {version(DISTRIBUTION)}")
        raise typer.Exit


@application.callback()
def sandtable(
    version: bool = typer.Option(
        False, "--version", callback=show_version, is_eager=True, help="Print the version."
    ),
    traceback: bool = typer.Option(
        False, TRACEBACK, help="With any command: show all of an error, not only one line."
    ),
) -> None:
    """Play strategy games that defeat ordinary search, and find out which agent is better.

    Start with a game: sandtable play lucid human lucid/axes-red

    Or with a match: sandtable match lucid lucid/simple-blue lucid/axes-red
    """


def warn_in_one_line(message: Warning | str, *details: Any, **more: Any) -> None:
    """Show a warning as people should see it, without the source it came from."""
    write(f"warning: {message}", err=True)


def show_trace() -> None:
    """With --traceback print the whole trace of what has just been raised."""
    if os.environ.get(TRACE_VARIABLE):
        import traceback

        traceback.print_exc()


def tell_usage(problem: Any) -> None:
    """Say in one line what is wrong with a command line, and where its help is."""
    if type(problem).__name__ == HELP_ALONE:
        problem.show()
        return
    sentence = problem.format_message().strip()
    sentence = f"{sentence[:1].lower()}{sentence[1:]}".rstrip(".")
    stop = "" if sentence.endswith("?") else "."
    where = "" if "--help'" in sentence or problem.ctx is None else help_of(problem.ctx)
    write(f"error: {sentence}{stop}{where}", err=True)


def help_of(context: Any) -> str:
    """Say which command line tells more."""
    return f" '{context.command_path} --help' tells more."


def run() -> None:
    """Run a command line; every error a person can cause ends in one line and a code not 0."""
    warnings.showwarning = warn_in_one_line
    use_utf8()
    listen_for_interrupts()
    if TRACEBACK in sys.argv:  # wherever it stands, for whatever command
        sys.argv.remove(TRACEBACK)
        os.environ[TRACE_VARIABLE] = "1"
    try:
        code = application(prog_name="sandtable", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except UsageError as problem:
        tell_usage(problem)
        sys.exit(EXIT_USAGE)
    except SandtableError as problem:
        show_trace()
        write(f"error: {problem}", err=True)
        sys.exit(EXIT_ERROR)
    except (KeyboardInterrupt, typer.Abort):
        print("stopped", file=sys.stderr)
        sys.exit(EXIT_STOPPED)
    except BrokenPipeError:  # the reader of our output (head, less) has gone
        sys.stderr.close()
        sys.exit(EXIT_ERROR)
    except OSError as problem:  # a full disk behind standard output, for instance
        name = f" {problem.filename}" if problem.filename else ""
        print(f"error: {problem.strerror or problem}{name}", file=sys.stderr)
        sys.stderr.flush()
        os._exit(EXIT_ERROR)  # an ordinary exit would flush standard output and fail once more
    except Exception as problem:  # a mistake in somebody's code, perhaps ours
        show_trace()
        again = "" if os.environ.get(TRACE_VARIABLE) else f" ({TRACEBACK} shows all)"
        write(f"error: {missing_extra(problem) or failure_line(problem) + again}", err=True)
        sys.exit(EXIT_ERROR)


def missing_extra(problem: Exception) -> str:
    """Say which extra brings a library that is not installed, where many commands need it.

    >>> missing_extra(ModuleNotFoundError(name="sqlalchemy"))[:45]
    'a database of games or leagues needs the extr'
    >>> missing_extra(ValueError("x"))
    ''
    """
    from sandtable.records.store import without_database

    found = without_database(problem) if isinstance(problem, ModuleNotFoundError) else problem
    return str(found) if isinstance(found, SandtableError) else ""
