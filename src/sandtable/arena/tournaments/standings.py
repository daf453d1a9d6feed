"""What a tournament shows: standings, who beat whom, ratings, and cycles."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sandtable.arena.play.plan import Chunk, Results
from sandtable.arena.statistics.alpha_rank import alpha_rank, cycles
from sandtable.arena.statistics.intervals import LEVEL, Estimate, simultaneous_level
from sandtable.arena.statistics.ratings import Rating
from sandtable.arena.statistics.results import number
from sandtable.arena.statistics.totals import MOST_KEPT
from sandtable.arena.tournaments.counted import CountedGames, may_be_counted
from sandtable.arena.tournaments.ledger import Figures, Ledger
from sandtable.arena.tournaments.schedules import GAUNTLET, Tournament
from sandtable.registry import make_game

__all__ = ["AgentStanding", "Cycle", "Forfeited", "Games", "TournamentResult", "conclude"]

EVEN = 0.5
NO_DICE = (
    "neither this game nor some of these agents throw dice: their deals are all alike and count as "
    "one; a suite of several levels or set-ups says more"
)
NO_MORE_DEALS = (
    "this game has no dice, and in some matches all deals on a level went the same: one deal tells "
    "as much, more levels tell more"
)


@dataclass(frozen=True)
class AgentStanding:
    """How one agent did against everybody it met."""

    agent: str
    seats: tuple[str, ...]  # those it sat in
    games: int
    score: Estimate
    adjusted: Estimate | None  # freed of luck, for games that count it
    wins: Estimate | None  # share of games won, for games that have winners
    rating: Rating | None
    behind: Estimate | None  # the leader's lead on the same deals; None: it is the leader
    mass: float | None  # by alpha-rank, if there are cycles
    forfeits: int

    @property
    def sure(self) -> bool:
        """Whether the leader's lead holds together with those of all other pairs."""
        return self.behind is not None and self.behind.tested[0] > 0


@dataclass(frozen=True)
class Cycle:
    """Agents of whom each beats the next by some way round, by leads that hold all together."""

    agents: tuple[str, ...]


@dataclass(frozen=True)
class Forfeited:
    """A game that somebody could not finish."""

    match: int
    number: int
    agent: str
    reason: str


