"""``sandtable matchboxes``: a command that comes with the package."""

from pathlib import Path

import typer

from sandtable import new_command
from sandtable_hexapawn.machine import BUNDLED, read_boxes

command = new_command()


@command.command()
def matchboxes(
    boxes: Path = typer.Argument(BUNDLED, help="A file of boxes; by default the bundled one."),
) -> None:
    """List the matchboxes of hexapawn's machine with the beads that are left in them.

    Example: `sandtable matchboxes runs/machine/boxes.json`
    """
    contents = read_boxes(boxes)
    for line, moves in sorted(contents.items()):
        typer.echo(f"{line}  {' '.join(moves) or '(empty)'}")
    typer.echo(f"{len(contents)} boxes, {sum(map(len, contents.values()))} beads")
