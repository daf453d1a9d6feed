"""check_agent: lets an agent play every game several times, in different ways, and compares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from sandtable.agent import Agent, CompiledPolicy
from sandtable.conformance.bench import Fenced, copied
from sandtable.conformance.report import Report
from sandtable.dice import Dice
from sandtable.errors import WrongSeats
from sandtable.registry import check_seat, make_agent, make_game
from sandtable.specs import parse_spec
from sandtable.types import OVER, Game, State

__all__ = ["AGENT_PROMISES", "check_agent"]

AGENT_PROMISES = {
    "answers": "it answers every view with whole numbers, and raises nothing",
    "legal": "it plays legal actions, and none beyond the end of its turn",
    "view": "it leaves its view as it is",
    "dice": "it throws the dice it is given and puts no others in their place",
    "same answers": "the same views and dice give the same answers",
    "begin": "a new game can begin before the old one is finished, and is not changed by it",
    "policy": "its compiled policy plays exactly the same games",
}
ANSWERS_BEFORE_LEAVING = 2  # in a game that is broken off by the begin of the next
UNFINISHED = 10_000  # added to the number of a game that is broken off

Answers = list[list[int]]


class Player(Protocol):
    """One way in which an agent can be asked."""

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Begin a game."""

    def answer(self, view: State, dice: Dice) -> list[int]:
        """Return the actions for a view."""

    def watch(self, view: State, action: int | None) -> None:
        """See an action of any seat."""

    def finish(self, state: State) -> None:
        """See the end of a game."""


class PythonPlayer:
    """Asks an agent as the arena does."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def hook(self, name: str, *arguments: Any) -> None:
        """Call an optional method."""
        method: Callable[..., Any] | None = getattr(self.agent, name, None)
        if method is not None:
            method(*arguments)

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Begin a game."""
        self.hook("begin", game, seat, dice)

    def answer(self, view: State, dice: Dice) -> list[int]:
        """Return the actions for a view."""
        answer = self.agent.choose(view, dice)
        if isinstance(answer, (int, np.integer)):
            return [int(answer)]
        return [int(action) for action in answer]

    def watch(self, view: State, action: int | None) -> None:
        """See an action of any seat."""
        self.hook("watch", view, action)

    def finish(self, state: State) -> None:
        """See the end of a game."""
        self.hook("finish", state.outcome)


