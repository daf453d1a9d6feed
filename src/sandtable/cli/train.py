"""``sandtable train``: one command for each training recipe, its options from its configuration."""

from __future__ import annotations

import dataclasses
import inspect
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

import typer
from typer.core import TyperGroup

from sandtable.cli.common import EXIT_STOPPED
from sandtable.errors import SandtableError, suggestion
from sandtable.learning.recipes import (
    Recipe,
    load_recipe,
    missing_extra_named,
    recipe_names,
)

if TYPE_CHECKING:
    from sandtable.learning.run import Metrics

HELP = {"help_option_names": ["-h", "--help"]}
ANYTHING = {**HELP, "allow_extra_args": True, "ignore_unknown_options": True}


class Recipes(TyperGroup):
    """The recipes as commands, imported only when one is called."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """Return the names of all recipes."""
        return recipe_names()

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """Make the command of one recipe; one that cannot be loaded says so when it is called."""
        single = typer.Typer(add_completion=False, context_settings=HELP)
        try:
            single.command()(function_of(load_recipe(cmd_name)))
        except SandtableError as problem:
            if cmd_name not in recipe_names():
                raise
            single.command(context_settings=ANYTHING)(refusal(problem))
        made = typer.main.get_command(single)
        made.name = cmd_name
        return made


command = typer.Typer(
    cls=Recipes, no_args_is_help=True, rich_markup_mode="rich", context_settings=HELP
)


@command.callback()
def train() -> None:
    """Train an agent by a published method.

    The same command in the same folder goes on where a run was broken off, however that came.

    Examples:

      sandtable train skirmish/dsl --budget 5000 --games 100 --out runs/dsl-5000

      sandtable train skirmish/dsl --preset improved --out runs/improved --device cuda

      sandtable train skirmish/dsl --out runs/dsl-5000 --export-only
    """


def refusal(problem: SandtableError) -> Any:
    """Return a function that can be listed, and says when it is called why it cannot be run."""

    def run() -> None:
        raise problem

    run.__doc__ = f"Cannot be run here: {problem}"
    return run


def own_options(recipe: Recipe) -> dict[str, tuple[Any, Any]]:
    """Return the options that every recipe has: type and default."""
    presets = ", ".join(recipe.presets)
    return {
        "out": (Path, typer.Option(..., help="The folder of the run.")),
        "preset": (str, typer.Option(next(iter(recipe.presets)), help=f"One of {presets}.")),
        "device": (str, typer.Option("auto", help="auto, cpu or cuda.")),
        "threads": (int, typer.Option(1, min=1, help="Threads on the CPU.")),
        "jobs": (
            int,
            typer.Option(1, "--jobs", "-j", min=1, help="Processes, for recipes that use several."),
        ),
        "minutes": (float, typer.Option(0.0, min=0.0, help="Stop and save after so many; 0: no.")),
        "cluster": (
            str,
            typer.Option("", help="HOST:PORT of a Ray cluster that plays, for recipes that can."),
        ),
        "export_only": (
            bool,
            typer.Option(False, "--export-only", help="Only write the weights to play with."),
        ),
    }


def config_options(recipe: Recipe) -> dict[str, tuple[Any, Any]]:
    """Return an option for every field of the configuration; None: as in the preset."""
    published = next(iter(recipe.presets.values()))
    options: dict[str, tuple[Any, Any]] = {}
    for field in dataclasses.fields(published):
        default = getattr(published, field.name)
        kind: Any = type(default)
        if kind not in (bool, int, float, str):
            continue  # stages of a run: a preset has them
        choices = field.metadata["choices"]
        known = f": {', '.join(choices)}" if choices else ""
        about = f"{field.metadata['about']}{known} [{default}]"
        panel = "Configuration (in brackets what the published one has)"
        option = typer.Option(None, help=about.replace("[", r"\["), rich_help_panel=panel)
        options[field.name] = (Optional[kind], option)  # noqa: UP045 - a type made at run time
    return options


def function_of(recipe: Recipe) -> Any:
    """Return a function with all these options as parameters, for Typer to look at."""

    def run(**given: Any) -> None:
        own = {name: given.pop(name) for name in own_options(recipe)}
        run_recipe(recipe, given=given, **own)

    options = own_options(recipe) | config_options(recipe)
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in options.items()
    ]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {name: kind for name, (kind, _) in options.items()}
    run.__doc__ = recipe.summary
    return run


def run_recipe(
    recipe: Recipe,
    *,
    out: Path,
    preset: str,
    device: str,
    threads: int,
    jobs: int,
    minutes: float,
    cluster: str,
    export_only: bool,
    given: dict[str, Any],
) -> None:
    """Train, say how to go on if it was broken off, and write the weights at the end."""
    from sandtable.learning.run import Control

    if export_only:
        with missing_extra_named():
            typer.echo(recipe.export(out))
        return
    if preset not in recipe.presets:
        known = ", ".join(recipe.presets)
        hint = suggestion(preset, recipe.presets)
        raise SandtableError(f"there is no preset '{preset}' (known are {known}).{hint}")
    if cluster and not recipe.on_cluster:
        raise SandtableError("this recipe plays its games here; leave out --cluster")
    chosen = {name: value for name, value in given.items() if value is not None}
    config = dataclasses.replace(recipe.presets[preset], **chosen)
    seconds = 60 * minutes or None
    length = recipe.length(config)
    with training_progress(recipe, length) as report, stop_on_signals() as stopping:
        control = Control(
            device, threads, seconds, stopping, report, warn,
            jobs=jobs, unit=recipe.unit, length=length, cluster=cluster,
        )  # fmt: skip
        with missing_extra_named():
            finished = recipe.train(config, out, control)
    if not finished:
        typer.echo(f"stopped and saved in {out}; the same command goes on from there", err=True)
        if stopping():
            raise typer.Exit(EXIT_STOPPED)
    try:
        with missing_extra_named():
            typer.echo(recipe.export(out))
    except SandtableError as problem:
        typer.echo(f"trained, but not exported: {problem}; then add --export-only", err=True)


def warn(line: str) -> None:
    """Print a warning."""
    typer.echo(f"warning: {line}", err=True)


@contextmanager
def stop_on_signals() -> Iterator[Any]:
    """Let the first Ctrl-C or termination end the run after its next move; a second one kills."""
    asked: list[int] = []

    def ask(number: int, frame: Any) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        typer.echo("stopping after this move ... (again: at once, without saving)", err=True)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def training_progress(recipe: Recipe, length: int) -> Iterator[Any]:
    """Show a bar with how it goes; without a terminal, a line for every unit of the recipe."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    console = Console(stderr=True)
    shown = console.is_terminal and sys.stderr.isatty()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeLeft())
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        task = progress.add_task("compiling the rules (once) ...", total=length)

        def report(metrics: Metrics) -> None:
            done, line = metrics[recipe.unit] + 1, recipe.progress_line(metrics)
            progress.update(task, completed=done, description=line)
            if not shown:
                typer.echo(f"{recipe.unit} {done} of {length}: {line}")

        yield report
