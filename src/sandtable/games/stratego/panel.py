"""``sandtable panel``: an agent of Stratego against players of other schools.

An agent that is only measured against its own kind flatters itself. The panel is always the same:
five scripted players who set up as people do, or wait behind bombs, and the two networks of the
2015 paper. Programs from outside join with ``--also``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from sandtable.cli import options
from sandtable.cli.common import complete_agent, new_command, write_json
from sandtable.cli.text import write

if TYPE_CHECKING:
    from sandtable.arena.play.match import MatchResult
    from sandtable.arena.play.plan import MatchPlan
    from sandtable.arena.statistics.results import AgentResult
    from sandtable.reports.pages import Sheet

__all__ = ["MEMBERS", "Member", "command", "panel_plans", "panel_sheet"]

command = new_command()

GAMES = 200
CHOOSE, DRAWN = "stratego:setup=choose", "stratego"
HEADINGS = ("opponent", "set-ups", "games", "won", "95% interval")


class Member(NamedTuple):
    """Who is met, and in which game."""

    agent: str
    game: str = CHOOSE
    words: str = "each its own"  # about set-ups


MEMBERS = (
    *(Member(f"stratego/{name}") for name in ("waiter", "hunter", "chaser", "rusher", "besieger")),
    Member("stratego/policy"),
    Member("stratego/value"),
    Member("stratego/policy", DRAWN, "drawn at random"),
    Member("stratego/value", DRAWN, "drawn at random"),
)


@command.command()
def panel(
    agent: Annotated[
        str, typer.Argument(help="Who is measured.", autocompletion=complete_agent)
    ] = "stratego/champion",
    games: Annotated[int, options.games_option("Games with each member.", "--games")] = GAMES,
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = None,
    only: Annotated[
        list[str], typer.Option("--only", help="Only these members: waiter, value.")
    ] = [],  # noqa: B006 - typer makes a list for every call
    also: Annotated[
        list[str], typer.Option("--also", help="Meet this agent too; it sets up by itself.")
    ] = [],  # noqa: B006
    json: options.JsonOption = None,
    fresh: options.FreshOption = False,
) -> None:
    """Play an agent of Stratego against players of other schools, in both seats.

    Finished games are kept until the whole panel is complete: the same command goes on from there.

    Examples:

      sandtable panel

      sandtable panel stratego/champion:weights=champion-built --games 100

      sandtable panel stratego/value --only waiter --only hunter --json value.json
    """
    from rich.console import Console

    from sandtable.arena.play.run import RunOptions
    from sandtable.cli.match_rows import end_rows, play_rows
    from sandtable.cli.reports import forfeit_lines, terminal_table

    members = chosen_members(only) + [Member(spec) for spec in also]
    plans = panel_plans(agent, members, games, seed)
    if json:
        write_json(json, None)  # find out before the first game whether it can be written
    how = RunOptions(jobs=jobs, resume=True, fresh=fresh)
    results, runs = play_rows(plans, how)
    Console().print(terminal_table(panel_sheet(members, results), f"{agent}, seed {seed}"))
    for line in [line for result in results for line in forfeit_lines(result)]:
        write(line, err=True)
    if json:
        write_json(json, [row_data(*pair) for pair in zip(members, results, strict=False)])
        write(f"Results: {json}")
    end_rows(plans, results, runs)


def chosen_members(only: Sequence[str]) -> list[Member]:
    """Return the members with these names, or all.

    >>> [member.game for member in chosen_members(["value"])]
    ['stratego:setup=choose', 'stratego']

    Raises SandtableError for a name that nobody has.
    """
    from sandtable.errors import SandtableError, suggestion

    names = list(dict.fromkeys(member.agent.split("/")[1] for member in MEMBERS))
    wanted = [name.removeprefix("stratego/") for name in only]
    for name in wanted:
        if name not in names:
            raise SandtableError(
                f"nobody on the panel is called '{name}'.{suggestion(name, names)} "
                f"Members: {', '.join(names)}"
            )
    return [each for each in MEMBERS if not wanted or each.agent.split("/")[1] in wanted]


def panel_plans(agent: str, members: Sequence[Member], games: int, seed: int) -> list[MatchPlan]:
    """Return a match with every member; both play both seats of every deal."""
    from sandtable.arena.play.plan import make_plan

    return [
        make_plan(member.game, [agent, member.agent], games, seed, rotate=True)
        for member in members
    ]


def standing_of(result: MatchResult) -> AgentResult:
    """Return how the agent that is measured did, which may have met itself."""
    assert result.agents
    return result.agents[0]


def panel_sheet(members: Sequence[Member], results: Sequence[MatchResult]) -> Sheet:
    """Return a row for every match that was played."""
    from sandtable.cli.reports import share_interval
    from sandtable.reports.pages import Line, Sheet

    lines = []
    for member, result in zip(members, results, strict=False):
        standing = standing_of(result)
        assert standing.wins is not None
        won = f"{standing.wins.mean:.1%}"
        cells = (member.agent, member.words, str(result.games), won, share_interval(standing))
        lines.append(Line(cells))
    return Sheet(HEADINGS, tuple(lines), words=frozenset(HEADINGS[:2]))


def row_data(member: Member, result: MatchResult) -> dict[str, Any]:
    """Return a row as JSON has it; a draw is half a game won."""
    wins = standing_of(result).wins
    assert wins is not None
    interval = [wins.low, wins.high] if wins.shown else None
    return {
        "opponent": member.agent,
        "game": member.game,
        "games": result.games,
        "seed": result.plan.seed,
        "won": wins.mean,
        "interval": interval,
    }
