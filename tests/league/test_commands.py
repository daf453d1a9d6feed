"""The commands of whoever runs a league: what is not there is told with what is."""

from __future__ import annotations

import http.server
import subprocess
import sys
import threading

import pytest

from sandtable.errors import SandtableError
from sandtable.league.application import worker_token
from sandtable.league.bots import add_author, author_by_token, expel
from sandtable.league.link import NotAccepted, ServerLink, client_text
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


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1:8100",
        "http://",
        "http://:8100",
        "http://127.0.0.1:port",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:0",
        "http://[::1:8100",
        "http://127.0.0.1 :8100",
        "http://g\u00e4ste\u2603:8100",
    ],
)
def test_an_address_that_is_none_is_told_at_once_and_not_tried_again(sandtable, address):
    code, _, err = sandtable("league", "work", address, "--token", "x")
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("error: ")
    assert "is no address of a server; write http://HOST:PORT" in err


@pytest.mark.parametrize("token", ["snow\u2603man", "two\nlines", "two words", "", "\x1b[31m"])
def test_a_token_that_cannot_be_one_is_one_line_that_does_not_repeat_it(sandtable, token):
    code, _, err = sandtable("league", "work", "http://127.0.0.1:9", "--token", token)
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("error: a token has plain letters")
    assert not token.strip() or token not in err


def test_a_token_may_end_as_lines_of_files_do():
    assert ServerLink("http://127.0.0.1:9/", "abc\n").token == "abc"


class Page(http.server.BaseHTTPRequestHandler):
    """Some other server, which answers everybody with a page."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>Welcome</html>")

    def log_message(self, *words):
        pass


def test_what_is_no_server_of_leagues_is_told_with_its_address(sandtable):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{other.server_port}"
        code, _, err = sandtable("league", "join", address, "open", "ann")
        with pytest.raises(NotAccepted, match="no server of leagues"):
            ServerLink(address).read(b"<html>Welcome</html>")
        other.shutdown()
    assert code == 1
    assert err == f"error: {address}: what answers there is no server of leagues\n"


def test_a_folder_of_leagues_that_cannot_be_made_is_one_line(sandtable, tmp_path):
    (tmp_path / "file").write_text("something else")
    code, _, err = sandtable("league", "new", "open", "skirmish", "--data", tmp_path / "file")
    assert code == 1
    assert err == f"error: cannot make the folder {tmp_path / 'file'}: File exists\n"


def test_a_token_of_workers_that_cannot_be_kept_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("something else")
    with pytest.raises(SandtableError, match=r"cannot (make|be read)"):
        worker_token(tmp_path / "file")
    token = worker_token(tmp_path)
    assert worker_token(tmp_path) == token

    def refused(path, mode):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("pathlib.Path.chmod", refused)
    with pytest.raises(SandtableError, match="cannot be kept from others") as told:
        worker_token(tmp_path)
    assert token not in str(told.value)


WITHOUT_DATABASE = """
import sys
from importlib.abc import MetaPathFinder

class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("fastapi", "sqlalchemy", "uvicorn", "websockets"):
            raise ModuleNotFoundError(f"No module named '{name}' (hidden)", name=name)

sys.meta_path.insert(0, Hidden())
from sandtable.cli.main import application
import sandtable.league.players, sandtable.league.worker
for words in (["league", "client", sys.argv[1]], ["league", "sandbox"]):
    try:
        application(words, prog_name="sandtable", standalone_mode=False)
    except SystemExit as end:
        assert words[1] == "sandbox", words
"""


def test_workers_and_authors_need_no_database(tmp_path):
    file = tmp_path / "league_client.py"
    words = [sys.executable, "-c", WITHOUT_DATABASE, str(file)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert file.read_text(encoding="utf-8") == client_text()
