"""``sandtable mistakes``: the turns of a game in which most was given away, and what was better."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_STOPPED, complete_agent, new_command
from sandtable.cli.replay import choose_game, open_source
from sandtable.cli.text import counted, write
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.arena.mistakes import Decision, GivenAway, Verdict
    from sandtable.records.record import Record
    from sandtable.records.store import Store
    from sandtable.types import Game

command = new_command()


@command.command()
def mistakes(
    source: str | None = typer.Argument(
        None,
        metavar="FILE|ID",
        show_default=False,
        help="A file of records (.jsonl or an archive), or the id of a game in the archive.",
    ),
    archive: str | None = typer.Option(
        None, "--archive", envvar="SANDTABLE_ARCHIVE", help="Where to look for an id."
    ),
    number: int | None = typer.Option(None, "--number", "-n", help="Which game: its number."),
    identity: str | None = typer.Option(None, "--id", help="Which game: its id."),
    seat: str | None = typer.Option(
        None, "--seat", help="Whose turns.", show_default="people's, or everybody's"
    ),
    count: int = typer.Option(5, "--count", "-c", min=1, help="How many turns to show of a seat."),
    judge: str | None = typer.Option(
        None, "--judge", "-j", help="An agent that values turns.", autocompletion=complete_agent,
        show_default="the best one of the game",
    ),
    totals: bool = typer.Option(
        False, "--totals", help="Judge all games, and tell what every player gave away in a game."
    ),
    keep: bool = typer.Option(
        False, "--keep", help="Keep what was better in the record, as notes with variations."
    ),
) -> None:  # fmt: skip
    """Find the turns of a recorded game in which most was given away, with luck taken out.

    A turn is judged before its dice fall and by what its seat knew then: what counts is how much
    less it was worth than the turn an agent would have played. What an agent takes for better is
    an opinion; each of the turns shown was looked at again with other dice.

    Examples:

      sandtable mistakes games.jsonl

      sandtable mistakes games.jsonl --number 3 --seat blue --count 10

      sandtable mistakes 31146386e5-17 --archive games.db --keep

      sandtable mistakes games.jsonl --totals
    """
    from sandtable.arena.mistakes import people_of
    from sandtable.records.replay import start_of

    with closing(open_source(source, archive)) as wanted:
        if totals:
            if keep or number is not None or wanted.identity or identity:
                raise SandtableError("--totals judges all games of a file; name only the file")
            review_all(wanted.store, seat, judge)
            return
        record = choose_game(wanted, number, identity)
        game = start_of(record).game
        seats = people_of(record) if seat is None else [game.seat_number(seat)]
        write(f"{game.title}: {', '.join(seated(game, record))}")
        stopped = False
        for each in seats:
            stopped = stopped or review_seat(
                wanted.store if keep else None, record, game, each, judge, count
            )
        if stopped:
            raise typer.Exit(EXIT_STOPPED)


def review_all(store: Store, seat: str | None, judge: str | None) -> None:
    """Judge all games of a file and tell what every player gave away."""
    from sandtable.cli.given_away import print_totals

    if print_totals(store, seat, judge):
        raise typer.Exit(EXIT_STOPPED)


def seated(game: Game, record: Record) -> list[str]:
    """Return who played what."""
    from sandtable.records.lines import one_line

    return [f"{seat} {one_line(spec)}" for seat, spec in zip(game.seats, record.seats, strict=True)]


def review_seat(
    store: Store | None, record: Record, game: Game, seat: int, judge: str | None, count: int
) -> bool:
    """Judge the turns of a seat and print the worst; return whether somebody stopped it."""
    from sandtable.arena.mistakes import Judge, decisions_of, given_away, scale_of, worst
    from sandtable.cli.progress import games_progress

    decisions = decisions_of(record, seat)
    found: list[tuple[Decision, Verdict]] = []
    stopped = False
    with closing(Judge(game, seat, judge)) as made:
        try:
            label = f"{made.name} judges {game.seats[seat]}"
            with games_progress(label, len(decisions), things="turns") as progress:
                for decision in decisions:
                    verdict = made.verdict(decision)
                    if verdict is not None:
                        found.append((decision, verdict))
                    progress(1)
            again = worst(found, scale_of(game), 2 * count)
            with games_progress("looking again", len(again), things="turns") as progress:
                for place, (decision, verdict) in enumerate(again):
                    again[place] = decision, made.second_look(decision, verdict)
                    progress(1)
            shown = worst(again, scale_of(game), count)
        except KeyboardInterrupt:  # what was judged so far is shown
            stopped, shown = True, worst(found, scale_of(game), count)
        total = given_away([verdict for _, verdict in found])
        print_seat(game, seat, made.name, total, len(decisions), shown)
    if store is not None and shown:
        keep_notes(store, record, game, made.name, shown)
    return stopped


def print_seat(
    game: Game,
    seat: int,
    judge: str,
    total: GivenAway,
    turns: int,
    shown: list[tuple[Decision, Verdict]],
) -> None:
    """Print the mistakes of a seat, the worst first."""
    name, judged = game.seats[seat].capitalize(), total.turns
    if not judged:
        write(f"\n{name}: {judge} has no opinion about any of {counted(turns, 'turn')}.")
        return
    of = f"{judged:,} of {counted(turns, 'turn')}" if judged < turns else counted(turns, "turn")
    write(f"\n{name}: {of} judged by {judge}, before the dice fell and by what {name} knew.")
    write(f"Given away in all: {sum_words(game, total.total, total.a_turn)}.")
    if not shown:
        write("Nothing worth mentioning was given away.")
        return
    for place, (decision, verdict) in enumerate(shown, start=1):
        write(f"{place}. {loss_words(game, verdict)} (after {counted(decision.ply, 'action')})")
        write(f"   played: {turn_words(game, verdict.played)}", indent="           ")
        write(f"   better: {turn_words(game, verdict.better)}", indent="           ")


def loss_words(game: Game, verdict: Verdict) -> str:
    """Say how much was given away, in the one unit of the game."""
    from sandtable.arena.mistakes import scale_of

    if scale_of(game) == "chance":
        return (
            f"{100 * verdict.loss:.0f} percentage points of the chance to win: "
            f"{verdict.played_value:.0%} instead of {verdict.better_value:.0%}"
        )
    return (
        f"{verdict.loss:.2f} {game.score_unit}: {verdict.played_value:.2f} expected "
        f"instead of {verdict.better_value:.2f}"
    )


def sum_words(game: Game, total: float, a_turn: float) -> str:
    """Say how much was given away in all turns together, and in one of them on average."""
    from sandtable.arena.mistakes import scale_of

    if scale_of(game) == "chance":
        return (
            f"{100 * total:.0f} percentage points of the chance to win, {100 * a_turn:.1f} a turn"
        )
    return f"{total:.2f} {game.score_unit}, {a_turn:.3f} a turn"


def turn_words(game: Game, actions: tuple[int, ...]) -> str:
    """Write a turn as people type it."""
    from sandtable.agents.human.turn import compact

    return compact(game, actions)


def keep_notes(
    store: Store, record: Record, game: Game, judge: str, shown: list[tuple[Decision, Verdict]]
) -> None:
    """Write what was better into the record."""
    from sandtable.records.notes import Note, with_note

    for decision, verdict in shown:
        text = f"{judge}: gave away {loss_words(game, verdict)}"
        note = Note(decision.ply + verdict.first, text, verdict.better)
        try:
            store.annotate(record.identity, lambda old, note=note: with_note(old, note))  # type: ignore[misc]
        except SandtableError as problem:
            raise SandtableError(f"the notes cannot be kept: {problem}") from None
    typer.echo(f"{counted(len(shown), 'note')} kept in the record")
