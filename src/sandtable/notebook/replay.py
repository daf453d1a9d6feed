"""A recorded game as a widget with a slider, or as one picture where there are no widgets.

All pictures are made beforehand and handed to the browser once, so that stepping through a game
needs neither the kernel nor a network, and goes on working in a saved notebook.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandtable.errors import MissingExtra, SandtableError
from sandtable.records.record import Record
from sandtable.records.replay import Turn, replay, start_of, turns
from sandtable.types import Game, Outcome, State

__all__ = ["Frame", "Replay"]

HERE = Path(__file__).parent
MOST_FRAMES = 200  # a picture takes 20 to 60 kB, and a browser gets all of them at once


@dataclass(frozen=True)
class Frame:
    """One picture of a game, and what led to it."""

    caption: str  # the turn in words
    svg: str  # a whole document


class Replay:
    """A game to step through: the record of one, or any row of states.

    In a notebook with the extra ``notebook`` it shows a slider, buttons for the turn before and
    after, and plays on its own; elsewhere the picture of its last frame. With ``seat`` (a name or
    a number) nothing is shown that this seat could not know. Of a game with more turns than
    ``most`` every second, third, ... turn is shown, and the last.

    >>> from sandtable.dice import Dice
    >>> from sandtable.registry import make_game
    >>> start = make_game("lucid").start(Dice(1))
    >>> len(Replay([start, start.play("a1-a2")]).frames)
    2
    """

    def __init__(
        self,
        game: Record | Sequence[State],
        *,
        seat: str | int | None = None,
        most: int = MOST_FRAMES,
        seconds: float = 0.7,
    ) -> None:
        if most < 2 or seconds <= 0:
            raise SandtableError(f"most is 2 or more and seconds above 0, got {most}, {seconds}")
        frames = of_record(game, seat) if isinstance(game, Record) else of_states(game, seat)
        self.frames: tuple[Frame, ...] = tuple(thinned(list(frames), most))
        self.seconds = seconds  # between two frames when it plays on its own

    def widget(self) -> Any:
        """Return the widget itself, for laying it out with others."""
        try:
            kind = widget_class()
        except ImportError as problem:
            raise MissingExtra("the replay widget", "notebook") from problem
        return kind(
            captions=[frame.caption for frame in self.frames],
            pictures=[frame.svg for frame in self.frames],
            milliseconds=round(1000 * self.seconds),
        )

    def _repr_svg_(self) -> str:
        return self.frames[-1].svg

    def _repr_mimebundle_(self, **wanted: Any) -> Any:
        try:
            bundle = self.widget()._repr_mimebundle_(**wanted)
        except MissingExtra:
            return None  # the picture is shown alone
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        return {**data, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<Replay of {len(self.frames)} frames: {self.frames[-1].caption}>"


def of_states(states: Sequence[State], seat: str | int | None) -> Iterator[Frame]:
    """Make a frame of every state."""
    if not states:
        raise SandtableError("a replay needs at least one state")
    for number, state in enumerate(states):
        viewer = seat_number(state.game, seat)
        seen = state if viewer is None else state.view(viewer)
        yield Frame(f"{number}", state.game.drawing.svg(seen.position))


def of_record(record: Record, seat: str | int | None) -> Iterator[Frame]:
    """Make a frame of the start and of every turn; a broken record is told as such."""
    start = start_of(record)
    game = start.game
    viewer = seat_number(game, seat)
    players = ", ".join(
        f"{name} {spec}" for name, spec in zip(game.seats, record.seats, strict=True)
    )
    yield Frame(f"{game.title}: {players}", picture(start, viewer))
    played = list(turns(replay(record)))
    for turn in played:
        caption = f"{turn.number}. {game.seats[turn.seat]}: {turn_text(turn, viewer)}"
        if turn is played[-1] and record.outcome is not None:
            caption += f" - {result(game, record.outcome)}"
        yield Frame(caption, picture(turn.after, viewer))


def seat_number(game: Game, seat: str | int | None) -> int | None:
    """Return the number of the seat that looks on, or None for the whole position."""
    return None if seat is None else game.seat_number(str(seat))


def picture(state: State, viewer: int | None) -> str:
    """Draw a state as far as it may be shown."""
    seen = state if viewer is None else state.view(viewer)
    return seen.game.drawing.svg(seen.position)


def turn_text(turn: Turn, viewer: int | None) -> str:
    """Return the actions of a turn, unless they would tell what is hidden."""
    game = turn.steps[0].before.game
    if not game.hidden or viewer is None or viewer == turn.seat:
        return turn.words
    seen = game.action_visible_to
    shown = seen is not None and all(
        seen(step.before.position, step.action, viewer) for step in turn.steps
    )
    return turn.words if shown else "(hidden)"


def result(game: Game, outcome: Outcome) -> str:
    """Say how a game ended."""
    scores = ", ".join(
        f"{seat} {score + 0:g}" for seat, score in zip(game.seats, outcome.scores, strict=True)
    )
    return f"{scores} ({outcome.reason})"


def thinned(frames: list[Frame], most: int) -> list[Frame]:
    """Leave out frames evenly until there are no more than so many; the last one stays."""
    step = -(-len(frames) // most)
    if step == 1:
        return frames
    kept = frames[::step]
    if (len(frames) - 1) % step:
        kept[-1] = frames[-1]
    return kept


@functools.cache
def widget_class() -> Any:
    """Return the class of the widget; its library is imported when one is wanted."""
    import anywidget
    import traitlets

    class ReplayWidget(anywidget.AnyWidget):
        """What the browser gets: all captions and pictures, and which of them is shown."""

        _esm = HERE / "replay.js"
        _css = HERE / "replay.css"
        captions = traitlets.List(traitlets.Unicode()).tag(sync=True)
        pictures = traitlets.List(traitlets.Unicode()).tag(sync=True)
        milliseconds = traitlets.Int(700).tag(sync=True)
        shown = traitlets.Int(0).tag(sync=True)

    return ReplayWidget
