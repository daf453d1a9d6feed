"""The queue: whoever plays which deal when, and whoever dies, the table is the same."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import select, update

from league.leagues import HERE, Fixture
from records.postgres import Server
from sandtable.errors import BrokenRecord, SandtableError
from sandtable.league import bots, tables
from sandtable.league.application import Leagues
from sandtable.league.bots import (
    add_author,
    add_bot,
    author_by_token,
    bots_of,
    expel,
    retire,
)
from sandtable.league.games import all_records, game_of, played_deals
from sandtable.league.queue import MOST_ATTEMPTS
from sandtable.league.relay import BotSocket
from sandtable.league.rounds import Presence
from sandtable.league.standings import standings_of
from sandtable.league.store import NoSuchThing, Store
from sandtable.league.trials import GIVEN_UP, add_trial, trials_of, verdict_of
from sandtable.records.replay import check


@pytest.fixture
def league(tmp_path):
    found = Fixture(tmp_path)
    yield found
    found.close()


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    found = Fixture(tmp_path_factory.mktemp("calm"), rounds=4)
    found.play_calmly()
    yield found
    found.close()


@pytest.mark.parametrize("seed", [1, 2])
def test_workers_that_die_change_nothing(tmp_path, calm, seed):
    wild = Fixture(tmp_path, rounds=4)
    assert wild.play_wildly(seed) >= 3
    assert wild.outcome() == calm.outcome()
    wild.close()


def test_a_league_on_a_server_is_the_same(tmp_path, calm):
    server = Server()
    league = Fixture(tmp_path, rounds=4, place=server.new_database())
    league.play_wildly(4)
    assert league.outcome() == calm.outcome()
    assert len(list(all_records(league.store, league.league))) == 2 * len(calm.outcome()[0])
    assert len(played_deals(league.store, league.league, bot=3)) > 0
    assert expel(league.store, league.league, "ann") == 6
    league.close()
    server.stop()


def test_everything_was_played_and_every_game_can_be_read(calm):
    rows, table = calm.outcome()
    assert {row[3] for row in rows} == {tables.DONE}
    assert {row[0] for row in rows} == {0, 1, 2, 3}
    assert sum(row["deals"] for row in table) == 2 * len(rows)
    best = {row["bot"] for row in table[:3]}
    assert best == {"bot-1", "bot-3", "bot-5"}  # those that are greedy
    records = list(all_records(calm.store, calm.league))
    assert len(records) == 2 * len(rows)
    check(records[0])
    deal = played_deals(calm.store, calm.league, most=1)[0]
    assert (
        game_of(calm.store, calm.league, deal.id, 1).seats
        != game_of(calm.store, calm.league, deal.id, 0).seats
    )
    with pytest.raises(NoSuchThing):
        game_of(calm.store, calm.league, deal.id, 2)


def test_a_server_that_starts_again_goes_on_where_it_was(league, tmp_path):
    token = league.lease()
    deals = league.leases[token]
    league.bring(token, deals[0])
    league.store.close()
    league.store = league.queue.store = Store.open(tmp_path / "leagues.db", create=False)
    assert league.bring(token, deals[1])
    assert not league.bring(token, deals[0])


def test_a_lease_is_kept_while_it_is_renewed(league):
    token = league.lease(32)
    taken = {deal["deal"] for deal in league.leases[token]}
    league.now += 50
    assert league.queue.renew(token, league.now) == len(taken)
    league.now += 50
    other = league.lease(32)
    assert not taken & {deal["deal"] for deal in league.leases[other]}
    league.now += 61
    late = league.lease(1)
    assert league.leases[late][0]["deal"] in taken


def test_what_nobody_survives_is_given_up(league):
    first = league.leases[league.lease(1)][0]["deal"]
    for _ in range(MOST_ATTEMPTS):
        league.now += 61
        league.lease(1)
    with league.store.reading() as connection:
        state = connection.scalar(select(tables.deals.c.state).where(tables.deals.c.id == first))
    assert state == tables.VOID


def test_records_of_other_games_are_refused(league):
    token = league.lease(2)
    one, other = league.leases[token]
    lines = league.player.play(token, one)
    with pytest.raises(BrokenRecord, match="not one of this deal"):
        league.queue.finish(other["deal"], lines, "worker")
    with pytest.raises(BrokenRecord, match="2 games"):
        league.queue.finish(one["deal"], lines[:1], "worker")
    with pytest.raises(NoSuchThing):
        league.queue.finish(999, lines, "worker")


def test_what_is_not_there_is_not_chosen(league):
    league.add("far", kind="remote")
    league.add("prog", kind="program", data=b"#!/bin/sh\n")
    token = league.lease(32)
    named = {bot["name"] for deal in league.leases[token] for bot in deal["bots"]}
    assert named == {f"bot-{number}" for number in range(6)}


def test_programs_wait_for_a_worker_with_a_sandbox(league):
    league.add("prog", kind="program", data=b"#!/bin/sh\n")
    without = league.lease(32, presence=HERE)
    assert not any(
        bot["kind"] == "program" for deal in league.leases[without] for bot in deal["bots"]
    )
    with_one = league.lease(32, presence=HERE, sandbox=True)
    assert any(bot["kind"] == "program" for deal in league.leases[with_one] for bot in deal["bots"])


def test_a_deal_whose_bot_went_away_is_given_up_in_the_end(league):
    league.add("far", kind="remote")
    far = 7
    league.queue.release(league.lease(1, presence=Presence(connected={far})))
    league.lease(32, presence=Presence(away={far: 601.0}, since=1e6))
    assert states_of(league, far) == {tables.VOID}


def states_of(league, bot):
    """The states of a bot's deals."""
    with league.store.reading() as connection:
        rows = connection.execute(select(tables.deals.c.members, tables.deals.c.state)).all()
    return {row.state for row in rows if bot in json.loads(row.members)}


