"""``sandtable match``."""

from __future__ import annotations

import typer

from sandtable.cli.common import new_command

command = new_command()


@command.command()
def match() -> None:
    """Not there yet."""
