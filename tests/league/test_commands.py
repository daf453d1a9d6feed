"""The commands of whoever runs a league: what is not there is told with what is."""

from __future__ import annotations

import pytest

from sandtable.league.bots import add_author, author_by_token, expel
from sandtable.league.store import Store


@pytest.fixture
def data(tmp_path):
    """A folder with a league and an author."""
    folder = tmp_path / "leagues"
    store = Store.open(folder / "leagues.db")
    league = store.add_league("course", "skirmish")
    add_author(store, league, "ann")
    yield folder, store, league
    store.close()


def test_a_league_that_is_not_there_is_told_with_those_that_are(sandtable, data, tmp_path):
    code, _, err = sandtable("league", "table", "curse", "--data", data[0])
    assert code == 1
    assert err == (
        "error: there is no league 'curse' (known here: course). Did you mean 'course'?\n"
    )
    Store.open(tmp_path / "leagues.db").close()
    code, _, err = sandtable("league", "export", "open", "games.jsonl", "--data", tmp_path)
    assert code == 1
    assert "'sandtable league new' makes one" in err


def test_a_lost_token_is_replaced(sandtable, data):
    folder, store, league = data
    code, out, _ = sandtable("league", "token", "course", "ann", "--data", folder)
    assert code == 0
    token = out.split()[-1]
    assert author_by_token(store, token).name == "ann"
    _, again, _ = sandtable("league", "token", "course", "ann", "--data", folder)
    assert author_by_token(store, token) is None
    assert author_by_token(store, again.split()[-1]).name == "ann"
    _, _, err = sandtable("league", "token", "course", "an", "--data", folder)
    assert err.endswith("in this league. Did you mean 'ann'?\n")
    expel(store, league, "ann")
    _, _, err = sandtable("league", "token", "course", "ann", "--data", folder)
    assert "has been expelled" in err


def test_workers_on_a_cluster_and_here_have_options_of_their_own(sandtable):
    server = ("league", "work", "http://127.0.0.1:9", "--token", "x")
    code, _, err = sandtable(*server, "--cluster", "127.0.0.1:6379", "--deals", "3")
    assert (code, err.count("\n")) == (1, 1)
    assert "leave --deals or --cluster out" in err
    code, _, err = sandtable(*server, "--jobs", "3")
    assert (code, err.count("\n")) == (1, 1)
    assert "--jobs is for --cluster" in err
