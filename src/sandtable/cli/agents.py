"""``sandtable agents``."""

from __future__ import annotations

import typer

from sandtable.cli.common import new_command

command = new_command()


@command.command()
def agents() -> None:
    """Not there yet."""