@pytest.mark.parametrize(
    "presence",
    [
        Presence(away={7: 1.0}, since=1e6),  # it blinks, in a round that is old
        Presence(since=5.0),  # the server has begun again, and it has not come back yet
    ],
)
def test_a_bot_that_is_away_for_a_moment_loses_no_deal(league, presence):
    league.add("far", kind="remote")
    league.queue.release(league.lease(1, presence=Presence(connected={7})))
    league.now = 1e12
    league.lease(32, presence=presence)
    assert states_of(league, 7) == {tables.OPEN}


def test_who_is_here_is_remembered_from_the_start_of_the_server(league):
    now = 50_000.0
    leagues = Leagues(league.store, "token", programs=True, clock=lambda: now)
    far, prog = league.add("far", kind="remote"), league.add("p", kind="program", data=b"#!x\n")
    now += 700
    assert leagues.presence().seconds_away(far) == leagues.presence().seconds_away(prog) == 700
    leagues.remote.comes(far.id, BotSocket(None))
    leagues.seen("w", True)
    now += 400
    assert leagues.presence().seconds_away(far) == 0
    assert leagues.presence().seconds_away(prog) == 400
    leagues.remote.goes(far.id)
    now += 3
    assert leagues.presence().seconds_away(far) == 3
    assert leagues.presence().seconds_away(prog) == 403


def test_a_lost_deal_is_an_attempt_and_others_of_its_lease_are_none(league):
    first = league.lease(3)
    lost = league.leases[first][0]["deal"]
    league.queue.release(first, [lost])
    for attempt in range(1, MOST_ATTEMPTS):
        with league.store.reading() as connection:
            rows = dict(
                connection.execute(select(tables.deals.c.id, tables.deals.c.attempts)).all()
            )
        assert rows[lost] == attempt
        assert sum(rows.values()) == attempt
        token = league.lease(2)
        assert league.leases[token][0]["deal"] == lost
        league.queue.release(token, [lost])
    assert league.queue.waiting(league.league)[tables.VOID] == 1


def test_what_a_remote_bot_has_seen_never_comes_again(tmp_path):
    """Whatever it remembers: no two games of its deals have the same dice, nor do two attempts."""
    league = Fixture(tmp_path, rounds=1, bots=1, game="gravwell:players=2")
    far = league.add("far", kind="remote")
    here = Presence(connected={far.id})
    token = league.lease(1, presence=here)
    deal = league.leases[token][0]
    first = league.player.play(token, deal)
    league.now += 61  # that worker died
    token = league.lease(1, presence=here)
    assert league.leases[token][0]["deal"] == deal["deal"]
    lines = league.player.play(token, league.leases[token][0])
    records = [json.loads(line) for line in (*first, *lines)]
    assert [record["number"] for record in records] == [0, 1, 2, 3]
    begins = [n for n, message in enumerate(league.told) if message["type"] == "begin"]
    assert len({league.told[n]["seed"] for n in begins}) == 4
    assert len({league.told[n + 1]["view"] for n in begins}) == 4
    mixed = [lines[0], first[1]]
    with pytest.raises(BrokenRecord, match="game 1 is not one of this deal"):
        league.queue.finish(deal["deal"], mixed, "worker")
    later = league.player.play(token, league.leases[token][0] | {"attempt": 2})
    with pytest.raises(BrokenRecord, match="not one of this deal"):
        league.queue.finish(deal["deal"], later, "worker")
    assert league.queue.finish(deal["deal"], lines, "worker")
    league.close()


def test_bots_here_share_the_dice_of_their_deal(tmp_path):
    league = Fixture(tmp_path, rounds=1, bots=1, game="gravwell:players=2")
    league.add("other", "random")
    token = league.lease(1)
    lines = league.player.play(token, league.leases[token][0])
    assert [json.loads(line)["number"] for line in lines] == [0, 0]
    league.close()


