"""``sandtable setups``: what is there, drawings, lots, and one clear line about broken ones."""

import pytest

KEEP = "2T62752692/S85276B482/5B36B475B3/324BFB3234"


def test_named_setups_are_listed(sandtable):
    code, out, errors = sandtable("setups", "list")
    assert (code, errors) == (0, "")
    assert out.startswith("classic\n  corner    the flag in a corner")
    assert f"            {KEEP}\n" in out
    assert {"mini", "barrage", "duel"} <= set(out.split())


def test_setups_are_shown(sandtable):
    code, out, _ = sandtable("setups", "show", "keep")
    assert code == 0
    assert out.splitlines()[0] == KEEP
    assert "\n  5  B  3  6  B  4  7  5  B  3\n" in out
    assert "in play: 2 T 6 2 7 5 2 6 9 2 S 8" in out
    assert out.endswith("\nlegal\n")
    code, out, _ = sandtable("setups", "show", "B72T92/FBS35F", "--variant", "mini")
    assert code == 0
    assert out.endswith("\nnot legal: flag: 2 instead of 1; miner: 1 instead of 2\n")


def test_new_setups_are_drawn_and_can_be_checked(sandtable, tmp_path):
    code, out, _ = sandtable("setups", "new", "--seed", 3, "--variant", "mini")
    assert code == 0
    assert out.endswith("  # seed 3\n")
    path = tmp_path / "setups.txt"
    code, out, _ = sandtable("setups", "new", "--count", 3, "--out", path, "--variant", "duel")
    assert (code, out) == (0, f"Written: 3 set-ups to {path}\n")
    assert sandtable("setups", "check", path, "-v", "duel")[:2] == (
        0,
        f"All 3 set-ups in {path} are legal.\n",
    )


def test_a_setup_can_be_checked_by_its_text(sandtable):
    assert sandtable("setups", "check", KEEP)[:2] == (0, "legal\n")
    code, out, errors = sandtable("setups", "check", KEEP.replace("F", "B"))
    assert (code, out) == (1, "")
    assert errors.endswith("is not a legal set-up: flag: none instead of 1; bomb: 7 instead of 6\n")
    assert errors.count("\n") == 1


def test_broken_setups_in_a_file_are_named_by_their_line(sandtable, tmp_path):
    path = tmp_path / "setups.txt"
    path.write_text("# a comment\nB72T92/FBS353\n\nB72T92\nFBS355 # two fives\n\nB72T92/FBS35\n")
    code, out, errors = sandtable("setups", "check", path, "--variant", "mini")
    assert (code, out) == (1, "")
    first, second, last = errors.splitlines()
    assert first == f"{path}:4: rank 5: 2 instead of 1; miner: 1 instead of 2"
    assert second == f"{path}:7: the row 'FBS35' has 5 squares, not 6"
    assert last == f"error: 2 of 3 set-ups in {path} are not legal"


@pytest.mark.parametrize("setup", ["9", "no/such/file.txt", "x" * 5000, "a\0b", "keep#2"])
def test_what_is_neither_file_nor_setup_is_refused(sandtable, setup):
    code, _, errors = sandtable("setups", "check", setup)
    assert code == 1
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1


def test_files_that_cannot_be_written_are_refused(sandtable, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, errors = sandtable("setups", "new", "--out", tmp_path / "file" / "setups.txt")
    assert code == 1
    assert errors.startswith("error: cannot ")


def test_illegal_setups_in_a_game_are_told_in_one_line(sandtable):
    code, _, errors = sandtable("show", "stratego:variant=mini,red=B72T92/FBS35F")
    assert code == 1
    assert errors.startswith("error: 'B72T92/FBS35F' is not a legal set-up: flag: 2 instead of 1")
