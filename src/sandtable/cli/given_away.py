"""What every player gave away in all games of a file: the table of ``sandtable mistakes --totals``.

Nothing of it is luck: a turn is judged before its dice fall, by what its seat knew.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass, field

import numpy as np

from sandtable.arena.mistakes import GivenAway, Judge, decisions_of, given_away, unit_of
from sandtable.arena.statistics.intervals import estimate_mean
from sandtable.cli.progress import games_progress
from sandtable.cli.text import counted, write
from sandtable.errors import SandtableError
from sandtable.records.lines import one_line
from sandtable.records.record import Record
from sandtable.records.replay import start_of
from sandtable.records.store import Store
from sandtable.types import Game

__all__ = ["print_totals"]


@dataclass
class Player:
    """All that one player gave away in one seat of a game."""

    game: Game
    seat: int
    name: str
    judge: str
    games: list[GivenAway] = field(default_factory=list)
    unjudged: int = 0  # turns with a choice, of which the judge had no opinion

    def line(self) -> str:
        """Tell it: a game with its interval, and a turn.

        >>> from sandtable.registry import make_game
        >>> found = Player(make_game("lucid"), 0, "random", "a judge", [GivenAway(10, 4.0)])
        >>> found.line()
        'Blue random: 4.00 units a game (1 game), 0.400 a turn (10 turns); judged by a judge'
        """
        judged_games = [each for each in self.games if each.turns]  # in others nothing was judged
        whole = np.array([each.total for each in judged_games])
        turns = sum(each.turns for each in self.games)
        seat = self.game.seats[self.seat].capitalize()
        played = counted(len(self.games), "game")
        if not turns:
            about = f"no opinion about any of {counted(self.unjudged, 'turn')}"
            told = f"nothing can be told ({played}): {about}; judged by {self.judge}"
            return f"{seat} {self.name}: {told}"
        if len(judged_games) < len(self.games):
            played = f"{len(judged_games):,} of {played}"
        judged = counted(turns, "turn")
        if self.unjudged:
            judged = f"{turns:,} of {counted(turns + self.unjudged, 'turn')}"
        factor, unit = (100, "percentage points") if self.game.has_winner else (1, "")
        unit = unit or self.game.score_unit
        found = estimate_mean(factor * whole)
        between = f"{found.low:.2f} to {found.high:.2f} in 95%, " if found.shown else ""
        a_turn = factor * float(whole.sum()) / turns
        return (
            f"{seat} {self.name}: {found.mean:.2f} {unit} a game "
            f"({between}{played}), {a_turn:.3f} a turn "
            f"({judged}); judged by {self.judge}"
        )


def print_totals(store: Store, seat: str | None, judge: str | None) -> bool:
    """Judge all games and print a line for every player; return whether somebody stopped it."""
    players: dict[tuple[str, int, str], Player] = {}
    stopped = False
    with ExitStack() as stack:
        judges: dict[tuple[str, int], Judge] = {}
        try:
            with games_progress("judging", store.count()) as progress:
                for record in store.records():
                    game = start_of(record).game
                    seats = range(len(game.seats)) if seat is None else [game.seat_number(seat)]
                    for each in seats:
                        key = record.game, each
                        if key not in judges:
                            judges[key] = stack.enter_context(closing(Judge(game, each, judge)))
                        judge_seat(players, record, game, judges[key])
                    progress(1)
        except KeyboardInterrupt:  # what was judged so far is shown
            stopped = True
    if not players and not stopped:
        raise SandtableError("no game was judged")
    shown = sorted(players.values(), key=lambda each: (each.game.name, each.seat, each.name))
    for game_name in dict.fromkeys(each.game.spec for each in shown):
        of_game = [each for each in shown if each.game.spec == game_name]
        write(f"{of_game[0].game.title}: given away in {unit_of(of_game[0].game)}, luck left out")
        for player in of_game:
            write(f"  {player.line()}", indent="    ")
    return stopped


def judge_seat(
    players: dict[tuple[str, int, str], Player], record: Record, game: Game, judge: Judge
) -> None:
    """Judge what one seat of a game did."""
    decisions = decisions_of(record, judge.seat)
    verdicts = [judge.verdict(each) for each in decisions]
    name = one_line(record.seats[judge.seat])
    key = record.game, judge.seat, name
    if key not in players:
        players[key] = Player(game, judge.seat, name, judge.name)
    players[key].games.append(given_away([each for each in verdicts if each is not None]))
    players[key].unjudged += sum(
        verdict is None and any(len(view.legal) > 1 for view in decision.views)
        for decision, verdict in zip(decisions, verdicts, strict=True)
    )
