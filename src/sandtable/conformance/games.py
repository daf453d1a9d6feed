"""check_game: plays random games and looks at every promise a game makes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sandtable.conformance.bench import Bench, copied
from sandtable.conformance.facts import check_facts
from sandtable.conformance.report import Report
from sandtable.conformance.same_games import Luck, check_batch, check_state
from sandtable.conformance.text import (
    check_actions,
    check_drawing,
    check_events,
    check_nonsense,
    check_position_text,
)
from sandtable.conformance.views import Frames, check_declared_frames, check_views
from sandtable.dice import Dice
from sandtable.legal_actions import draws_by_mask
from sandtable.types import OVER, Game, Position

__all__ = ["GAME_PROMISES", "check_game"]

GAME_PROMISES = {
    "facts": "the declared facts make sense, and the spec string makes the game again",
    "kernels": "every kernel is compiled",
    "start": "the start depends on the dice and on initial_cells only",
    "turn": "the seat to act is one of the seats, or nobody's turn when it is over",
    "legal": "the number of legal actions is that of the mask, and some action is always legal",
    "apply": "the same position, action and dice give the same position",
    "own array": "a kernel changes only the array it is meant to change",
    "chance": "dice are thrown if chance is declared, and only then",
    "turn_ending_actions": "the turn passes only with turn-ending actions",
    "over": "a finished game stays finished",
    "max_actions": "no game is longer than declared",
    "bounds": "scores are within their bounds",
    "zero sum": "the scores add up to zero, if declared and only then",
    "measures": "measures of a finished game are finite numbers made from its position alone",
    "hidden": "something is hidden if declared, and only then",
    "hide": "a view hides once and for all, and its seat sees its turn and its legal actions",
    "guess": "a guess looks like the view it was made from, and can be played to its end",
    "encode": "the planes are filled, finite and made from the view alone",
    "frames": "what a seat sees and the numbers of its actions are turned alike",
    "luck": "terms of luck have mean zero, and counting them changes nothing",
    "actions as text": "actions have one word each, and are read back",
    "positions as text": "positions and views are one line, and are read back",
    "nonsense": "text that means nothing is refused with the right error",
    "drawing": "drawings are there, and SVG is well formed",
    "state": "State does what the kernels do, and cannot be changed",
    "batch": "Batch does what the kernels do",
}
ONE_IN = 32  # positions looked at closely, besides the first ones of a game
ONE_LOOK_IN = 13  # looks that are thorough, with what takes milliseconds
MOST_DIFFERENCE = 1e-9  # between sums of scores that should be equal
FEW_GAMES = 5  # not enough to say that something never happens


@dataclass
class Played:
    """One game as it was played, for those who play it again."""

    number: int
    actions: list[int] = field(default_factory=list)
    final: Position | None = None  # None: the game could not be finished


class Walk:
    """Plays game after game and checks every position on the way."""

    def __init__(self, game: Game, report: Report, seed: int) -> None:
        self.game, self.report, self.seed = game, report, seed
        self.bench = Bench(game, report, seed)
        self.luck = Luck(self.bench)
        self.frames = Frames(self.bench) if check_declared_frames(game, report) else None
        self.thrown = False  # dice, in some game
        self.hidden = False  # something, from some seat
        self.sums: list[float] = []  # of the scores of each finished game
        self.scored = False  # some score was not zero
        self.looks = 0  # positions looked at closely

    def play(self, number: int) -> Played:
        """Play one game to its end, or to the first problem that leaves no way on."""
        played = Played(number)
        dice, choices = Dice(self.seed, "game", number), self.bench.dice("choices", number)
        self.report.at(number, None, None)
        position = self.check_start(number, dice)
        while len(played.actions) <= self.game.max_actions:
            self.report.at(number, self.game, position)
            before = position.copy()
            seat = self.bench.turn(position)
            seats = len(self.game.seats)
            if not self.report.expect(
                "turn", seat == OVER or 0 <= seat < seats, f"turn says {seat} of {seats} seats"
            ):
                return played
            if seat == OVER:
                self.report.expect(
                    "max_actions", len(played.actions) <= self.game.max_actions, "too long"
                )
                self.check_end(position, number)
                played.final = position
                return played
            mask = self.check_legal(position)
            untouched = np.array_equal(position, before)
            self.report.expect("own array", untouched, "turn or legal changed the position")
            if not mask.any():
                return played
            if self.frames is not None:
                self.frames.look(position, seat, mask, number)
            action = self.bench.random_action(mask, choices)
            close = closely(len(played.actions), choices)
            if close:
                self.look_closely(position, mask, number)
                self.check_visibility(position, seat, action)
            position = self.check_apply(position, seat, action, dice)
            if close:
                check_events(self.bench, before, action, position)
            played.actions.append(action)
        self.report.at(number, None, None)
        self.report.expect("max_actions", False, f"more than {self.game.max_actions} actions")
        return played

    def check_start(self, number: int, dice: Dice) -> Position:
        """Check that the start is made from the dice alone."""
        again = copied(dice)
        position = self.bench.start(dice)
        other = self.bench.start(again)
        same = np.array_equal(position, other) and np.array_equal(dice.array, again.array)
        self.report.expect("start", same, "the same dice give another start")
        self.report.expect("start", self.bench.turn(other) != OVER, "over before it begins")
        self.note_dice(dice)
        if not self.game.chance:
            other = self.bench.start(self.bench.dice("other", number))
            same = np.array_equal(position, other)
            self.report.expect("chance", same, "no chance is declared, but the start depends on it")
        return position

    def note_dice(self, dice: Dice) -> None:
        """Remember whether dice were thrown, and check that they are allowed to be."""
        thrown = bool(dice.array[2])
        self.thrown |= thrown
        if not self.game.chance:
            self.report.expect("chance", not thrown, "no chance is declared, but dice are thrown")

    def check_legal(self, position: Position) -> NDArray[np.bool_]:
        """Check the legal actions, and that they do not depend on what the mask held before."""
        count, mask = self.bench.legal(position)
        marked = int(mask.sum())
        self.report.expect("legal", count == marked, f"{count} counted, {marked} marked")
        self.report.expect("legal", marked > 0, "no action is legal, but the game is not over")
        _, again = self.bench.legal(position, before=True)
        self.report.expect(
            "legal", np.array_equal(again, mask), "the mask depends on what was in it before"
        )
        draw = self.game.rules.random_action
        if draw is not None and not draws_by_mask(draw) and marked:
            dice = self.bench.dice("random action", self.report.checked["legal"])
            drawn = int(draw(position, dice.array))
            known = 0 <= drawn < len(mask) and bool(mask[drawn])
            self.report.expect("legal", known, f"random_action draws {drawn}, which is not legal")
        return mask

    def check_apply(self, position: Position, seat: int, action: int, dice: Dice) -> Position:
        """Play an action, more than once, and check that it goes the same way."""
        again, with_luck, name = copied(dice), copied(dice), self.game.notation.action_name
        after = self.bench.apply(position, action, dice)
        other = self.bench.apply(position, action, again)
        self.report.expect(
            "apply",
            np.array_equal(after, other) and np.array_equal(dice.array, again.array),
            lambda: f"'{name(action)}' with the same dice leads elsewhere the second time",
        )
        self.report.expect(
            "apply",
            np.array_equal(dice.array[:2], with_luck.array[:2]),
            lambda: f"'{name(action)}' puts other dice in place of those it was given",
        )
        if not self.game.chance:
            other = self.bench.apply(position, action, self.bench.dice("other", action))
            self.report.expect(
                "chance",
                np.array_equal(after, other),
                lambda: f"no chance is declared, but the dice decide what '{name(action)}' does",
            )
        self.note_dice(dice)
        self.luck.check(position, action, with_luck, after, dice)
        if (
            self.game.turn_ending_actions is not None
            and action not in self.game.turn_ending_actions
        ):
            turn = self.bench.turn(after)
            self.report.expect(
                "turn_ending_actions",
                turn in (seat, OVER),
                lambda: f"'{name(action)}' closes no turn, but passes it from {seat} to {turn}",
            )
        return after

    def look_closely(self, position: Position, mask: NDArray[np.bool_], number: int) -> None:
        """Make the checks that take long."""
        self.looks += 1
        thorough = self.looks % ONE_LOOK_IN == 1
        self.hidden |= check_views(self.bench, position, number, thorough)
        legal = [int(action) for action in np.flatnonzero(mask)]
        if legal:
            check_actions(self.bench, legal)
        line = check_position_text(self.bench, position)
        for seat in range(len(self.game.seats)) if self.game.hidden else ():
            with self.report.no_exception("hide", "hiding"):
                check_position_text(self.bench, self.bench.hide(position, seat))
        if thorough:
            check_drawing(self.bench, position)
            name = self.game.notation.action_name(legal[-1]) if legal else "x"
            check_nonsense(self.bench, line, name, number)

    def check_visibility(self, position: Position, seat: int, action: int) -> None:
        """Check that who acts knows what it did, and that secret actions are declared."""
        if self.game.action_visible_to is None:
            return
        with self.report.no_exception("hidden", "asking who sees an action"):
            told = [
                self.game.action_visible_to(position, action, each)
                for each in range(len(self.game.seats))
            ]
            self.report.expect("hidden", bool(told[seat]), "a seat does not see its own action")
            self.report.expect(
                "hidden", all(told) or self.game.hidden, "a secret action, but hidden is False"
            )

    def check_end(self, position: Position, number: int) -> None:
        """Check the scores of a finished game, and that nothing can be played any more."""
        count, mask = self.bench.legal(position, before=True)
        self.report.expect("over", not count and not mask.any(), "over, but actions are legal")
        reason = self.game.notation.reason(position)
        self.report.expect("over", bool(reason.strip()), "no reason why the game is over")
        self.look_closely(position, mask, number)
        scores = self.bench.scores(position)
        same = np.array_equal(scores, self.bench.scores(position, before=1.0))
        self.report.expect("bounds", same, f"scores are not written whole, or not twice: {scores}")
        for name, mark, (low, high) in zip(
            self.game.seats, scores, self.game.score_bounds, strict=False
        ):
            self.report.expect(
                "bounds", low <= mark <= high, f"{name} has {mark:g}, not from {low:g} to {high:g}"
            )
        self.check_measures(position)
        total = float(scores.sum())
        self.sums.append(total)
        self.scored |= bool(scores.any())
        if self.game.zero_sum:
            zero = abs(total) < MOST_DIFFERENCE
            self.report.expect("zero sum", zero, f"the scores {scores} add up to {total:g}")

    def check_measures(self, position: Position) -> None:
        """Check what else is told of a finished game, for games that tell something."""
        before = position.copy()
        with self.report.no_exception("measures", "measuring"):
            values = self.bench.measures(position)
            again = self.bench.measures(position, before=1.0)
            finite = bool(np.isfinite(values).all())
            self.report.expect("measures", finite, f"not all are finite numbers: {values.tolist()}")
            self.report.expect(
                "measures",
                np.array_equal(values, again, equal_nan=True),
                f"not written whole, or not the same twice: {values.tolist()}",
            )
        untouched = np.array_equal(position, before)
        self.report.expect("own array", untouched, "measure changed the position")

    def check_all_games(self, games: int) -> None:
        """Check what only many games together can show."""
        report, game = self.report, self.game
        report.at(None, None, None)
        self.bench.check_fences()
        self.luck.check_means()
        if self.frames is not None:
            self.frames.check()
        if games < FEW_GAMES or len(self.sums) < games:
            return
        if game.chance:
            report.expect("chance", self.thrown, "chance is declared, but no dice were ever thrown")
        if game.hidden:
            report.expect("hidden", self.hidden, "hidden is declared, but every seat sees all")
        if not game.zero_sum:
            honest = not self.scored or any(abs(total) > MOST_DIFFERENCE for total in self.sums)
            report.expect(
                "zero sum", honest, "declared not to be zero-sum, but all scores added up to zero"
            )


def closely(played: int, choices: Dice) -> bool:
    """Say whether to look at a position closely: often at first, then now and again."""
    return played & (played - 1) == 0 or choices.below(ONE_IN) == 0


def check_game(game: Game, games: int = 20, seed: int = 0) -> Report:
    """Play random games and check every declared fact and every promise of the contract.

    ``assert not check_game(game).problems`` is all a test needs.

    >>> from sandtable.registry import make_game
    >>> check_game(make_game("lucid"), games=1).problems
    []
    """
    report = Report(f"game {game.spec}", GAME_PROMISES)
    check_facts(game, report)
    walk = Walk(game, report, seed)
    all_played: list[Played] = []
    for number in range(games):
        with report.no_exception("apply", "playing a game"):
            all_played.append(walk.play(number))
            report.games += 1
            report.actions += len(all_played[-1].actions)
    walk.check_all_games(games)
    finished = [
        (each.number, each.actions, each.final) for each in all_played if each.final is not None
    ]
    for number, actions, final in finished:
        with report.no_exception("state", "playing with State"):
            check_state(game, report, seed, number, actions, final)
    if finished and not report.problems:
        with report.no_exception("batch", "playing in a Batch"):
            check_batch(game, report, seed, finished)
    return report
