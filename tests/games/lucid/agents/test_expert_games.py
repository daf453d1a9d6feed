"""Files of expert games: what is read from them, and what is said about broken ones."""

import json

import numpy as np
import pytest

from games.lucid.agents.expert import EXPERT, expert_file, expert_records
from sandtable.errors import SandtableError
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.expert.games import (
    annotated,
    corrected,
    expert_game,
    read_expert_games,
)
from sandtable.games.lucid.agents.expert.lookup import (
    entries_of,
    mirrored_actions,
    mirrored_position,
)
from sandtable.games.lucid.learning.expert_database import (
    counts,
    importable,
    relabelled,
    write_games,
)
from sandtable.records.store import open_store
from sandtable.registry import make_game

GAME = make_game("lucid")


def test_games_come_back_with_turns_and_labels(tmp_path):
    path = expert_file(tmp_path)
    games = read_expert_games(path)
    assert [game.record for game in games] == list(expert_records())
    for game in games:
        assert game.seat == 0 and game.record.seats[0] == EXPERT
        assert {turn.seat for turn in game.turns} == {0, 1}  # both players' turns
        numbers = [turn.number for turn in game.turns]
        assert numbers == list(range(1, len(numbers) + 1))
        for turn in game.turns:
            assert bool(turn.groups) == (turn.seat == 0)
            played = GAME.parse(GAME.notation.position_line(turn.before))
            for action in turn.actions:
                played = played.play(action)
            assert played.position.tolist() == turn.after.tolist()
    found = counts(games)
    assert found["moves of force groups"] >= sum(found[name] > 0 for name in found)
    assert found["approach"] > 10 and found["goToGoal"] > 0


def test_a_person_corrects_labels(tmp_path):
    record = expert_records()[0]
    turn, labels = next(iter(record.annotations["expert"]["labels"].items()))
    group = next(iter(labels))
    changed = corrected(record, int(turn), group.upper(), ["outflank", "approach"])
    game = expert_game(changed)
    first = next(each for each in game.turns if each.number == int(turn))
    assert first.groups[0].names == ["approach", "outflank"] and first.groups[0].by_person
    assert record != changed  # the old one is as it was
    again = expert_game(relabelled(changed))
    kept = next(each for each in again.turns if each.number == int(turn))
    assert kept.groups[0].names == ["approach", "outflank"]
    assert relabelled(changed, keep_corrected=False) == record


def test_positions_are_entered_twice_once_mirrored(tmp_path):
    games = read_expert_games(expert_file(tmp_path))
    for seat in (0, 1):
        entries = entries_of(games, seat, "here")
        turns = sum(turn.seat == seat for game in games for turn in game.turns)
        assert len(entries.entries) == len(entries.positions) == 2 * turns
        entry, mirrored = entries.entries[6:8]
        assert mirrored.mirrored and mirrored.turn == entry.turn
        assert (
            mirrored.desired.reshape(5, 5)[:, ::-1].tolist() == entry.desired.reshape(5, 5).tolist()
        )
        assert entries.nearest(mirrored.before)[1] == 0


def test_mirrored_moves_are_legal_in_mirrored_positions(tmp_path):
    for game in read_expert_games(expert_file(tmp_path)):
        for turn in game.turns:
            state = type(GAME.start())(GAME, mirrored_position(turn.before))
            for action in mirrored_actions(turn.actions):
                state = state.play(action)
            assert np.array_equal(state.position, mirrored_position(turn.after))


def test_distance_counts_units_turns_and_defenders(tmp_path):
    games = read_expert_games(expert_file(tmp_path, games=1))
    entries = entries_of(games, 0, "here")
    position = np.array(entries.entries[0].before)
    assert entries.nearest(position) == (entries.entries[0], 0)
    position[rules.BLUE] -= 1
    position[rules.RED + 20] -= 1
    position[rules.PLAYED] += 3
    position[rules.ATTACKER + 7] = rules.RED_ATTACKS
    alone = entries_of(games[:1], 0, "here")
    alone.positions[1:, rules.PLAYED] = 1000  # all others far away
    assert alone.nearest(position)[1] == 1 + 1 + 3 + 1


