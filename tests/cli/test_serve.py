"""``sandtable serve``: what can be wrong is said in one line. (The server itself: tests/server.)"""

from __future__ import annotations

import socket
import sys

import pytest

from sandtable.server import serve
from sandtable.server.storage import Storage


def test_a_port_in_use_is_said_in_one_line(sandtable, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, errors = sandtable("serve", "--api-only", "-p", port, "--data", tmp_path / "data")
    assert code == 1
    assert errors.startswith(f"error: 127.0.0.1:{port} cannot be used (Address already in use)")
    assert "--port" in errors
    assert errors.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_said_in_one_line(sandtable, tmp_path):
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "data"
    code, _, errors = sandtable("serve", "--api-only", "-p", 0, "--data", folder)
    assert (code, errors.count("\n")) == (1, 1)
    assert f"cannot write in the folder {folder}" in errors


def test_two_servers_do_not_share_a_folder(sandtable, tmp_path):
    storage = Storage(tmp_path)
    code, _, errors = sandtable("serve", "--api-only", "-p", 0, "--data", tmp_path)
    storage.close()
    assert (code, errors.count("\n")) == (1, 1)
    assert "another server is using the folder" in errors


def test_a_client_that_is_not_built_is_said_in_one_line(sandtable, tmp_path, monkeypatch):
    monkeypatch.setattr(serve, "STATIC", tmp_path)
    code, _, errors = sandtable("serve", "-p", 0, "--data", tmp_path / "data")
    assert (code, errors) == (1, f"error: {serve.CLIENT_MISSING}\n")


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn"])
def test_a_missing_extra_is_named(sandtable, tmp_path, monkeypatch, missing):
    for name in [name for name in sys.modules if name.startswith("sandtable.server.serv")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("sandtable.server.application", "sandtable.server.limits"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    code, _, errors = sandtable("serve", "-p", 0, "--data", tmp_path / "data")
    assert (code, errors) == (
        1,
        "error: the browser needs the extra 'web': pip install 'sandtable-games[web]'\n",
    )


def test_a_host_of_another_machine_is_said_in_one_line(sandtable, tmp_path):
    code, _, errors = sandtable(
        "serve", "--api-only", "--host", "203.0.113.7", "-p", 0, "--data", tmp_path / "data"
    )
    assert (code, errors.count("\n")) == (1, 1)
    assert "203.0.113.7:0 cannot be used" in errors


def test_links_for_others_can_be_opened(capsys, monkeypatch, tmp_path):
    from sandtable.cli.serve import ready_line
    from sandtable.server import addresses
    from sandtable.server.settings import Settings

    monkeypatch.setattr(addresses, "own_addresses", lambda: ["192.0.2.7"])
    settings = Settings(
        tmp_path, tmp_path, tmp_path, host="0.0.0.0", key="k", hosts=("table.example.org:8000",)
    )
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    ready_line(tmp_path)(addresses.address_of(settings), settings)
    told = capsys.readouterr().out
    assert "Sandtable is at http://table.example.org:8000/#key=k (" in told
    assert "  http://192.0.2.7:8000/#key=k\n" in told
    assert "[" not in told.split("Scan")[0]
    assert "\u2588" in told or "\u2584" in told  # the blocks of a QR code


def test_a_folder_of_weights_that_is_none_is_said_in_one_line(sandtable, tmp_path):
    code, _, errors = sandtable("serve", "--weights", tmp_path / "nowhere")
    assert (code, errors.count("\n")) == (1, 1)
    assert "--weights names a folder" in errors


@pytest.mark.parametrize(
    ("option", "value", "line"),
    [
        ("--allow-host", "http://table.example.org", "--allow-host takes NAME or NAME:PORT"),
        ("--allow-host", "two words", "--allow-host takes NAME or NAME:PORT"),
        ("--proxy", "nginx", "--proxy takes an address such as 10.0.0.5, not 'nginx'"),
    ],
)
def test_what_no_request_can_have_is_refused(sandtable, tmp_path, option, value, line):
    code, _, errors = sandtable("serve", "--data", tmp_path, option, value)
    assert (code, errors.count("\n")) == (1, 1)
    assert line in errors
    assert list(tmp_path.iterdir()) == []


def test_several_processes_want_a_database(sandtable, tmp_path):
    code, _, errors = sandtable("serve", "--data", tmp_path, "--processes", 2)
    assert (code, errors) == (1, "error: --processes needs --rooms, and goes without --peers\n")
