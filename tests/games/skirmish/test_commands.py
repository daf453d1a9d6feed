"""``sandtable levels``: new levels, drawings, and one clear line about broken ones."""

import json

import pytest

from sandtable.cli.common import EXIT_FORFEIT
from sandtable.games.skirmish.levels import PUBLISHED


def test_new_levels_are_printed(sandtable):
    code, out, errors = sandtable("levels", "new", "--seed", 17)
    assert (code, errors) == (0, "")
    assert out == "1x6/8/7t/xx6/8/1x6/5x2/xx2T1x1  # random-17\n"


def test_new_levels_are_written_and_can_be_checked(sandtable, tmp_path):
    path = tmp_path / "levels.txt"
    code, out, _ = sandtable("levels", "new", "--seed", 5, "--count", 3, "--out", path)
    assert (code, out) == (0, f"Written: 3 levels to {path}\n")
    lines = path.read_text().splitlines()
    assert [line.rpartition("# ")[2] for line in lines] == ["random-5", "random-6", "random-7"]
    assert sandtable("levels", "check", path)[:2] == (
        0,
        f"3 levels in {path} can be played.\n",
    )


def test_levels_are_shown(sandtable):
    code, out, _ = sandtable("levels", "show", "3")
    assert code == 0
    assert out.splitlines()[0] == PUBLISHED["3"]
    assert "  7   .    ~    ~    ~    .    t    ~    .\n" in out
    assert "land within 2 steps of the own town: First 23, Second 13\n" in out


def test_the_levels_of_a_file_are_shown(sandtable, tmp_path):
    path = tmp_path / "levels.txt"
    path.write_text(f"{PUBLISHED['1']}\n# the third\n{PUBLISHED['3']}\n")
    code, out, _ = sandtable("levels", "show", path)
    assert code == 0
    assert out.count("can be played: the towns are") == 2
    assert f"\n\n{PUBLISHED['3']}\n" in out


def test_levels_made_before_ctrl_c_are_kept(sandtable, tmp_path, monkeypatch):
    def interrupted(seed):
        if seed == 2:
            raise KeyboardInterrupt
        return PUBLISHED["1"]

    monkeypatch.setattr("sandtable.games.skirmish.generator.generate_level", interrupted)
    path = tmp_path / "levels.txt"
    code, out, errors = sandtable("levels", "new", "--count", 5, "--out", path)
    assert (code, out) == (130, f"Written: 2 levels to {path}\n")
    assert errors == "stopped after 2 of 5 levels\n"
    assert len(path.read_text().splitlines()) == 2


def test_unfair_levels_are_shown_with_what_is_wrong(sandtable):
    code, out, _ = sandtable("levels", "show", "8/3t4/8/xxxxxxxx/8/8/3T4/8")
    assert code == 0
    assert out.endswith("not to be played: no way over land joins the two towns\n")


def test_a_level_can_be_checked_by_its_text(sandtable):
    assert sandtable("levels", "check", PUBLISHED["1"])[0] == 0
    code, out, errors = sandtable("levels", "check", "8/3t4/8/xxxxxxxx/8/8/3T4/8")
    assert (code, out) == (1, "")
    assert errors.startswith("error: '8/3t4/8/xxxxxxxx/8/8/3T4/8' cannot be played: no way over")
    assert errors.count("\n") == 1


def test_broken_levels_in_a_file_are_named_by_their_line(sandtable, tmp_path):
    path = tmp_path / "levels.txt"
    path.write_text(f"# a comment\n{PUBLISHED['1']}\n\n8/8\n8/8/8/3t4/3T4/8/8/8 # too near\n")
    code, out, errors = sandtable("levels", "check", path)
    assert (code, out) == (1, "")
    first, second, last = errors.splitlines()
    assert first.startswith(f"{path}:4: '8/8' is no level: a board has 8 rows")
    assert second.startswith(f"{path}:5: ")
    assert last == f"error: 2 of 3 levels in {path} cannot be played"


@pytest.mark.parametrize("content", [b"", b"# nothing\n", b"\xff\xfe\x00"])
def test_files_without_levels_are_refused(sandtable, tmp_path, content):
    path = tmp_path / "levels.txt"
    path.write_bytes(content)
    code, out, errors = sandtable("levels", "check", path)
    assert (code, out, errors.count("\n")) == (1, "", 1)
    assert errors.startswith("error: ")


def test_files_that_cannot_be_written_are_refused(sandtable, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, errors = sandtable("levels", "new", "--out", tmp_path / "file" / "levels.txt")
    assert code == 1
    assert errors.startswith("error: cannot ")


@pytest.mark.parametrize("level", ["9", "no/such/file.txt", "random-x", "x" * 5000, "a\0b"])
def test_what_is_neither_file_nor_level_is_refused(sandtable, level):
    code, _, errors = sandtable("levels", "check", level)
    assert code == 1
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1


def test_two_agents_meet_on_new_levels_from_both_sides(sandtable, tmp_path):
    out = tmp_path / "duel.json"
    words = ("levels", "duel", "skirmish/greedy", "random", "-n", 2, "--seed", 9, "--json", out)
    code, told, _ = sandtable(*words)
    assert code == 0
    assert told.startswith("skirmish/greedy scored ")
    assert "(fewer than 20 observations) on 2 levels" in told
    points = json.loads(out.read_text())["points"]
    assert [len(level) for level in points] == [2, 2]
    assert sandtable(*words)[1] == told


def test_dice_of_agents_are_others_on_every_level(sandtable, tmp_path):
    bot, seen = tmp_path / "bot.py", tmp_path / "seen.txt"
    bot.write_text(
        "class Bot:\n"
        "    def choose(self, view, dice):\n"
        f"        with open({str(seen)!r}, 'a') as file:\n"
        "            file.write(f'{view.turn} {dice.below(1 << 30)}\\n')\n"
        "        raise ValueError('enough')\n"
    )
    sandtable("levels", "duel", f"file:{bot}:Bot", "random", "-n", 3)
    thrown = seen.read_text().splitlines()
    assert len(thrown) == len(set(thrown)) == 6


def test_forfeits_of_a_duel_are_told(sandtable, tmp_path):
    bot, out = tmp_path / "bot.py", tmp_path / "duel.json"
    bot.write_text(
        "class Bot:\n    def choose(self, view, dice):\n        raise ValueError('lost')\n"
    )
    words = ("levels", "duel", f"file:{bot}:Bot", "random", "-n", 1, "--json", out)
    code, told, errors = sandtable(*words)
    assert code == EXIT_FORFEIT
    assert "scored 0.0%" in told
    assert "2 of 2 games were forfeited, the first on random-" in errors
    assert "ValueError: lost" in errors
    assert len(json.loads(out.read_text())["forfeits"]) == 2
    assert sandtable("levels", "duel", "random", "random", "--json", tmp_path)[0] == 1
