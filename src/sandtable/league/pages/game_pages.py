"""Deals that are over, their games, and one game step by step. Nothing of others is shown."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sandtable.errors import SandtableError
from sandtable.league.bots import Bot
from sandtable.league.games import PlayedDeal
from sandtable.league.pages.html import Cell, league_path, link, page, table
from sandtable.league.rounds import games_of_deal
from sandtable.league.store import League, NoSuchThing
from sandtable.records.record import Record
from sandtable.records.replay import RecordedGame, Turn, outcome_text, replay, turns

__all__ = ["deals_table", "game_page", "game_picture", "games_page"]


def deals_table(league: League, played: Sequence[PlayedDeal], bots: Sequence[Bot]) -> str:
    """Return deals with links to all their games."""
    names = {bot.id: bot.name for bot in bots}
    rows = []
    for deal in played:
        where = f"test {deal.test}" if deal.test else "ratings"
        games = " ".join(
            link(league_path(league, "games", f"{deal.id}-{rotation}"), f"game {rotation + 1}")
            for rotation in range(games_of_deal(league.game))
        )
        said = "; ".join(f"{names.get(bot, '?')}: {reason}" for bot, reason in deal.forfeits)
        rows.append([
            Cell(escape(" \N{EN DASH} ".join(names.get(bot, "?") for bot in deal.bots)), "word"),
            Cell(escape(points_text(deal, names)), "word"), Cell(games, "word"),
            Cell(escape(where), "word"), Cell(escape(said), "prose"),
            Cell(escape(deal.done_at.replace("T", " ")[:16]), "word"),
        ])  # fmt: skip
    if not rows:
        return "<p>Nothing has been played yet.</p>"
    headings = [("bots", "word"), ("points", "word"), ("games", "word"), ("for", "word"),
                ("forfeits", "word"), ("when (UTC)", "word")]  # fmt: skip
    return table(headings, rows, "Deals")


def points_text(deal: PlayedDeal, names: dict[int, str]) -> str:
    """Say how many comparisons each bot won; those that came in level share one."""
    won = dict.fromkeys(deal.members, 0.0)
    for row in deal.places:
        for bot, place in zip(deal.members, row, strict=True):
            if place == 0:
                won[bot] += 1 / row.count(0)
    return ", ".join(f"{names.get(bot, '?')} {won[bot]:g}" for bot in deal.bots)


def games_page(league: League, played: Sequence[PlayedDeal], bots: Sequence[Bot], most: int) -> str:
    """Return the list of deals, page by page."""
    body = [
        "<h1>Games</h1>",
        '<p class="lead">Deals that are over, the newest first. All games of a deal appear '
        "together, when the last of them is over.</p>",
        deals_table(league, played, bots),
    ]
    if len(played) == most:
        address = f"{league_path(league, 'games')}?before={played[-1].id}"
        body.append(f'<p class="steps">{link(address, "Older deals")}</p>')
    return page("Games", body, league, "/games")


def known_turns(record: Record) -> list[Turn]:
    """Return the turns of a game; one that does not replay any more is shown as far as it goes."""
    found: list[Turn] = []
    try:
        found.extend(turns(replay(record)))
    except SandtableError:
        return found
    return found


def game_page(league: League, record: Record, identity: str, at: int | None) -> str:
    """Return one game after so many of its turns; None: after the last."""
    played = known_turns(record)
    shown = len(played) if at is None else min(max(at, 0), len(played))
    game = league.game
    seats = ", ".join(
        f"{escape(agent)} ({escape(seat)})"
        for seat, agent in zip(game.seats, record.seats, strict=True)
    )
    here = league_path(league, "games", identity)
    outcome = outcome_text(record.outcome) if record.outcome is not None else "broken off"
    picture = f"{league_path(league, 'games', identity, shown)}.svg"
    told = "the start" if shown == 0 else f"turn {shown} of {len(played)}"
    lines = "".join(turn_line(here, turn, shown, game.seats) for turn in played)
    body = [
        f"<h1>Game {escape(identity)}</h1>",
        f'<p class="lead">{seats}. {escape(outcome)}.</p>',
        steps(here, shown, len(played)),
        f'<figure><img class="board" src="{escape(picture)}" alt="The board after {told}">'
        f'<figcaption class="faint">After {told}</figcaption></figure>',
        "<h2>Turns</h2>",
        f'<ol class="turns">{lines}</ol>',
        f"<p>{link(here + '.jsonl', 'The record of this game')} "
        '<span class="faint">(sandtable replay reads it)</span></p>',
    ]
    return page(f"Game {identity}", body, league, "/games")


def steps(here: str, shown: int, last: int) -> str:
    """Return links to the neighbours of a turn."""
    found = []
    for text, to in (
        ("Start", 0), ("Back", shown - 1), ("Forward", shown + 1), ("End", last),
    ):  # fmt: skip
        if 0 <= to <= last and to != shown:
            found.append(link(f"{here}?turn={to}", text))
        else:
            found.append(f'<span aria-disabled="true">{text}</span>')
    return f'<nav class="steps" aria-label="Turns">{"".join(found)}</nav>'


def turn_line(here: str, turn: Turn, shown: int, seats: Sequence[str]) -> str:
    """Return one turn of the list."""
    current = ' aria-current="step"' if turn.number == shown else ""
    return (
        f'<li><a href="{escape(here)}?turn={turn.number}"{current}>{escape(seats[turn.seat])}: '
        f"{escape(turn.words)}</a></li>"
    )


def game_picture(record: Record, at: int) -> str:
    """Return the board after so many turns, as SVG; the game is over, so nothing is hidden."""
    played = known_turns(record)
    if not 0 <= at <= len(played):
        raise NoSuchThing(f"that game has {len(played)} turns")
    state = played[at - 1].after if at else RecordedGame(record).session.state
    return state.game.drawing.svg(state.position)
