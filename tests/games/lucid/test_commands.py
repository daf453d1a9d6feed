"""``sandtable label``: expert games are recorded, imported, shown and corrected."""

import builtins
import json

import pytest

from games.lucid.agents.expert import expert_file


def words_of(path, game=0):
    """Return the labels of a game in a file."""
    record = json.loads(path.read_text().splitlines()[game])
    return record["annotations"]["expert"]


def first_move(path):
    """Return the first labelled turn and its first group."""
    turn, groups = next(iter(words_of(path)["labels"].items()))
    return turn, next(iter(groups))


def test_record_adds_games_once(sandtable, tmp_path):
    path = tmp_path / "expert.jsonl"
    words = ["label", "record", path, "--agent", "lucid/simple-blue", "--games"]
    code, out, _ = sandtable(*words, 2)
    assert code == 0 and "2 of 2 games are new" in out
    before = path.read_text()
    assert "1 of 3 games are new" in sandtable(*words, 3)[1]
    assert path.read_text().startswith(before)  # the same games, bit for bit


def test_show_counts_and_draws(sandtable, tmp_path):
    path = expert_file(tmp_path)
    code, out, _ = sandtable("label", "show", path)
    assert code == 0 and "4 games by lucid/one-axis-blue" in out and "approach" in out
    assert "turn" in sandtable("label", "show", path, "--game", "2")[1]
    turn, group = first_move(path)
    shown = sandtable("label", "show", path, "--game", "1", "--turn", turn)[1]
    assert "Operation Lucid, turn" in shown and f"1. {group}" in shown


def test_set_corrects_and_rules_keep_it(sandtable, tmp_path):
    path = expert_file(tmp_path)
    turn, group = first_move(path)
    assert sandtable("label", "set", path, 1, turn, group, "attack,outflank")[0] == 0
    assert words_of(path)["labels"][turn][group] == ["attack", "outflank"]
    assert words_of(path)["corrected"] == {turn: [group]}
    assert "0 of 4 games" in sandtable("label", "rules", path)[1]
    assert "1 of 4 games" in sandtable("label", "rules", path, "--all")[1]
    assert words_of(path)["corrected"] == {}


def test_import_takes_finished_games(sandtable, tmp_path):
    played = tmp_path / "played.jsonl"
    match = ["match", "lucid", "lucid/simple-blue", "lucid/axes-red", "--games", 3]
    assert sandtable(*match, "--archive", played)[0] == 0
    path = tmp_path / "expert.jsonl"
    code, out, errors = sandtable("label", "import", played, path)
    assert (code, errors) == (0, "") and "3 of 3 games are new" in out
    assert "0 of 3 games are new" in sandtable("label", "import", played, path)[1]
    red = sandtable("label", "import", played, tmp_path / "red.jsonl", "--seat", "red")
    assert red[0] == 0 and words_of(tmp_path / "red.jsonl")["seat"] == "red"


def test_correct_in_the_terminal(sandtable, tmp_path, monkeypatch):
    path = expert_file(tmp_path)
    turn, group = first_move(path)
    answers = iter(["nonsense", "1 charge", "1 +attack -approach", "", "p", "9 attack", "q"])
    monkeypatch.setattr(builtins, "input", lambda prompt: next(answers))
    code, out, _ = sandtable("label", "correct", path)
    assert code == 0
    assert "there is no category 'charge'" in out and "Groups here: 1 to" in out
    labels = words_of(path)["labels"][turn][group]
    assert "attack" in labels and "approach" not in labels


def test_end_of_input_ends_correcting(sandtable, tmp_path, monkeypatch):
    def nothing(prompt):
        raise EOFError

    monkeypatch.setattr(builtins, "input", nothing)
    assert sandtable("label", "correct", expert_file(tmp_path), "--game", "3")[0] == 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["show", "missing.jsonl"], "there is no file missing.jsonl"),
        (["show", "FILE", "--game", "9"], "there is no game '9'; there are 1 to 4"),
        (["show", "FILE", "--turn", "3"], "name the game of that turn with --game"),
        (["show", "FILE", "--game", "1", "--turn", "99"], "has no turn 99"),
        (["set", "FILE", "1", "1", "z9", "attack"], "has no"),
        (["record", "x.db", "--agent", "lucid/simple-blue"], "ends in .jsonl, unlike 'x.db'"),
        (["record", "x.jsonl", "--agent", "lucid/axes-red"], "'lucid/axes-red' plays red"),
        (["record", "x.jsonl", "--agent", "lucid/simple-blu"], "there is no agent"),
        (["import", "missing.jsonl", "x.jsonl"], "there is no file missing.jsonl"),
    ],
)
def test_mistakes_get_one_line(sandtable, tmp_path, monkeypatch, words, expected):
    path = expert_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    code, _, errors = sandtable("label", *(path if word == "FILE" else word for word in words))
    assert code == 1 and errors.count("\n") == 1
    assert errors.startswith("error: ") and expected in errors


def test_games_of_red_have_no_labels_to_correct(sandtable, tmp_path):
    path = tmp_path / "red.jsonl"
    played = ["--agent", "lucid/axes-red", "--opponent", "lucid/simple-blue", "--seat", "red"]
    assert sandtable("label", "record", path, *played, "--games", 1)[0] == 0
    code, _, errors = sandtable("label", "correct", path)
    assert code == 1 and "has no labels: its experts play Red" in errors


def test_a_person_confirms_and_labels_blindly(sandtable, tmp_path, monkeypatch):
    path = expert_file(tmp_path)
    answers = iter(["y", "q"])
    monkeypatch.setattr(builtins, "input", lambda prompt: next(answers))
    assert sandtable("label", "correct", path)[0] == 0
    turn, group = first_move(path)
    assert words_of(path)["corrected"] == {turn: [group]}
    answers = iter(["y", "1 attack", "q"])
    code, out, _ = sandtable("label", "correct", path, "--blind", "--sample", 3, "--seed", 2)
    assert code == 0 and "move 1 of 3" not in out  # the prompt is the terminal's
    assert "Labels that are not shown cannot be right" in out
    assert sum(len(each) for each in words_of(path)["corrected"].values()) <= 2


def test_compare_rules_with_a_person_and_files_with_each_other(sandtable, tmp_path):
    path, other = expert_file(tmp_path), tmp_path / "other.jsonl"
    code, _, errors = sandtable("label", "compare", path)
    assert code == 1 and "no move of this file has been labelled by a person" in errors
    other.write_text(path.read_text())
    turn, group = first_move(path)
    rule = words_of(path)["labels"][turn][group]
    assert "approach" in rule and "attack" not in rule
    sandtable("label", "set", path, 1, turn, group, "approach", "attack")
    code, out, _ = sandtable("label", "compare", path)
    assert code == 0 and out.startswith("1 moves of force groups, labelled by the rules (ours)")
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines()[3:]}
    assert rows["attack"][:4] == ["0", "0", "1", "0.000"]  # only the person
    out = sandtable("label", "compare", path, other)[1]
    assert "exactly the same labels: 0.9" in out
    assert (
        "no moves that a person labelled in both"
        in sandtable("label", "compare", path, other, "--by-person")[2]
    )
    assert (
        "--rules is one of ours, literal"
        in sandtable("label", "compare", path, "--rules", "litteral")[2]
    )


def test_the_literal_rules_can_be_written_to_a_file(sandtable, tmp_path):
    path = expert_file(tmp_path)
    sandtable("label", "rules", path, "--rules", "literal")
    every = [names for turn in words_of(path)["labels"].values() for names in turn.values()]
    assert all(every)