def test_games_a_person_played_are_imported(tmp_path):
    plain = [annotated(record, 0) for record in expert_records()]
    stripped = [
        type(record)(**{**vars(record), "annotations": {"comment": "mine"}}) for record in plain
    ]
    broken_off = type(plain[0])(**{**vars(plain[0]), "number": 77, "outcome": None})
    store = open_store(str(tmp_path / "games.db"))
    store.add([*stripped, broken_off])
    taken, left_out = importable(store, 0)
    store.close()
    assert len(taken) == len(plain)
    assert all(record.annotations["comment"] == "mine" for record in taken)
    assert [record.annotations["expert"] for record in taken] == [
        record.annotations["expert"] for record in plain
    ]
    assert len(left_out) == 1 and "was broken off" in left_out[0]


# --- broken files --------------------------------------------------------------------------------


def broken(tmp_path, change):
    """Write a file whose second game was changed as JSON."""
    path = expert_file(tmp_path)
    lines = path.read_text().splitlines()
    fields = json.loads(lines[1])
    changed = change(fields)
    lines[1] = json.dumps(fields if changed is None else changed)
    path.write_text("\n".join(lines) + "\n")
    return path


def first_turn(fields):
    return next(iter(fields["annotations"]["expert"]["labels"]))


def without_a_turn(fields):
    del fields["annotations"]["expert"]["labels"][first_turn(fields)]


def without_a_group(fields):
    fields["annotations"]["expert"]["labels"][first_turn(fields)] = {}


def with_a_wrong_group(fields):
    fields["annotations"]["expert"]["labels"][first_turn(fields)]["e5"] = ["attack"]


def with_an_unknown_label(fields):
    labels = fields["annotations"]["expert"]["labels"][first_turn(fields)]
    labels[next(iter(labels))] = ["charge"]


def with_a_turn_of_red(fields):
    fields["annotations"]["expert"]["labels"]["36"] = {}


def without_an_expert(fields):
    fields["annotations"] = {}


def with_half_an_annotation(fields):
    fields["annotations"]["expert"] = {"seat": "blue"}


def with_another_seat(fields):
    fields["annotations"]["expert"]["seat"] = "green"


def with_another_move(fields):
    fields["actions"] = fields["actions"].replace("end", "c4-c5 end", 1)


def broken_off(fields):
    fields["outcome"] = None


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (without_a_turn, "has no labels for turn"),
        (without_a_group, "no labels for group 'a1 b1 c1 d1 e1'"),
        (with_a_wrong_group, "there is no group 'e5'"),
        (with_an_unknown_label, "there is no category 'charge'"),
        (with_a_turn_of_red, "'labels' has turn 36, which is not one of Blue's"),
        (without_an_expert, "is not marked as an expert's; 'sandtable label import' does so"),
        (with_half_an_annotation, "'expert' must be an object with seat, labels, corrected"),
        (with_another_seat, "lucid has no seat 'green'"),
        (with_another_move, "'c4-c5' is not legal in"),
        (broken_off, "was broken off; only finished games count"),
    ],
)
def test_broken_games_get_one_line_with_their_place(tmp_path, change, expected):
    path = broken(tmp_path, change)
    with pytest.raises(SandtableError) as problem:
        read_expert_games(path)
    line = str(problem.value)
    assert line.startswith(f"{path}:2: ") and expected in line and "\n" not in line


def test_truncated_empty_and_missing_files_get_one_line(tmp_path):
    path = expert_file(tmp_path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(SandtableError, match=r"expert.jsonl:4: the last line is incomplete"):
        read_expert_games(path)
    path.write_text("")
    with pytest.raises(SandtableError, match="holds no games"):
        read_expert_games(path)
    with pytest.raises(SandtableError, match="there is no file"):
        read_expert_games(tmp_path / "nothing.jsonl")
    with pytest.raises(SandtableError, match="cannot make the folder"):
        write_games(tmp_path / "expert.jsonl" / "x.jsonl", expert_records())


def test_red_experts_have_no_labels(tmp_path):
    record = annotated(expert_records()[0], 1)
    assert record.annotations["expert"] == {"seat": "red", "labels": {}, "corrected": {}}
    path = tmp_path / "red.jsonl"
    write_games(path, [record])
    (game,) = read_expert_games(path)
    assert game.seat == 1 and not any(turn.groups for turn in game.turns)


def test_what_cannot_be_corrected_is_told():
    record = expert_records()[0]
    turn, labels = next(iter(record.annotations["expert"]["labels"].items()))
    group = next(iter(labels))
    for arguments, expected in [
        ((99, group, []), "has no labels in turn 99"),
        ((int(turn), "e5", []), "has no group 'e5'; there are"),
        ((int(turn), group, ["run"]), "there is no category 'run'"),
    ]:
        with pytest.raises(SandtableError, match=expected):
            corrected(record, *arguments)