@dataclass(frozen=True)
class TournamentResult:
    """How a tournament went, or how it stands."""

    tournament: Tournament
    winners: bool  # the game has winners: shares and ratings count; otherwise the mean score
    games: int
    standings: tuple[AgentStanding, ...]  # the best first; in games of unlike seats by seat
    cross: dict[tuple[str, str], Estimate]  # share ahead of the other, or the mean score against it
    cycles: tuple[Cycle, ...]
    forfeits: tuple[Forfeited, ...]
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all games have been played; if not, all intervals are of a run in progress."""
        return self.games == self.tournament.games

    def as_data(self) -> dict[str, Any]:
        """Return the result as documented in docs/tournaments.md."""
        plan = self.tournament
        return {
            "format": "sandtable-tournament",
            "format_version": 1,
            "kind": plan.kind,
            "suite": list(plan.suite),
            "seed": plan.seed,
            "deals": plan.deals,
            "matches": [
                {
                    "game": each.game,
                    "agents": list(each.agents),
                    "rotate": each.rotate,
                    "seed": each.seed,
                }
                for each in plan.matches
            ],
            "games": self.games,
            "games_wanted": plan.games,
            "complete": self.complete,
            "standings": [standing_data(each) for each in self.standings],
            "cross_table": [
                {"agent": one, "other": other, **estimate_data(estimate)}
                for (one, other), estimate in self.cross.items()
            ],
            "cycles": [{"agents": list(each.agents), "sure": True} for each in self.cycles],
            "forfeits": [vars(each) for each in self.forfeits],
            "notes": list(self.notes),
        }


def standing_data(standing: AgentStanding) -> dict[str, Any]:
    """Return one standing as plain data; what is not known is left out."""
    data: dict[str, Any] = {
        "agent": standing.agent,
        "seats": list(standing.seats),
        "games": standing.games,
        "forfeits": standing.forfeits,
    }
    for name in ("score", "adjusted", "wins", "behind"):
        estimate: Estimate | None = getattr(standing, name)
        if estimate:
            data[name] = estimate_data(estimate)
    if standing.behind:
        data["behind"]["sure"] = standing.sure
    if standing.rating:
        each = standing.rating
        data["rating"] = {
            "rating": number(each.rating), "low": number(each.low), "high": number(each.high),
            **({"no_interval": each.reason} if each.reason else {}),
        }  # fmt: skip
    if standing.mass is not None:
        data["alpha_rank"] = number(standing.mass)
    return data


def estimate_data(estimate: Estimate) -> dict[str, Any]:
    """Return an estimate as plain data."""
    names = ("mean", "low", "high")
    data = {name: number(getattr(estimate, name)) for name in names}
    why = {} if estimate.shown else {"no_interval": estimate.reason}
    return {**data, "observations": estimate.count, **why}


class Games:
    """The games of a tournament as they come in, match by match.

    From ``most_kept`` games on, only counts and sums are left of those whose deals are whole.
    """

    def __init__(self, tournament: Tournament, most_kept: int = MOST_KEPT) -> None:
        self.tournament = tournament
        self.most_kept = most_kept
        self.received = 0
        self.counted: CountedGames | None = None
        self.results = [
            Results(make_game(plan.game), len(plan.orders)) for plan in tournament.matches
        ]

    def add(self, match: int, chunk: Chunk) -> None:
        """Take in some games of a match."""
        self.received += len(chunk.scores)
        if self.counted:
            self.counted.add(match, chunk)
            return
        self.results[match].add(chunk)
        if self.received > self.most_kept:
            self.count()

    def count(self) -> None:
        """Go on with counts and sums, if they tell everything."""
        if not may_be_counted(self.tournament, self.results):
            self.most_kept *= 2
            return
        self.counted = CountedGames(self.tournament)
        for match, results in enumerate(self.results):
            for first in sorted(results.chunks):
                self.counted.add(match, results.chunks[first])
        self.results = []

    def conclude(self) -> TournamentResult:
        """Draw the conclusions from what is finished without gaps."""
        if self.counted:
            return concluded(self.counted.figures(), self.counted.forfeits)
        for each in self.results:
            each.close()
        return conclude(self.tournament, self.results)


def conclude(tournament: Tournament, results: Sequence[Results]) -> TournamentResult:
    """Draw the conclusions from the games of all matches, in the order of the schedule."""
    return concluded(Ledger(tournament, results), [each.forfeits for each in results])


def concluded(
    ledger: Figures, forfeited: Sequence[Sequence[tuple[int, int, str]]]
) -> TournamentResult:
    """Draw the conclusions from figures, and from the games [match] that somebody forfeited."""
    tournament = ledger.tournament
    winners = make_game(tournament.suite[0]).has_winner
    cross = cross_table(ledger, winners)
    found, mass = find_cycles(ledger, cross) if winners else ((), None)
    ratings = ledger.ratings() if winners and ledger.games else []
    forfeits = forfeits_of(tournament, forfeited)
    standings = [
        standing_of(ledger, agent, ratings, mass, forfeits, winners)
        for agent in range(len(tournament.agents))
    ]
    alike = not ledger.dice and any(map(ledger.same_deals, range(len(tournament.matches))))
    return TournamentResult(
        tournament=tournament,
        winners=winners,
        games=ledger.games,
        standings=ranked(ledger, standings, winners),
        cross=cross,
        cycles=found,
        forfeits=forfeits,
        notes=((NO_MORE_DEALS if ledger.levels_count else NO_DICE),) if alike else (),
    )


def standing_of(
    ledger: Figures,
    agent: int,
    ratings: Sequence[Rating],
    mass: Sequence[float] | None,
    forfeits: Sequence[Forfeited],
    winners: bool,
) -> AgentStanding:
    """Return how one agent did; who leads is not known yet."""
    name = ledger.tournament.agents[agent]
    seats = make_game(ledger.tournament.suite[0]).seats
    bounds = [make_game(spec).score_bounds for spec in ledger.tournament.suite]
    ends = [each for bound in bounds for each in bound]
    score_bounds = (min(low for low, _ in ends), max(high for _, high in ends))
    return AgentStanding(
        agent=name,
        seats=tuple(seats[seat] for seat in ledger.seats_of(agent) if seat < len(seats)),
        games=ledger.games_of(agent),
        score=ledger.score(agent, score_bounds),
        adjusted=ledger.score_without_luck(agent) if ledger.luck else None,
        wins=ledger.share_won(agent) if winners else None,
        rating=ratings[agent] if ratings else None,
        behind=None,
        mass=mass[agent] if mass is not None else None,
        forfeits=sum(each.agent == name for each in forfeits),
    )


def ranked(
    ledger: Figures, standings: Sequence[AgentStanding], winners: bool
) -> tuple[AgentStanding, ...]:
    """Order the agents by strength, and measure each by the best of those who did the same.

    Only agents that met the same others in the same seats can be compared deal by deal: in a
    gauntlet challengers with challengers, in a game of unlike seats those of one seat.
    """
    tournament = ledger.tournament

    def role(standing: AgentStanding) -> tuple[object, ...]:
        index = tournament.agents.index(standing.agent)
        side = tournament.kind == GAUNTLET and index < tournament.challengers
        return (() if winners else standing.seats, side)

    def strength(standing: AgentStanding) -> float:
        surest = standing.adjusted or standing.score
        return -(standing.rating.rating if standing.rating else surest.mean)

    roles = list(dict.fromkeys(map(role, standings)))
    separate = not winners
    order = sorted(
        standings, key=lambda each: (roles.index(role(each)) if separate else 0, strength(each))
    )
    leaders: dict[tuple[object, ...], AgentStanding] = {}
    found = []
    for each in order:
        leader = leaders.setdefault(role(each), each)
        found.append(replace(each, behind=lead_of(ledger, leader, each, winners)))
    return tuple(found)


def lead_of(
    ledger: Figures, leader: AgentStanding, other: AgentStanding, winners: bool
) -> Estimate | None:
    """Return by how much one agent leads another on the deals that both played."""
    if leader is other:
        return None
    one, second = (ledger.tournament.agents.index(each.agent) for each in (leader, other))
    return ledger.lead(one, second, winners, level_of_pairs(len(ledger.tournament.agents)))


def level_of_pairs(agents: int) -> float:
    """Return the level at which all differences of two agents hold together."""
    return simultaneous_level(agents * (agents - 1) // 2)


def cross_table(
    ledger: Figures, winners: bool, level: float = LEVEL
) -> dict[tuple[str, str], Estimate]:
    """Return for all who met: the share ahead of the other, or the mean score against it."""
    agents = ledger.tournament.agents
    found = {}
    for one, other in itertools.permutations(range(len(agents)), 2):
        estimate = ledger.meeting(one, other, winners, level)
        if estimate is not None:
            found[agents[one], agents[other]] = estimate
    return found


def find_cycles(
    ledger: Figures, cross: dict[tuple[str, str], Estimate]
) -> tuple[tuple[Cycle, ...], list[float] | None]:
    """Return the cycles, and the masses of alpha-rank if there are any.

    Among equal agents chance alone makes circles nearly always. So only leads count that hold even
    though there are many of them: if all agents were equal, a circle would be found in 5% at most.
    """
    agents = ledger.tournament.agents
    count = len(agents)
    shares = np.full((count, count), np.nan)
    holds = np.zeros((count, count), dtype=np.bool_)
    for place, estimate in placed(agents, cross).items():
        shares[place] = estimate.mean
    for place, estimate in placed(agents, cross_table(ledger, True, level_of_pairs(count))).items():
        holds[place] = estimate.tested[0] > EVEN
    found = tuple(Cycle(tuple(agents[each] for each in group)) for group in cycles(holds))
    return found, alpha_rank(shares).tolist() if found else None


def placed(
    agents: Sequence[str], cross: dict[tuple[str, str], Estimate]
) -> dict[tuple[int, int], Estimate]:
    """Return a cross table by the numbers of the agents."""
    return {(agents.index(one), agents.index(other)): each for (one, other), each in cross.items()}


def forfeits_of(
    tournament: Tournament, forfeited: Sequence[Sequence[tuple[int, int, str]]]
) -> tuple[Forfeited, ...]:
    """Return the games that somebody could not finish."""
    found = []
    for match, (plan, each) in enumerate(zip(tournament.matches, forfeited, strict=True)):
        for game, seat, reason in each:
            agent = plan.seated(game % len(plan.orders))[seat]
            found.append(Forfeited(match, game, agent, reason))
    return tuple(found)
