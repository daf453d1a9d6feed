"""The ``sandtable`` command: finds the commands, and turns errors into one clear line."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from typing import Any

import typer
from typer.core import TyperGroup

from sandtable.cli.common import EXIT_ERROR, EXIT_STOPPED
from sandtable.errors import DISTRIBUTION, SandtableError, UnknownName
from sandtable.registry import load, registered

__all__ = ["application", "run"]

# In the order in which a newcomer needs them; each is a file of this folder, imported when used.
# Those of single games come after them: entry points in the group ``sandtable.commands``.
COMMANDS = (
    "games",
    "agents",
    "play",
    "serve",
    "match",
    "tournament",
    "sprt",
    "ratings",
    "calibrate",
    "train",
    "reproduce",
    "replay",
    "archive",
    "show",
    "explain",
    "perft",
    "check",
    "new",
    "bench",
    "doctor",
)


PLUGGED_IN = "sandtable.commands"
MADE: dict[str, Any] = {}  # commands that have been asked for


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
) -> None:
    """Play strategy games that defeat ordinary search, and find out which agent is better.

    Start with [cyan]sandtable reproduce lucid --quick[/cyan], or play: `sandtable play lucid human
    lucid/axes-red`.
    """


def warn_in_one_line(message: Warning | str, *details: Any, **more: Any) -> None:
    """Show a warning as people should see it, without the source it came from."""
    print(f"warning: {message}", file=sys.stderr)


def run() -> None:
    """Run a command line; every error a person can cause ends in one line and a code not 0."""
    warnings.showwarning = warn_in_one_line
    try:
        application()
        sys.stdout.flush()
    except SandtableError as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(EXIT_ERROR)
    except KeyboardInterrupt:
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