class PolicyPlayer:
    """Asks the kernel of an agent, with a memory of its own."""

    def __init__(self, policy: CompiledPolicy, report: Report) -> None:
        self.policy, self.report = policy, report

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Begin a game."""
        self.memory = np.array(self.policy.memory, dtype=np.int64)
        self.actions = Fenced((game.max_actions,), np.int16, 23130)

    def answer(self, view: State, dice: Dice) -> list[int]:
        """Return the actions for a view."""
        position = np.array(view.position)
        policy, actions = self.policy, self.actions.array
        count = int(policy.act(position, dice.array, self.memory, policy.constants, actions))
        fine = 0 < count <= len(self.actions.array) and self.actions.intact()
        self.report.expect("policy", fine, f"act returned {count}, or wrote beside its array")
        return [int(action) for action in self.actions.array[: max(count, 0)]]

    def watch(self, view: State, action: int | None) -> None:
        """Kernels see nothing but their views."""

    def finish(self, state: State) -> None:
        """Kernels do not care how it ends."""


class Sitting:
    """One seat of a game, played by one agent after the other with the same dice."""

    def __init__(self, game: Game, report: Report, seed: int, seat: int) -> None:
        self.game, self.report, self.seed, self.seat = game, report, seed, seat

    def play(self, player: Player, number: int, most: int | None = None) -> Answers:
        """Play a game against random opponents, or only the first answers of it."""
        answers: Answers = []
        dice, own_dice = (
            Dice(self.seed, "game", number),
            Dice(self.seed, f"agent {self.seat}", number),
        )
        others = Dice(self.seed, "conformance opponents", number)
        state = self.game.start(dice)
        player.begin(self.game, self.seat, own_dice)
        while (mover := state.turn) != OVER and (most is None or len(answers) < most):
            self.report.at(number, self.game, state.view(self.seat).position)
            if mover == self.seat:
                actions = self.ask(player, state.view(self.seat), own_dice)
                answers.append(actions)
            else:
                actions = [state.legal[others.below(len(state.legal))]]
            for action in actions:
                if not self.allowed(state, mover, action):
                    return answers
                shown = action if self.sees(state, action) else None
                state = state.play(action, dice)
                self.report.actions += 1
                player.watch(state.view(self.seat), shown)
            if not actions:
                return answers
        if state.turn == OVER:
            player.finish(state)
        return answers

    def sees(self, state: State, action: int) -> bool:
        """Say whether the seat of the agent learns which action is played here."""
        seen = self.game.action_visible_to
        return seen is None or bool(seen(state.position, action, self.seat))

    def ask(self, player: Player, view: State, dice: Dice) -> list[int]:
        """Get an answer, and check what the agent did to what it was given."""
        before, stream = view.position.tobytes(), copied(dice).array
        actions = player.answer(view, dice)
        self.report.expect("answers", bool(actions), "it answered with no action")
        self.report.expect("view", view.position.tobytes() == before, "it changed its view")
        same_stream = np.array_equal(stream[:2], dice.array[:2]) and stream[2] <= dice.array[2]
        self.report.expect("dice", same_stream, "it put other dice in place of those it was given")
        return actions

    def allowed(self, state: State, mover: int, action: int) -> bool:
        """Check one action of an answer against the rules."""
        if state.turn != mover:
            return self.report.expect("legal", False, "it answered beyond the end of its turn")
        known = 0 <= action < self.game.action_count
        name = self.game.notation.action_name(action) if known else str(action)
        legal = known and bool(state.mask[action])
        return self.report.expect("legal", legal, f"it played {name}, which is not legal")


def seats_of(game: Game, spec: str) -> list[int]:
    """Return the seats an agent can take."""
    parsed = parse_spec(spec)
    seats, problem = [], WrongSeats(f"'{spec}' plays no seat of {game.name}")
    for seat, name in enumerate(game.seats):
        try:
            check_seat(game, name, parsed)
        except WrongSeats as refusal:
            problem = refusal
            continue
        seats.append(seat)
    if not seats:
        raise problem
    return seats


def check_agent(spec: str, game_spec: str, games: int = 5, seed: int = 0) -> Report:
    """Let an agent play each of its seats against random opponents and check what it promises.

    >>> check_agent("lucid/axes-red", "lucid", games=1).problems
    []
    """
    game = make_game(game_spec)
    report = Report(f"agent {spec} in {game.spec}", AGENT_PROMISES)
    PythonPlayer(make_agent(spec)).hook("check")
    for seat in seats_of(game, spec):
        sitting = Sitting(game, report, seed, seat)
        with report.no_exception("answers", f"playing {game.seats[seat]}"):
            check_sitting(sitting, spec, games)
    return report


def check_sitting(sitting: Sitting, spec: str, games: int) -> None:
    """Play every game by a fresh agent, by another fresh one, by a used one, and by the kernel."""
    report = sitting.report
    used = make_agent(spec)
    makers: list[Agent] = [used]
    for number in range(games):
        first, second = make_agent(spec), make_agent(spec)
        makers += [first, second]
        answers = sitting.play(PythonPlayer(first), number)
        report.games += 1
        same = sitting.play(PythonPlayer(second), number) == answers
        report.at(number, None, None)
        report.expect("same answers", same, "the same views and dice got other answers")
        with report.no_exception("begin", "breaking off one game and beginning another"):
            sitting.play(PythonPlayer(used), UNFINISHED + number, ANSWERS_BEFORE_LEAVING)
            again = sitting.play(PythonPlayer(used), number)
            report.at(number, None, None)
            report.expect("begin", again == answers, "an agent used before plays another game")
        policy = getattr(first, "policy", lambda game: None)(sitting.game)
        if policy is not None:
            by_kernel = sitting.play(PolicyPlayer(policy, report), number)
            report.at(number, None, None)
            same = flat(by_kernel) == flat(answers)
            report.expect("policy", same, "the compiled policy plays another game")
    for agent in makers:
        PythonPlayer(agent).hook("close")


def flat(answers: Answers) -> list[int]:
    """Return all actions in a row: a kernel may answer one by one what Python answers at once."""
    return [action for actions in answers for action in actions]
