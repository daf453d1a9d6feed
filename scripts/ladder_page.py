"""Writes docs/levels.md: the levels of all games, and what ``sandtable ladder`` measured of them.

``python scripts/ladder_page.py`` renews the page; with ``--check`` it only says whether it is as it
should be. The levels are in levels.json beside each game, the figures in levels-measured.json.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sandtable.agents.level.ladder import general_ladder, ladder_of
from sandtable.arena.ladder import LOWEST_RATING, as_data, rungs_of, table_lines
from sandtable.registry import game_names, make_game

PAGE = Path(__file__).resolve().parents[1] / "docs" / "levels.md"
ABOUT = f"""# Levels

Opponents have names for people: Beginner, Easy, Medium and so on up to Champion. In the browser
they are the buttons under a game; everywhere else they are agents, `level:easy` or
`level:champion`:

    sandtable play skirmish human level:easy
    sandtable match skirmish level:hard level:medium --rotate

A game says in `levels.json` beside its module who plays at each level, and how many of its
decisions are drawn from the dice instead of thought about. A game without that file gets a ladder
of agents that play any game by itself.

One command measures a ladder anew, `sandtable ladder GAME`: each level plays the one below it. A
deal is played with every distribution of the seats and the same dice, and is one observation;
intervals are those of 95%. Where a game has no winner, whoever has more points after both games of
a deal has won it. A level should win 60 to 80%; in Gravwell, where the cards decide much, all of
them together are not far enough apart for much more than 60%. Ratings add up the leads, in points
of Elo, from {LOWEST_RATING:.0f}; a person's rating in the browser is told on the same scale, from
kept games against levels in which nothing was taken back and no draw was agreed. Where a ladder is
*not measured yet*, its levels are meant to be that far apart, but nobody has shown that they are,
and nobody has a rating in that game. Stratego's ladder was measured with version 1 of its
rules (`repetition=version-1`); version 2 forbids a few moves more. Only the highest level, which
plays with another network since, was measured again.

This page is made by scripts/ladder_page.py.
"""


def page() -> str:
    """Return the page as it should be."""
    lines = [ABOUT]
    for name in game_names():
        game = make_game(name)
        ladder = ladder_of(game)
        if not ladder.own:
            continue
        steps, commands, games = rungs_of(game)
        data = as_data(name, games or ladder.games, ladder, steps, commands)
        lines += [f"## {game.title}", "", *table_lines(data)]
    general = general_ladder(hidden=False)
    lines += [
        "## Any other game",
        "",
        "| level | who plays | drawn at random |",
        "|---|---|---|",
        *(
            f"| {level.title} | `{level.agent('')}` | {level.slips:.0%} |"
            for level in general.levels
        ),
        "",
        "With hidden information `ismcts` plays in the place of `mcts`.",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        same = PAGE.is_file() and PAGE.read_text("utf-8") == page()
        if not same:
            print("docs/levels.md is out of date; run python scripts/ladder_page.py")
        return 0 if same else 1
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
