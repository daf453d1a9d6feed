"""The addresses of pages."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs, quote

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from sandtable.league.application import COOKIE, NOT_SEEN, LeagueHere, LeaguesNow
from sandtable.league.bots import bots_of
from sandtable.league.games import game_of, played_deals
from sandtable.league.pages.game_pages import game_page, game_picture, games_page
from sandtable.league.pages.html import stylesheet
from sandtable.league.pages.table_pages import (
    bot_page,
    cross_page,
    first_page,
    join_page,
    table_page,
)
from sandtable.league.pages.trial_pages import test_page, tests_page
from sandtable.league.store import NoSuchThing
from sandtable.league.trials import trials_of, verdict_of
from sandtable.records.lines import record_to_line
from sandtable.records.record import Record

__all__ = ["router"]

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

DEALS_OF_A_PAGE = 50
ASK_AGAIN = {"Cache-Control": "no-cache"}
Number = Annotated[int | None, Query(ge=0, lt=2**31)]


@router.get("/")
def first(leagues: LeaguesNow) -> str:
    """The list of leagues."""
    return first_page(leagues)


@router.get("/league.css")
def style() -> Response:
    """How the pages look."""
    return Response(stylesheet(), media_type="text/css", headers=ASK_AGAIN)


@router.post("/open")
async def open_private(leagues: LeaguesNow, request: Request) -> Response:
    """Open a private league in this browser, by its join key."""
    try:
        form = parse_qs((await request.body()).decode("utf-8", "replace"), max_num_fields=4)
    except ValueError:
        raise HTTPException(400, "this form has the fields league and key") from None
    name, key = (form.get(field, [""])[0] for field in ("league", "key"))
    try:
        league = leagues.store.league(name)
    except NoSuchThing:
        league = None
    if league is None or not league.opens(key):
        raise HTTPException(404, NOT_SEEN)
    answer = RedirectResponse(f"/leagues/{quote(name, safe='')}", 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE + name, key, httponly=True, samesite="strict", secure=secure)
    return answer


@router.get("/leagues/{league}")
def table(leagues: LeaguesNow, league: LeagueHere) -> str:
    """The table of a league."""
    return table_page(leagues, league, leagues.standings(league))


@router.get("/leagues/{league}/cross")
def cross(leagues: LeaguesNow, league: LeagueHere) -> str:
    """Who did how against whom."""
    return cross_page(league, leagues.standings(league))


@router.get("/leagues/{league}/join")
def join(leagues: LeaguesNow, league: LeagueHere, request: Request) -> str:
    """How somebody takes part."""
    return join_page(leagues, league, str(request.base_url).rstrip("/"))


@router.get("/leagues/{league}/bots/{bot}")
def one_bot(leagues: LeaguesNow, league: LeagueHere, bot: str) -> str:
    """A bot."""
    bots = bots_of(leagues.store, league)
    found = next((each for each in bots if each.name == bot), None)
    if found is None:
        raise NoSuchThing("there is no such bot in this league")
    played = played_deals(leagues.store, league, bot=found.id, most=DEALS_OF_A_PAGE)
    return bot_page(league, found, leagues.standings(league), played, bots)


@router.get("/leagues/{league}/games")
def games(leagues: LeaguesNow, league: LeagueHere, before: Number = None) -> str:
    """Deals that are over."""
    played = played_deals(leagues.store, league, before=before, most=DEALS_OF_A_PAGE)
    return games_page(league, played, bots_of(leagues.store, league), DEALS_OF_A_PAGE)


def record_named(leagues: LeaguesNow, league: LeagueHere, game: str) -> Record:
    """Return the game that an address names, as DEAL-ROTATION."""
    deal, _, rotation = game.partition("-")
    plain = all(each.isascii() and each.isdigit() and len(each) < 10 for each in (deal, rotation))
    if not plain:
        raise NoSuchThing("there is no such game in this league")
    return game_of(leagues.store, league, int(deal), int(rotation))


@router.get("/leagues/{league}/games/{game}.jsonl")
def record(leagues: LeaguesNow, league: LeagueHere, game: str) -> Response:
    """The record of a game."""
    line = record_to_line(record_named(leagues, league, game))
    return PlainTextResponse(f"{line}\n", media_type="application/jsonl")


@router.get("/leagues/{league}/games/{game}/{turn}.svg")
def picture(leagues: LeaguesNow, league: LeagueHere, game: str, turn: int) -> Response:
    """The board of a game after so many turns."""
    drawn = game_picture(record_named(leagues, league, game), turn)
    return Response(drawn, media_type="image/svg+xml")


@router.get("/leagues/{league}/games/{game}")
def one_game(leagues: LeaguesNow, league: LeagueHere, game: str, turn: Number = None) -> str:
    """A game, turn by turn."""
    return game_page(league, record_named(leagues, league, game), game, turn)


@router.get("/leagues/{league}/tests")
def tests(leagues: LeaguesNow, league: LeagueHere) -> str:
    """The tests of a league."""
    found = trials_of(leagues.store, league)[:DEALS_OF_A_PAGE]
    with leagues.store.reading() as connection:
        judged = [(trial, verdict_of(connection, league, trial)) for trial in found]
    return tests_page(league, judged, bots_of(leagues.store, league))


@router.get("/leagues/{league}/tests/{number}")
def one_test(leagues: LeaguesNow, league: LeagueHere, number: int) -> str:
    """A test."""
    found = next((each for each in trials_of(leagues.store, league) if each.id == number), None)
    if found is None:
        raise NoSuchThing("there is no such test in this league")
    with leagues.store.reading() as connection:
        verdict = verdict_of(connection, league, found)
    played = played_deals(leagues.store, league, test=number, most=DEALS_OF_A_PAGE)
    return test_page(league, found, verdict, played, bots_of(leagues.store, league))
