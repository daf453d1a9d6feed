"""What the terminal shows of a game that is being played."""

from __future__ import annotations

import time
from collections.abc import Sequence

import typer

from sandtable.agents.human.agent import RESIGNED
from sandtable.agents.human.colours import painted, wants_colour
from sandtable.agents.human.turn import compact
from sandtable.cli.text import write
from sandtable.types import OVER, Game, Outcome, State

__all__ = ["Screen", "result_line"]


class Screen:
    """Shows each turn as it is played; a person never sees more than the seat may know."""

    def __init__(self, game: Game, humans: Sequence[int], *, delay: float, quiet: bool) -> None:
        self.game = game
        self.humans = humans
        self.delay = delay
        self.quiet = quiet
        self.turns = 0
        self.actions: list[int] = []  # of the turn in progress; some agents answer bit by bit
        self.secret = False  # one of these actions is not for the eyes of whoever sits here

    def show_players(self, specs: Sequence[str], seed: int, number: int) -> None:
        """Say who plays what."""
        if self.quiet:
            return
        seated = ", ".join(f"{s} {spec}" for s, spec in zip(self.game.seats, specs, strict=True))
        write(f"{self.game.title}: {seated}", indent="  ")
        which = f"{seed}, game {number}" if number else str(seed)
        again = "earlier ones are kept" if number else f"--seed {seed} throws them again"
        write(f"The dice have the seed {which} ({again}).")

    def show_turn(self, before: State, seat: int, actions: list[int], after: State) -> None:
        """Show what a seat played, once its turn is closed."""
        if not (self.turns or self.actions or self.humans or self.quiet):
            typer.echo(f"\n{self.drawn(before)}")
        self.actions += actions
        self.secret |= not self.may_see(before, seat, actions)
        if not self.closed(actions[-1], seat, after):
            return
        turn, secret = self.actions, self.secret
        self.actions, self.secret = [], False
        self.turns += 1
        if self.quiet:
            return
        if not secret:
            typer.echo()
            name = self.drawn(self.game.seats[seat])
            write(f"{self.turns}. {name}: {compact(self.game, turn)}", indent="   ")
            for line in self.events(before, actions, after):
                write(f"   {self.drawn(line)}", indent="   ")
        if not self.humans:
            typer.echo(self.drawn(after))
        if self.delay and seat not in self.humans:
            time.sleep(self.delay)

    def skip_turn(self, before: State, seat: int, actions: list[int], after: State) -> None:
        """Count a turn that was shown when it was played."""
        quiet, delay = self.quiet, self.delay
        self.quiet, self.delay = True, 0.0
        self.show_turn(before, seat, actions, after)
        self.quiet, self.delay = quiet, delay

    def drawn(self, text: object) -> str:
        """Return a drawing or a sentence, in colour where that can be seen."""
        return painted(self.game, str(text)) if wants_colour() else str(text)

    def closed(self, last: int, seat: int, after: State) -> bool:
        """Say whether a turn is over with its last action."""
        closing = self.game.turn_ending_actions
        return closing is None or last in closing or after.turn in (OVER, *self.others(seat))

    def others(self, seat: int) -> list[int]:
        """Return all seats but one."""
        return [other for other in range(len(self.game.seats)) if other != seat]

    def may_see(self, before: State, seat: int, actions: list[int]) -> bool:
        """Say whether whoever sits here may know the actions of a seat as they are.

        Where things are hidden an action can tell them (which piece is put where), so a person
        sees the own ones, those that the game says everybody sees, and of the others what the
        view shows.
        """
        if not self.game.hidden or not self.humans or seat in self.humans:
            return True
        seen, person = self.game.action_visible_to, self.humans[0]
        return seen is not None and all(seen(before.position, each, person) for each in actions)

    def events(self, before: State, actions: list[int], after: State) -> list[str]:
        """Tell what the dice did at the end of the turn."""
        *earlier, last = actions
        closing = self.game.turn_ending_actions
        if earlier and (closing is None or closing.intersection(earlier)):
            return []  # several turns in one answer: the positions between them are not known
        if self.game.hidden and self.humans:
            before, after = before.view(self.humans[0]), after.view(self.humans[0])
        position = (before.play(earlier) if earlier else before).position
        return self.game.drawing.events(position, last, after.position)

    def show_end(self, final: str) -> None:
        """Draw the last position, as far as whoever sits here may know it."""
        if self.quiet or not self.humans:  # without people every position has been drawn
            return
        state = self.game.parse(final)
        typer.echo(f"\n{self.drawn(state.view(self.humans[0]) if self.game.hidden else state)}")


def result_line(game: Game, outcome: Outcome) -> str:
    """Say how a game ended, and why."""
    scores = ", ".join(
        f"{s} {score + 0:g}" for s, score in zip(game.seats, outcome.scores, strict=True)
    )
    best = max(outcome.scores)
    winners = [s for s, score in zip(game.seats, outcome.scores, strict=True) if score == best]
    verdict = ""
    if game.has_winner:
        verdict = f" {winners[0]} wins." if len(winners) == 1 else " A draw."
    reason = outcome.reason
    if outcome.forfeited_by is not None and reason.endswith(f": {RESIGNED}"):
        reason = f"{game.seats[outcome.forfeited_by]} resigned"
    return f"Result: {scores} ({reason}).{verdict}"
