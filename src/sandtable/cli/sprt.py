"""``sandtable sprt``: is one agent better than another, with as few games as that takes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sandtable.cli import options
from sandtable.cli.common import (
    EXIT_STOPPED,
    new_command,
    print_resumed,
    print_stopped,
    write_json,
)
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.arena.play.run import Run, RunOptions
    from sandtable.arena.play.sequential_match import SequentialMatch, Tally
    from sandtable.arena.statistics.intervals import Estimate
    from sandtable.arena.statistics.sprt import RunningTest, SequentialTest, Verdict

command = new_command()

EXIT_UNDECIDED = 2
BAR = 25  # characters of the picture of the ratio
LEAN = (
    "intervals as if the number of games had been fixed: a test that may stop early leans to "
    "extremes"
)
LOW_HELP = "A lead in normalised Elo that is not enough."
HIGH_HELP = "A lead in normalised Elo that is."
ALPHA_HELP = "Chance to say yes at the lower lead."
BETA_HELP = "Chance to say no at the upper lead."


@command.command()
def sprt(
    game: options.GameArgument,
    first: Annotated[str, options.agents_argument("The agent that may be better.", "A")],
    second: Annotated[str, options.agents_argument("The agent it is compared with.", "B")],
    low: Annotated[float, typer.Option("--low", help=LOW_HELP)] = 0.0,
    high: Annotated[float, typer.Option("--high", help=HIGH_HELP)] = 20.0,
    alpha: Annotated[float, typer.Option("--alpha", help=ALPHA_HELP)] = 0.05,
    beta: Annotated[float, typer.Option("--beta", help=BETA_HELP)] = 0.05,
    most: Annotated[
        int, options.games_option("Give up after so many games.", "--most", least=2)
    ] = 20_000,
    against: options.OpponentOption = None,
    vary: options.VaryOption = [],  # noqa: B006 - typer makes a list for every call
    suite: options.SuiteOption = None,
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = None,
    json: options.JsonOption = None,
    archive: options.ArchiveOption = None,
    move_time: options.MoveTimeOption = 60.0,
    cluster: options.ClusterOption = None,
    fresh: options.FreshOption = False,
) -> None:
    """Find out whether A is better than B, and stop as soon as that is clear.

    The sequential probability ratio test compares two leads in normalised Elo. If A's lead is the
    lower one (or less), it says yes with a chance of at most alpha; if it is the upper one (or
    more), it says no with a chance of at most beta. Deals are played in pairs with the seats
    exchanged, and looked at in batches; one may watch and stop at any time. The verdict is the
    same for any number of jobs, and after Ctrl-C the same command goes on.

    A game without dice needs a suite of levels; each is played once.

    Exit codes: 0 decided; 2 undecided after the most games; 130 stopped.

    Examples:

      sandtable sprt gravwell:players=2 gravwell/decision-tree random --low 0 --high 30

      sandtable sprt skirmish skirmish/greedy random --vary level=random-0..499

      sandtable sprt lucid lucid/champion-blue lucid/one-axis-blue --against lucid/axes-red
    """
    from sandtable.arena.play.run import RunOptions
    from sandtable.arena.play.sequential_match import make_sequential_match
    from sandtable.arena.statistics.sprt import UNDECIDED, SequentialTest
    from sandtable.cli.tournament import chosen_suite

    test = SequentialTest(low, high, alpha, beta)
    specs = chosen_suite(game, vary, suite)
    check_dice(specs, [first, second, *([against] if against else [])])
    match = make_sequential_match(specs, (first, second), against, most, seed, move_time or None)
    how = RunOptions(jobs=jobs, cluster=cluster, archive=archive, resume=True, fresh=fresh)
    if decide(match, test, how, seed, json).decision == UNDECIDED:
        raise typer.Exit(EXIT_UNDECIDED)


def check_dice(specs: list[str], agents: list[str]) -> None:
    """Refuse a single level of a game in which neither it nor an agent throws dice."""
    from sandtable.arena.play.behaviour import throws_dice
    from sandtable.registry import make_game

    game = make_game(specs[0])
    if len(specs) == 1 and not game.chance and not any(throws_dice(specs[0], a) for a in agents):
        raise SandtableError(
            f"neither {specs[0]} nor these agents throw dice, so all deals would be the same; "
            "give it levels or set-ups with --vary, or an agent that varies"
        )


def decide(
    match: SequentialMatch, test: SequentialTest, how: RunOptions, seed: int, json: Path | None
) -> Verdict:
    """Play until the test has ended and tell what it says; Ctrl-C ends the command."""
    from sandtable.arena.play.run import Run
    from sandtable.arena.play.sequential_match import Tally
    from sandtable.arena.statistics.sprt import RunningTest
    from sandtable.cli.progress import live_view

    if json:
        write_json(json, None)
    tally = Tally(match)
    running = RunningTest(test, tally.games_of_a_result)
    view = live_view(
        f"{match.first} - {match.second}",
        match.games,
        lambda: "\n".join(result_lines(match, test, running.verdict, so_far=True)),
        lambda: in_words(test, running.verdict),
    )
    with view as advance, Run(match.plans, how) as run:
        print_resumed(run)
        stopped = play(run, running, tally, advance)
        verdict = running.verdict
        if not stopped:
            if json:
                write_json(json, as_data(match, test, verdict, seed))
            run.complete()
    for line in result_lines(match, test, verdict, so_far=stopped):
        typer.echo(line)
    if tally.forfeits:
        count = f"{tally.forfeits:,} games were forfeited, and count as lost"
        typer.echo(f"warning: {count}; the first: {tally.first_reason}", err=True)
    if stopped:
        print_stopped(verdict.deals * match.games_of_a_deal, match.games, run)
        raise typer.Exit(EXIT_STOPPED)
    if json:
        typer.echo(f"Results: {json}")
    return verdict


def play(run: Run, running: RunningTest, tally: Tally, advance: Any) -> bool:
    """Play until the test is decided or the games run out; say whether it was stopped before."""
    from sandtable.arena.statistics.sprt import UNDECIDED

    try:
        for plan, chunk in run.chunks():
            tally.add(plan, chunk)
            advance(len(chunk.scores))
            if running.add(tally.results()).decision != UNDECIDED:
                return False
    except KeyboardInterrupt:
        return True
    return False


def result_lines(
    match: SequentialMatch, test: SequentialTest, verdict: Verdict, *, so_far: bool
) -> list[str]:
    """Say what is known, and how it came about."""
    counts = verdict.counts
    lowest, highest = test.limits
    met = f" against {match.against}" if match.against else ""
    named = list(zip(counts.values, counts.counts, strict=True))
    lines = [
        f"{match.first} - {match.second}{met}: lead of {test.low:g} or of {test.high:g} "
        "points of normalised Elo?",
        f"  log-likelihood ratio  {verdict.ratio:+.3f}  {ratio_bar(verdict.ratio, test)}  "
        f"({lowest:+.3f} to {highest:+.3f})",
        f"  {verdict.deals:,} deals of {games_text(counts.games)}, by points won:  "
        + ", ".join(f"{value:g}: {count:,}" for value, count in named),
    ]
    if verdict.deals > 1:
        lines += [
            f"  points won  {percent(counts.share())}",
            f"  Elo  {points(counts.elo())}",
            f"  normalised Elo  {points(counts.normalised_elo())}",
            f"  ({LEAN})",
        ]
    return [*lines, "  so far undecided" if so_far else conclusion(match, test, verdict)]


def games_text(games: int) -> str:
    """Write how many games a deal has."""
    return "1 game" if games == 1 else f"{games} games"


def conclusion(match: SequentialMatch, test: SequentialTest, verdict: Verdict) -> str:
    """Return the verdict in a sentence."""
    from sandtable.arena.statistics.sprt import ACCEPTED, REJECTED

    if verdict.decision == ACCEPTED:
        return (
            f"yes: {match.first} leads; with a lead of {test.low:g} or less this happens in at "
            f"most {test.alpha:.0%} of tests"
        )
    if verdict.decision == REJECTED:
        return (
            f"no: not by {test.high:g} points; with such a lead this happens in at most "
            f"{test.beta:.0%} of tests"
        )
    return "undecided: the games have run out; --most or a longer suite allows more"


def in_words(test: SequentialTest, verdict: Verdict) -> str:
    """Say in a few words where the test stands."""
    lowest, highest = test.limits
    return f"ratio {verdict.ratio:+.2f} between {lowest:+.2f} and {highest:+.2f}"


def ratio_bar(ratio: float, test: SequentialTest) -> str:
    """Draw where the ratio stands between its limits."""
    lowest, highest = test.limits
    place = round((BAR - 1) * (min(max(ratio, lowest), highest) - lowest) / (highest - lowest))
    return "|" + "-" * place + "o" + "-" * (BAR - 1 - place) + "|"


def percent(estimate: Estimate) -> str:
    """Write a share with its interval."""
    if not estimate.shown:
        return f"{estimate.mean:.1%} (no interval: {estimate.reason})"
    return f"{estimate.mean:.1%} ({estimate.low:.1%} to {estimate.high:.1%})"


def points(estimate: Estimate) -> str:
    """Write points with their interval."""
    if math.isnan(estimate.mean):
        return f"- ({estimate.reason})"
    if not estimate.shown:
        return f"{estimate.mean:+.1f} (no interval: {estimate.reason})"
    return f"{estimate.mean:+.1f} ({estimate.low:+.1f} to {estimate.high:+.1f})"


def as_data(
    match: SequentialMatch, test: SequentialTest, verdict: Verdict, seed: int
) -> dict[str, Any]:
    """Return the result as documented in docs/tournaments.md."""
    from sandtable.arena.statistics.sprt import UNDECIDED

    counts = verdict.counts
    lowest, highest = test.limits

    def plain(estimate: Estimate) -> dict[str, float | str | None]:
        values = {name: getattr(estimate, name) for name in ("mean", "low", "high")}
        found: dict[str, float | str | None] = {
            name: round(each, 6) if math.isfinite(each) else None for name, each in values.items()
        }
        return found | ({"no_interval": estimate.reason} if estimate.reason else {})

    return {
        "format": "sandtable-sprt",
        "format_version": 1,
        "suite": list(match.suite),
        "agents": [match.first, match.second],
        "against": match.against,
        "seed": seed,
        "low": test.low,
        "high": test.high,
        "alpha": test.alpha,
        "beta": test.beta,
        "batch": test.batch,
        "limits": [round(lowest, 6), round(highest, 6)],
        "decision": verdict.decision,
        "log_likelihood_ratio": round(verdict.ratio, 6),
        "deals": verdict.deals,
        "games_of_a_deal": counts.games,
        "results": list(counts.values),
        "counts": list(counts.counts),
        "leans_to_extremes": test.decision(verdict.ratio) != UNDECIDED,
        "note": LEAN,
        "share": plain(counts.share()),
        "elo": plain(counts.elo()),
        "normalised_elo": plain(counts.normalised_elo()),
    }