def test_a_test_at_a_table_of_three_has_others_in_the_other_seats(tmp_path):
    league = Fixture(tmp_path, rounds=1, bots=0, game="gravwell:players=3")
    for name, spec in (("tree", "gravwell/decision-tree"), ("a", "random"), ("far", "")):
        league.add(name, spec, "remote" if name == "far" else "agent")
    with pytest.raises(SandtableError, match="3 seats: a test needs 1 more bots that play"):
        add_trial(league.store, league.league, "tree", "a")
    for name in ("b", "c"):
        league.add(name, "random")
    add_trial(league.store, league.league, "tree", "a", low=0, high=100, most=400)
    league.play_calmly()
    with league.store.reading() as connection:
        rows = connection.execute(
            select(tables.deals.c.bots, tables.deals.c.places).where(
                tables.deals.c.test == 1, tables.deals.c.state == tables.DONE
            )
        ).all()
        trial = trials_of(league.store, league.league)[0]
        verdict = verdict_of(connection, league.league, trial)
    seated = [json.loads(row.bots) for row in rows]
    assert all({1, 2} < set(each) for each in seated)
    assert {bot for each in seated for bot in each} == {1, 2, 4, 5}  # nobody who is far away
    assert len({tuple(each) for each in seated}) > 2  # they change places
    assert all(row.places.count(";") == 2 for row in rows)
    assert trial.ended == "accepted"
    assert verdict.counts.games == 3
    league.close()


def test_a_test_ends_when_nobody_is_left_for_the_other_seats(tmp_path):
    league = Fixture(tmp_path, rounds=1, bots=0, game="gravwell:players=3")
    for name in ("bot-0", "bot-1", "bot-2"):
        league.add(name, "random")
    add_trial(league.store, league.league, "bot-0", "bot-1", low=0, high=1, most=8000)
    league.leases[league.lease(8)]
    retire(league.store, league.league, league.author, "bot-2")
    league.now += 61
    league.play_calmly()
    assert trials_of(league.store, league.league)[0].ended == GIVEN_UP
    league.close()


def test_a_deal_that_nobody_leased_is_not_taken(league):
    token = league.lease(1)
    deal = league.leases[token][0]
    with league.store.reading() as connection:
        other = connection.scalar(
            select(tables.deals.c.id).where(tables.deals.c.state == tables.OPEN).limit(1)
        )
    with pytest.raises(SandtableError, match="nobody has leased"):
        league.queue.finish(other, ["x", "y"], "worker")
    league.queue.release(token)
    assert league.bring(token, deal)  # it was given back, and came after all


def test_weights_that_are_none_forfeit_and_are_chosen_no_more(tmp_path):
    league = Fixture(tmp_path, rounds=4, bots=2)
    league.add("net", "network", "weights", b"nothing that is a network")
    league.play_calmly(presence=HERE, sandbox=True)
    row = next(row for row in standings_of(league.store, league.league).rows
               if row.bot.name == "net")  # fmt: skip
    assert row.forfeits > 9
    assert row.share.mean == 0
    last = league.outcome()[0][-1]
    assert last[0] == 3
    assert 3 not in json.loads(last[2])
    reason = played_deals(league.store, league.league, bot=3)[0].forfeits[0][1]
    assert str(tmp_path) not in reason
    league.close()


def test_a_retired_bot_keeps_its_games(league):
    league.play_calmly()
    retire(league.store, league.league, league.author, "bot-1")
    rows = standings_of(league.store, league.league).rows
    assert [row.bot.name for row in rows if not row.bot.plays] == ["bot-1"]
    with pytest.raises(NoSuchThing):
        retire(league.store, league.league, league.author, "bot-9")


def test_a_sequential_test_ends_the_same_however_it_is_played(tmp_path):
    ended = []
    for name, wild in (("calm", False), ("wild", True)):
        (tmp_path / name).mkdir()
        league = Fixture(tmp_path / name, rounds=1, bots=2)
        add_trial(league.store, league.league, "bot-1", "bot-0", low=0, high=400, most=80)
        if wild:
            league.play_wildly(3)
        else:
            league.play_calmly()
        trial = trials_of(league.store, league.league)[0]
        deals = tables.deals.c
        with league.store.reading() as connection:
            done = connection.scalars(
                select(deals.number).where(deals.test == 1, deals.state == tables.DONE)
            ).all()
        ended.append((trial.ended, len(done) >= 8))
        league.close()
    assert ended[0] == ended[1]
    assert ended[0] == ("rejected", True)  # ahead, but not by 400


