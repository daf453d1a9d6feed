"""Mistakes in a finished game: what a seat gave away by its decisions, with luck taken out.

A decision is a turn as its seat saw it. An agent that values turns says what it would have played
and what that and the turn played were worth to the seat *before* the dice fell and before anything
hidden was turned over. The difference is what was given away: luck has no part in it, and neither
has what the seat could not know, for nothing but its views is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sandtable.agent import Agent, Analysis, Candidate, Scale, offers
from sandtable.agents.human.hints import GENERAL_JUDGE, usual_adviser
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.records.record import Record
from sandtable.records.replay import replay, turns
from sandtable.registry import agent_factory, check_seat, make_agent
from sandtable.specs import parse_spec
from sandtable.types import Game, State

__all__ = [
    "Decision",
    "GivenAway",
    "Judge",
    "Verdict",
    "decisions_of",
    "given_away",
    "judge_for",
    "people_of",
    "scale_of",
    "unit_of",
    "worst",
]

SMALLEST = {"chance": 0.02, "score": 0.1}  # less is within what judges differ by
PEOPLE = "human"
FAVOURITES = 3  # of an agent that are looked at closely, where nothing is left to chance
LOOKS = 4  # at what seemed a mistake, each with dice of its own


@dataclass(frozen=True)
class Decision:
    """One turn as its seat saw it: its view before every action, and the actions.

    >>> Decision(0, 12, (), (3, 5)).last
    14
    """

    seat: int
    ply: int  # actions that were played before
    views: tuple[State, ...]
    actions: tuple[int, ...]

    @property
    def last(self) -> int:
        """How many actions were played when it was over."""
        return self.ply + len(self.actions)


@dataclass(frozen=True)
class Verdict:
    """What was played, what would have been better, and what both were worth beforehand.

    >>> round(Verdict(0, (3,), (5,), 0.4, 0.7).loss, 2)
    0.3
    """

    first: int  # which action of the turn it begins with
    played: tuple[int, ...]
    better: tuple[int, ...]
    played_value: float
    better_value: float
    difference: float = 0.0  # in the whole turn; below 0 where more was found than the judge did

    @property
    def loss(self) -> float:
        """How much was given away."""
        return max(0.0, self.better_value - self.played_value)

    def as_data(self) -> dict[str, Any]:
        """Return it as data; ``Verdict(**data)`` with tuples reads it back."""
        return {
            "first": self.first,
            "played": list(self.played),
            "better": list(self.better),
            "played_value": self.played_value,
            "better_value": self.better_value,
            "difference": self.difference,
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Verdict:
        """Read it from data.

        >>> verdict = Verdict(0, (3,), (5,), 0.4, 0.7)
        >>> Verdict.from_data(verdict.as_data()) == verdict
        True
        """
        return cls(
            int(data["first"]),
            tuple(data["played"]),
            tuple(data["better"]),
            float(data["played_value"]),
            float(data["better_value"]),
            float(data["difference"]),
        )


@dataclass(frozen=True)
class GivenAway:
    """What a seat gave away in all its turns that were judged: the sum of their differences.

    >>> GivenAway(4, 1.0).a_turn
    0.25
    """

    turns: int
    total: float

    @property
    def a_turn(self) -> float:
        """How much it was in a turn, on average."""
        return self.total / self.turns if self.turns else 0.0


def given_away(verdicts: Sequence[Verdict]) -> GivenAway:
    """Return what was given away altogether.

    Turns that were worth more than what the judge would have played are set off against the others:
    where a judge is not sure of its values, it finds as many of these as of mistakes, and a sum of
    mistakes alone would grow with every turn. A judge that cannot be asked about any turn
    (``turn_values``) finds none of them, for its own turn is the best of one search: its sums lean
    upwards, the more the less sure it is.

    >>> found = [Verdict(0, (3,), (5,), 0.4, 0.7, 0.3), Verdict(0, (3,), (3,), 0.5, 0.5, -0.1)]
    >>> round(given_away(found).total, 2)
    0.2
    """
    return GivenAway(len(verdicts), sum(verdict.difference for verdict in verdicts))


def decisions_of(record: Record, seat: int | None = None) -> list[Decision]:
    """Return the turns of a recorded game, of all seats or of one, as their seats saw them."""
    found: list[Decision] = []
    for turn in turns(replay(record)):
        if seat is None or turn.seat == seat:
            views = tuple(step.before.view(turn.seat) for step in turn.steps)
            actions = tuple(step.action for step in turn.steps)
            found.append(Decision(turn.seat, turn.steps[0].number - 1, views, actions))
    return found


def people_of(record: Record) -> list[int]:
    """Return the seats that people held; all of them where programs played each other."""
    people = [seat for seat, spec in enumerate(record.seats) if parse_spec(spec).name == PEOPLE]
    return people or list(range(len(record.seats)))


def scale_of(game: Game) -> Scale:
    """Return the one scale in which values of a game are told: chances, or points.

    >>> from sandtable.registry import make_game
    >>> scale_of(make_game("skirmish")), scale_of(make_game("lucid"))
    ('chance', 'score')
    """
    return "chance" if game.has_winner else "score"


def unit_of(game: Game) -> str:
    """Return what is given away in a game: so much "of the ..." or so many "... of the ...".

    >>> from sandtable.registry import make_game
    >>> unit_of(make_game("skirmish")), unit_of(make_game("lucid"))
    ('chance to win', 'units of the final score')
    """
    return "chance to win" if game.has_winner else f"{game.score_unit} of the final score"


def judge_for(game: Game, seat: int) -> str:
    """Return the agent that judges a seat unless another one is named.

    >>> from sandtable.registry import make_game
    >>> judge_for(make_game("lucid"), 1)
    'lucid/champion-red'
    """
    best = usual_adviser(game, seat)
    return best if best is not None and judges(best, game) else GENERAL_JUDGE


def judges(spec: str, game: Game) -> bool:
    """Say whether an agent values turns in the scale of the game."""
    factory = agent_factory(parse_spec(spec).name)
    return offers(factory, "analyse") and getattr(factory, "scale", None) in (
        scale_of(game),
        Agent.scale,  # general searches take the scale of the game
    )


class Judge:
    """An agent that judges the decisions of one seat.

    >>> from contextlib import closing
    >>> from sandtable.registry import make_game
    >>> with closing(Judge(make_game("skirmish"), 0)) as judge:
    ...     judge.name
    'skirmish/champion'
    """

    def __init__(self, game: Game, seat: int, spec: str | None = None) -> None:
        self.game, self.seat = game, seat
        self.name = spec or judge_for(game, seat)
        parsed = parse_spec(self.name)
        check_seat(game, game.seats[seat], parsed)
        if not judges(self.name, game):
            raise SandtableError(
                f"'{parsed.name}' does not value turns by {unit_of(game)}; name another"
            )
        self.agent = make_agent(self.name)
        self.agent.check()

    def fresh(self) -> None:
        """Have the agent forget what it looked at before: no turn is judged by another."""
        self.agent.begin(self.game, self.seat, Dice(0, "judge"))

    def close(self) -> None:
        """Let the agent go."""
        self.agent.close()

    def verdict(self, decision: Decision) -> Verdict | None:
        """Judge one turn; None: there was no choice, or the agent has no opinion about it.

        Where the agent values single actions, a turn of several is judged action by action, and
        the verdict is about the worst of them.
        """
        self.fresh()
        dice = Dice(0, "mistakes", decision.ply)
        worst: Verdict | None = None
        total = 0.0
        at = 0
        while at < len(decision.actions):
            view = decision.views[at]
            if len(view.legal) == 1:
                at += 1
                continue
            analysis = self.agent.analyse(view, dice) if self.agent.has_opinion(view) else None
            if analysis is None or analysis.scale != scale_of(self.game) or not analysis.candidates:
                break
            whole = self.compares or any(len(each.actions) > 1 for each in analysis.candidates)
            played = decision.actions[at:] if whole else decision.actions[at : at + 1]
            found = self.compared(view, analysis, played, dice)
            if found is not None:
                total += found.difference
                if worst is None or found.loss > worst.loss:
                    worst = replace(found, first=at)
            at += len(played)
        return None if worst is None else replace(worst, difference=total)

    @property
    def compares(self) -> bool:
        """Whether the agent values any turn it is asked about."""
        return offers(self.agent, "turn_values")

    def compared(
        self, view: State, analysis: Analysis, played: tuple[int, ...], dice: Dice
    ) -> Verdict | None:
        """Compare what was played with what the agent would play."""
        choices = [each.actions for each in analysis.candidates[: self.looked_at]]
        if len(choices) == 1 and same_turn(choices[0], played):
            value = (analysis.candidates[0].value or analysis.value) or 0.0
            return Verdict(0, played, played, value, value)
        values = self.values(view, [*choices, played], dice, analysis)
        if values is None:
            return None
        best = max(range(len(choices)), key=lambda place: values[place])
        if same_turn(choices[best], played):
            return Verdict(0, played, played, values[-1], values[-1])
        difference = values[best] - values[-1]
        if difference <= 0:
            return Verdict(0, played, played, values[-1], values[-1], difference)
        return Verdict(0, played, choices[best], values[-1], values[best], difference)

    @property
    def looked_at(self) -> int:
        """How many of the agent's favourites are compared: one where values scatter with the dice.

        There the best of several would mostly be the luckiest. Where nothing is left to chance, a
        closer look decides between what a quick one liked.
        """
        return FAVOURITES if self.certain else 1

    @property
    def certain(self) -> bool:
        """Whether a value is the same at every look."""
        return self.compares and not (self.game.chance or self.game.hidden)

    def values(
        self,
        view: State,
        wanted: Sequence[tuple[int, ...]],
        dice: Dice,
        analysis: Analysis | None = None,
    ) -> list[float] | None:
        """Return what turns are worth: as the agent compares them, or among its candidates."""
        if self.compares:
            told = self.agent.turn_values(view, wanted, dice)
            return None if told is None else [float(value) for value in told]
        analysis = analysis or self.agent.analyse(view, dice)
        found = [candidate_of(analysis, turn) for turn in wanted]
        values = [None if each is None else each.value for each in found]
        return None if None in values else [float(value) for value in values if value is not None]

    def second_look(self, decision: Decision, verdict: Verdict) -> Verdict:
        """Look again at a turn and the better one, with other dice: means that favour neither.

        What a first look takes for a mistake is often one of its own, just because the greatest
        differences are looked for; the looks here know nothing of the first.
        """
        if self.certain:
            return verdict
        pairs = []
        for look in range(LOOKS):
            self.fresh()
            dice = Dice(look + 1, "mistakes", decision.ply)
            found = self.values(
                decision.views[verdict.first], (verdict.better, verdict.played), dice
            )
            if found is not None:
                pairs.append(found)
        if not pairs:
            return verdict
        better, played = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
        return replace(verdict, better_value=better, played_value=played)


def same_turn(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Say whether two turns are the same but for the order before the last action.

    >>> same_turn((1, 2, 9), (2, 1, 9)), same_turn((1, 9), (2, 9))
    (True, False)
    """
    return one[-1:] == other[-1:] and sorted(one) == sorted(other)


def candidate_of(analysis: Analysis | None, turn: tuple[int, ...]) -> Candidate | None:
    """Return what an agent thought of a turn, if it did."""
    candidates = () if analysis is None else analysis.candidates
    return next((each for each in candidates if same_turn(each.actions, turn)), None)


def worst(
    found: Sequence[tuple[Decision, Verdict]], scale: Scale, count: int
) -> list[tuple[Decision, Verdict]]:
    """Return the decisions in which most was given away, the worst first; small losses are none.

    >>> small = Decision(0, 0, (), (3,)), Verdict(0, (3,), (5,), 0.40, 0.41)
    >>> great = Decision(0, 2, (), (3,)), Verdict(0, (3,), (5,), 0.20, 0.80)
    >>> [decision.ply for decision, _ in worst([small, great], "chance", 5)]
    [2]
    """
    serious = [each for each in found if each[1].loss >= SMALLEST.get(scale, 0.0)]
    return sorted(serious, key=lambda each: -each[1].loss)[:count]
