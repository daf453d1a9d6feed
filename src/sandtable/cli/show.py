"""``sandtable show``: a position, or what an agent has learned, as text, SVG or PNG."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import complete_game, new_command
from sandtable.errors import SandtableError
from sandtable.files import write_whole
from sandtable.pictures import MOST_PIXELS_WIDE, rasterise

if TYPE_CHECKING:
    from sandtable.types import Game, State

command = new_command()

LINE_WIDTH = 78
WEIGHTS = (".onnx", ".safetensors")  # other files that agents play with are no networks


class Format(StrEnum):
    """How a position is drawn; also how the names of the files end."""

    TEXT = "text"
    SVG = "svg"
    PNG = "png"


FORMAT_OF_ENDING = {".txt": Format.TEXT, ".svg": Format.SVG, ".png": Format.PNG}


@command.command()
def show(
    game: str = typer.Argument(
        ..., help="The game, or an agent that can be looked at.", autocompletion=complete_game
    ),
    position: list[str] | None = typer.Argument(
        None, help="A position in one line.", show_default="a starting position"
    ),
    moves: str = typer.Option("", "--moves", "-m", help="Play these actions first."),
    seat: str | None = typer.Option(None, "--seat", help="Show only what this seat may know."),
    seed: int = typer.Option(0, "--seed", "-s", help="Of the dice that are thrown."),
    legal: bool = typer.Option(False, "--legal", "-l", help="List the legal actions as well."),
    planes: bool = typer.Option(False, "--planes", help="What a network of that seat sees."),
    out: Path | None = typer.Option(None, "--out", "-o", help="Draw into this file."),
    kind: Format | None = typer.Option(
        None, "--format", "-f", help="By default what the file's ending says, or text."
    ),
    width: int | None = typer.Option(
        None, "--width", "-w", min=1, max=MOST_PIXELS_WIDE, help="Pixels, for a PNG."
    ),
) -> None:
    """Draw a position, or what an agent has learned.

    Examples:

      sandtable show lucid

      sandtable show lucid --moves "a1-a2 a1-a2 end" --legal

      sandtable show lucid "1,r2,B2r1,b1R2,r1/b2,1,b2,2/5/2,b1,2/b1,3,b1 b 20 3 -" -o mid.png

      sandtable show lucid --format svg > start.svg

      sandtable show gravwell/neuro-evolution -o networks.svg

      sandtable show skirmish --planes -o planes.svg
    """
    from sandtable.registry import make_game

    chosen = format_wanted(kind, out, legal, width)
    if "/" in game.partition(":")[0]:
        if position or moves or legal or planes or seat is not None:
            raise SandtableError(
                f"'{game}' is an agent: position, --moves, --seat, --legal, --planes do not fit"
            )
        draw_agent(game, chosen, out, width)
        return
    rules = make_game(game)
    viewer = None if seat is None else rules.seat_number(seat)
    seen, events = position_wanted(rules, position or [], moves, seed, viewer)
    if planes:
        draw_planes(seen, viewer, chosen, out, width)
    else:
        position_now, drawing = seen.position, rules.drawing
        draw(
            lambda: drawing.text(position_now),
            lambda: drawing.svg(position_now),
            chosen,
            out,
            width,
        )
    if events and (out or chosen is Format.TEXT):
        typer.echo("\n".join(["", *events]))
    if legal:
        typer.echo(f"\n{legal_lines(seen)}")


def format_wanted(kind: Format | None, out: Path | None, legal: bool, width: int | None) -> Format:
    """Find out how to draw, and refuse what does not go together."""
    if kind is None and out is not None:
        if out.suffix.lower() not in FORMAT_OF_ENDING:
            endings = ", ".join(FORMAT_OF_ENDING)
            raise SandtableError(
                f"cannot tell from '{out.name}' how to draw: end it in one of {endings}, "
                "or add --format"
            )
        kind = FORMAT_OF_ENDING[out.suffix.lower()]
    kind = kind or Format.TEXT
    if kind is Format.PNG and out is None:
        raise SandtableError("a PNG is not for the terminal: add --out FILE")
    if kind is not Format.PNG and width is not None:
        raise SandtableError(f"--width is for PNG files, not for {kind.value}")
    if kind is Format.SVG and out is None and legal:
        raise SandtableError("--legal would stand in the middle of the SVG: add --out FILE")
    return kind


def position_wanted(
    game: Game, words: list[str], moves: str, seed: int, viewer: int | None
) -> tuple[State, list[str]]:
    """Return what is to be seen after the moves, and what the dice did on the way there."""
    from sandtable.dice import Dice

    def visible(state: State) -> State:
        return state if viewer is None else state.view(viewer)

    dice = Dice(seed)
    state = game.parse(" ".join(words)) if words else game.start(dice)
    events = []
    for action in game.parse_actions(moves):
        before, state = state, state.play(action, dice)
        events += game.drawing.events(visible(before).position, action, visible(state).position)
    return visible(state), events


def draw_planes(
    state: State, seat: int | None, kind: Format, out: Path | None, width: int | None
) -> None:
    """Draw what a network sees: the planes of a seat, by default of the one that is to move."""
    from sandtable.reports.network_pictures import planes_svg, planes_text
    from sandtable.types import OVER

    if seat is None:
        seat = 0 if state.turn == OVER else state.turn
    game = state.game
    if not game.plane_names:
        raise SandtableError(f"{game.name} has no planes for networks")
    seen = state.planes(seat)
    title = f"{game.name}: what {game.seats[seat]} sees"
    names = game.plane_names
    draw(lambda: planes_text(seen, names), lambda: planes_svg(seen, names, title), kind, out, width)


def draw_agent(spec: str, kind: Format, out: Path | None, width: int | None) -> None:
    """Draw what an agent shows of itself, or else the weights that it plays with."""
    from sandtable.registry import make_agent
    from sandtable.reports.network_pictures import layers_of, layers_svg, layers_text

    agent = make_agent(spec)
    text, svg = agent.show_text(), agent.show_svg()
    if text is None or svg is None:
        learned = [path for path in agent.weight_files() if path.suffix in WEIGHTS]
        files = [(path, layers_of(path)) for path in learned]
        text = "\n\n".join(layers_text(path, layers) for path, layers in files) or None
        svg = layers_svg(files)
    if text is None:
        name = spec.partition(":")[0]
        raise SandtableError(f"'{name}' has nothing to show; 'sandtable agents' tells what it does")
    draw(lambda: text, lambda: svg, kind, out, width)


def draw(
    as_text: Callable[[], str],
    as_svg: Callable[[], str],
    kind: Format,
    out: Path | None,
    width: int | None,
) -> None:
    """Draw into the file, or to the terminal."""
    if kind is Format.PNG:
        data = rasterise(as_svg(), width)
    else:
        data = f"{as_text() if kind is Format.TEXT else as_svg()}\n".encode()
    if out is None:
        typer.echo(data.decode(), nl=False)
        return
    write_whole(out, data)
    typer.echo(f"Drawn: {out}")


def legal_lines(state: State) -> str:
    """List the legal actions, wrapped to the width of the drawings."""
    import textwrap

    names = state.legal_names
    if not names:
        return "no legal actions: the game is over"
    text = f"{len(names)} legal actions: {' '.join(names)}"
    return textwrap.fill(text, LINE_WIDTH, break_on_hyphens=False)