def test_a_test_of_a_retired_bot_ends(tmp_path):
    league = Fixture(tmp_path, rounds=1, bots=2)
    add_trial(league.store, league.league, "bot-1", "bot-0", low=0, high=20, most=8000)
    league.leases[league.lease(32)]
    retire(league.store, league.league, league.author, "bot-0")
    league.now += 61
    league.play_calmly()
    assert trials_of(league.store, league.league)[0].ended == GIVEN_UP
    assert tables.OPEN not in league.queue.waiting(league.league)
    league.close()


def test_files_are_bounded_and_retiring_makes_no_room(league, monkeypatch):
    monkeypatch.setattr(bots, "MOST_BYTES_OF_AUTHOR", 60)
    league.add("one", kind="program", data=b"#!/bin/sh\n" + b"1" * 20)
    league.add("same", kind="program", data=b"#!/bin/sh\n" + b"1" * 20)  # kept once
    retire(league.store, league.league, league.author, "one")
    retire(league.store, league.league, league.author, "same")
    with pytest.raises(SandtableError, match="you have files of nearly"):
        league.add("two", kind="program", data=b"#!/bin/sh\n" + b"2" * 21)
    monkeypatch.setattr(bots, "MOST_BYTES_OF_AUTHOR", 1000)
    monkeypatch.setattr(bots, "MOST_BYTES", 60)
    with pytest.raises(SandtableError, match="this league has files of nearly"):
        league.add("two", kind="program", data=b"#!/bin/sh\n" + b"2" * 21)
    monkeypatch.setattr(bots, "MOST_EVER_OF_AUTHOR", 8)
    with pytest.raises(SandtableError, match="registered 8 bots"):
        league.add("two", "random")


def test_who_is_expelled_takes_no_place(league, monkeypatch):
    monkeypatch.setattr(bots, "MOST_AUTHORS", 2)
    add_author(league.store, league.league, "mallory")
    with pytest.raises(SandtableError, match="as many authors"):
        add_author(league.store, league.league, "bob")
    expel(league.store, league.league, "mallory")
    add_author(league.store, league.league, "bob")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"name": "a/b"}, "letters"),
        ({"name": "bot-0"}, "already"),
        ({"kind": "virus"}, "one of agent"),
        ({"spec": "external:ls"}, "programs are registered"),
        ({"spec": "model:x"}, "programs are registered"),
        ({"spec": "human"}, "a person at a terminal, and no bot"),
        (
            {"spec": "network:weights=/etc/passwd"},
            "files cannot be named here; --weights sends one",
        ),
        ({"spec": "nobody"}, "nobody"),
        ({"spec": "mcts:simulations=1000000000"}, "at most 2000 in a league"),
        ({"spec": "lucid/axes-red"}, "lucid"),
        ({"kind": "weights"}, "comes with a file"),
        ({"data": b"x"}, "comes without a file"),
        ({"kind": "weights", "spec": "random", "data": b"x"}, "takes no weights"),
        ({"kind": "program", "spec": "", "data": b"MZ"}, "#!"),
        ({"kind": "remote"}, "no spec"),
    ],
)
def test_what_cannot_be_a_bot_is_one_line(league, change, line):
    values = {"name": "new", "kind": "agent", "spec": "random", "data": None} | change
    with pytest.raises(SandtableError, match=line) as problem:
        add_bot(league.store, league.league, league.author, **values)
    assert "\n" not in str(problem.value)


def test_tokens_are_kept_as_digests_and_belong_to_one_league(league, tmp_path):
    token = add_author(league.store, league.league, "bob")
    assert author_by_token(league.store, token).name == "bob"
    assert author_by_token(league.store, token + "x") is None
    with pytest.raises(SandtableError, match="joined already"):
        add_author(league.store, league.league, "Bob")
    league.store.close()
    assert token.encode() not in (tmp_path / "leagues.db").read_bytes()


def test_who_is_expelled_may_do_nothing_and_has_no_bots(league):
    token = add_author(league.store, league.league, "mallory")
    author = author_by_token(league.store, token)
    add_bot(league.store, league.league, author, "spam", "agent", "random")
    assert expel(league.store, league.league, "mallory") == 1
    assert author_by_token(league.store, token) is None
    assert [bot.name for bot in bots_of(league.store, league.league) if not bot.plays] == ["spam"]
    with pytest.raises(NoSuchThing):
        expel(league.store, league.league, "nobody")


def test_a_league_of_former_rules_does_not_stop_others(league):
    former = league.store.add_league("former", "skirmish")
    with league.store.writing() as connection:
        own = tables.leagues.c.id == former.id
        connection.execute(update(tables.leagues).where(own).values(version=99))
    assert league.leases[league.lease()]
    with pytest.raises(SandtableError, match="version 99"):
        _ = league.store.league("former").game


def test_seeds_of_deals_are_not_told_by_others(league):
    seeds = {league.league.deal_seed(test, number) for test in (0, 1) for number in range(50)}
    assert len(seeds) == 100
    assert 5 not in seeds
