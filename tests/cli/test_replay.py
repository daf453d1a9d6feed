"""``sandtable replay``: shows games as they were, and says in one line what is wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pexpect
import pytest

from records.played import PUBLISHED, RANDOM, broken_off, played, several
from sandtable.cli.main import run
from sandtable.cli.replay import nearest_ids
from sandtable.records.files import record_to_line
from sandtable.records.replay import replay, start_of, turns
from sandtable.records.store import open_store

COMMAND = Path(sys.executable).with_name("sandtable")


@pytest.fixture
def sandtable(monkeypatch, capsys):
    """Run a command line in this process, and return its exit code, output and errors."""
    monkeypatch.delenv("SANDTABLE_ARCHIVE", raising=False)

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["sandtable", "replay", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            run()
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return call


@pytest.fixture(params=["games.jsonl", "games.db"])
def path(request, tmp_path):
    """A file with a few games, in either form."""
    return stored(tmp_path / request.param, [*several(4), *several(1, RANDOM)])


@pytest.fixture
def lines(tmp_path):
    """A file of JSON lines with a few games."""
    return stored(tmp_path / "games.jsonl", several(4))


def stored(path, games):
    store = open_store(str(path))
    store.add(games)
    store.close()
    return path


def tampered(path, number, **fields):
    """Change fields of the game in a line of a file, or of its outcome."""
    every = path.read_text().splitlines()
    game = json.loads(every[number])
    for name, value in fields.items():
        (game["outcome"] if name in game["outcome"] else game)[name] = value
    every[number] = json.dumps(game)
    path.write_text("\n".join(every) + "\n")


def refusal(answer):
    """Return the only line of a refusal."""
    code, out, errors = answer
    assert (code, out) == (1, "")
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1
    return errors.removeprefix("error: ").rstrip()


def test_whole_game_in_a_pipe(sandtable, path):
    record = played(number=2)
    code, out, errors = sandtable(path, "--id", record.identity)
    assert (code, errors) == (0, "")
    assert out.startswith(
        "Operation Lucid: blue lucid/simple-blue, red lucid/axes-red\n"
        f"Game {record.identity}: seed 7, number 2.\n"
    )
    found = list(turns(replay(record)))
    for state in [start_of(record), *(turn.after for turn in found)]:
        assert f"{state}\n" in out
    for turn in found:
        assert f"\n{turn.number}. {('blue', 'red')[turn.seat]}: " in out
        last = turn.steps[-1]
        for line in state.game.drawing.events(
            last.before.position, last.action, last.after.position
        ):
            assert f"   {line}\n" in out
    blue = record.outcome.scores[0]
    assert out.endswith(f"Result: blue {blue:g}, red {-blue:g} ({record.outcome.reason}).\n")


def test_first_game_and_how_to_choose(sandtable, lines):
    code, out, errors = sandtable(lines)
    assert code == 0
    assert f"Game {played().identity}: " in out
    assert errors == (
        f"{lines} holds 4 games; this is the first, number 0. Choose with --number N or --id ID.\n"
    )


def test_only_game_needs_no_choice(sandtable, tmp_path):
    assert sandtable(stored(tmp_path / "games.jsonl", several(1)))[2] == ""


def test_number_chooses(sandtable, path):
    code, out, _ = sandtable(path, "--number", 3)
    assert code == 0
    assert f"Game {played(number=3).identity}: " in out
    assert "holds no game with the number 9; the numbers there are 0 to 3" in refusal(
        sandtable(path, "--number", 9)
    )
    several_with_it = refusal(sandtable(path, "--number", 0))
    assert "holds 2 games with the number 0; choose one with --id: " in several_with_it
    assert played(RANDOM).identity in several_with_it


def test_id_is_looked_up_in_the_archive(sandtable, path, monkeypatch):
    record = played(number=1)
    for words in ((record.identity, "--archive", path), ("--archive", path, "--number", 1)):
        assert f"Game {record.identity}: " in sandtable(*words)[1]
    assert "name its archive with --archive FILE or the variable SANDTABLE_ARCHIVE" in refusal(
        sandtable(record.identity)
    )
    monkeypatch.setenv("SANDTABLE_ARCHIVE", str(path))
    assert f"Game {record.identity}: " in sandtable(record.identity)[1]


def test_unknown_id_names_the_nearest(sandtable, path):
    wrong = "7" + played().experiment[1:] + "-77"
    assert refusal(sandtable(wrong, "--archive", path)) == (
        f"{path} holds no game '{wrong}'. Did you mean {played(number=3).identity}?"
    )
    assert "Did you mean" not in refusal(sandtable("zzzz", "--archive", path))


def test_nearest_ids_are_quick_among_many():
    many = (f"{experiment}-{number}" for experiment in ("ab12", "cd34") for number in range(99999))
    assert nearest_ids("ab13-100007", many) == ["ab12-99998"]
    assert nearest_ids("", ["ab12-1"]) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["game.jsonl"], "there is no file game.jsonl. Did you mean 'games.jsonl'?"),
        (["nowhere/games.jsonl"], "there is no file nowhere/games.jsonl."),
        ([], "name a file of records, or the id of a game and its --archive"),
        (["--archive", "other.db", "ab-1"], "there is no archive other.db"),
        (["notes.txt"], "archive notes.txt: this file is not a database"),
        (["empty.jsonl"], "empty.jsonl holds no games"),
        (["text.jsonl"], "text.jsonl:1: this is not a line of JSON: Expecting value"),
        (["."], "archive .: this is a folder"),
        (["games.jsonl", "--seat", "green"], "lucid has no seat 'green'; its seats: blue, red"),
        (["games.jsonl", "--turn", "99"], "this game has turns 0 to 8"),
        (["games.jsonl", "--check", "--number", "1"], "--check looks at all games of a file"),
    ],
)
def test_mistakes_get_one_line(sandtable, lines, monkeypatch, words, message):
    monkeypatch.chdir(lines.parent)
    stored(lines, several(1))
    lines.write_text(lines.read_text().splitlines()[0] + "\n")
    Path("notes.txt").write_text("no database " * 100)
    Path("empty.jsonl").write_text("")
    Path("text.jsonl").write_text("no JSON\n")
    assert refusal(sandtable(*words)).startswith(message)


def test_one_turn(sandtable, lines):
    code, out, _ = sandtable(lines, "--number", 1, "--turn", 2)
    assert code == 0
    turn = list(turns(replay(played(number=1))))[1]
    assert "\n2. " in out
    assert f"{turn.after}\n" in out
    assert out.count("Operation Lucid, turn") == 1
    assert "Result" not in out


def test_what_a_seat_sees(sandtable, lines):
    code, out, _ = sandtable(lines, "--seat", "red")
    assert code == 0
    assert "1. blue: e1-e2*3 " in out  # nothing is hidden in Lucid


def test_delay_plays_by_itself(sandtable, lines):
    code, out, _ = sandtable(lines, "--delay", 0.001, "--turn", 6)
    assert code == 0
    assert out.count("Operation Lucid, turn") == 3
    assert "Result" in out


def test_pictures(sandtable, lines, tmp_path):
    folder = tmp_path / "new" / "pictures"
    code, out, _ = sandtable(lines, "--svg", folder)
    assert (code, out) == (0, f"9 pictures in {folder}\n")
    names = sorted(picture.name for picture in folder.iterdir())
    assert names == [f"turn-{number:03}.svg" for number in range(9)]
    for picture in folder.iterdir():
        assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    (tmp_path / "file").write_text("")
    one = stored(tmp_path / "one.jsonl", several(1))
    assert "cannot write" in refusal(sandtable(one, "--svg", tmp_path / "file" / "pictures"))


def test_broken_off_game(sandtable, tmp_path):
    path = stored(tmp_path / "games.jsonl", [broken_off(played(), 20)])
    code, out, _ = sandtable(path)
    assert code == 0
    assert out.endswith("The game was broken off here.\n")


def test_illegal_action_is_shown_where_it_stands(sandtable, lines):
    words = json.loads(lines.read_text().splitlines()[0])["actions"].split()
    words[20] = "a5-goal"
    tampered(lines, 0, actions=" ".join(words))
    code, out, errors = sandtable(lines)
    assert code == 1
    assert "\n1. blue: " in out
    assert "Result" not in out
    problem = errors.splitlines()[-1]
    assert problem.startswith(f"error: game {played().identity}: action 21 of 78: 'a5-goal' is not")


def test_check_counts_the_sound_ones(sandtable, path):
    code, out, errors = sandtable(path, "--check")
    assert (code, out, errors) == (0, f"5 of 5 games in {path} are sound\n", "")


def test_check_lists_every_broken_game(sandtable, lines):
    tampered(lines, 1, scores=[15.0, -15.0])
    tampered(lines, 2, final="5/5/5/5/5 - 36 0 -")
    lines.write_text(lines.read_text() + "{}\n" + record_to_line(played(number=4))[:-20])
    code, out, errors = sandtable(lines, "--check")
    assert (code, out) == (1, f"2 of 6 games in {lines} are sound\n")
    second, third, empty, half = errors.splitlines()
    identities = [played(number=number).identity for number in range(3)]
    assert second.startswith(f"broken: {lines}:2: game {identities[1]}: the outcome is ")
    assert third.startswith(f"broken: {lines}:3: game {identities[2]}: it ends in ")
    assert empty.startswith(f"broken: {lines}:5: 'format' must be 'sandtable-game'")
    assert half == f"broken: {lines}:6: the last line is incomplete"


def test_foreign_text_cannot_write_to_the_screen(sandtable, tmp_path):
    game = json.loads(record_to_line(played()))
    game["outcome"] |= {"reason": "bad \x1b[2J", "forfeited_by": 0, "scores": [0.0, 0.0]}
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(game) + "\n")
    code, out, _ = sandtable(path)
    assert code == 0
    assert "\x1b" not in out
    assert "bad \\x1b[2J" in out


def test_reader_that_goes_away(lines):
    shell = f"'{COMMAND}' replay '{lines}' | head -3"
    ended = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert ended.stdout.startswith("Operation Lucid")
    assert "Traceback" not in ended.stderr


@pytest.fixture
def terminal(lines):
    """The command in a real terminal."""
    child = pexpect.spawn(
        str(COMMAND),
        ["replay", str(lines), "--number", "1"],
        encoding="utf-8",
        timeout=20,
        dimensions=(50, 100),
        env={**os.environ, "TERM": "xterm"},
    )
    yield child
    child.close(force=True)


def test_stepping_in_a_terminal(terminal):
    last = len(list(turns(replay(played(number=1)))))
    for typed, expected in [
        (None, "Enter or n: next turn, p: back, NUMBER: that turn, m: moves as text, q:"),
        (None, r"Operation Lucid, turn 1 of 36"),
        ("", r"1\. \w+: .*end"),
        ("n", r"2\. \w+: .*end"),
        ("p", r"1\. \w+: .*end"),
        ("m", r"moves: \S+ .*end\r\nposition: \S+ [br] 2 0 -"),
        (str(last), rf"{last}\. \w+: .*(?s:.*)Result: blue "),
        ("", rf"There are turns 0 \(the start\) to {last}; q quits"),
        ("999", "There are turns 0"),
        ("what?", "Enter or n: next turn"),
        ("0", r"Operation Lucid, turn 1 of 36"),
        ("p", "There are turns 0"),
    ]:
        if typed is not None:
            terminal.sendline(typed)
        terminal.expect(expected)
        if typed is not None:
            terminal.expect(r"turn \d+ of \d+ > $")
    terminal.sendline("q")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 0


def test_end_of_input_quits(terminal):
    terminal.expect(r"turn 0 of \d+ > ")
    terminal.sendeof()
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 0


def test_help_needs_no_database():
    program = (
        "import sys; from sandtable.cli.main import application;"
        "application(['replay', '--help'], standalone_mode=False);"
        "sys.exit('sqlalchemy' in sys.modules or 'numba' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert ended.returncode == 0
    assert PUBLISHED[1].encode() not in ended.stdout
