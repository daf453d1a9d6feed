"""Notes and variations in records: kept with the game, checked, and never in its way."""

from __future__ import annotations

import pytest

from sandtable.arena.play.game_loop import play_game
from sandtable.errors import ArchiveError, IllegalAction, SandtableError
from sandtable.records import replay
from sandtable.records.notes import MOST_NOTES, Note, check_note, notes_of, with_note, without_note
from sandtable.records.store import open_store
from sandtable.registry import make_agent, make_game


@pytest.fixture(scope="module")
def record():
    game = make_game("skirmish:max_turns=4")
    agents = [make_agent("random"), make_agent("random")]
    return play_game(game, agents, specs=("random", "random"), seed=1, number=0).record


@pytest.mark.parametrize("name", ["games.jsonl", "games.db"])
def test_notes_are_kept_with_the_game_and_change_nothing_else(tmp_path, record, name):
    store = open_store(str(tmp_path / name))
    store.add([record])
    note = Note(2, "Here it tips.", (record.actions[2],))
    for _ in range(2):  # the same note is kept once
        store.annotate(record.identity, lambda old: with_note(old, note))
    store.annotate(record.identity, lambda old: with_note(old, Note(0, "a start")))
    found = store.get(record.identity)
    assert notes_of(found.annotations) == [note, Note(0, "a start")]
    replay.check(found)
    assert (found.actions, found.outcome, found.final) == (
        record.actions,
        record.outcome,
        record.final,
    )
    assert store.count() == 1
    store.annotate(record.identity, lambda old: without_note(old, 0))
    assert notes_of(store.get(record.identity).annotations) == [Note(0, "a start")]
    store.add([record])  # which is known, and takes no note away
    assert notes_of(store.get(record.identity).annotations) == [Note(0, "a start")]
    with pytest.raises(ArchiveError, match="no game"):
        store.annotate("0000000000-9", dict)
    store.close()


def test_a_note_must_fit_its_game(record):
    check_note(record, Note(1, "words"))
    check_note(record, Note(1, "", (record.actions[1],)))
    game = replay.start_of(record).game
    illegal = next(
        each for each in range(game.action_count) if each not in replay.start_of(record).legal
    )
    with pytest.raises(IllegalAction):
        check_note(record, Note(0, "", (illegal,)))
    for wrong, words in (
        (Note(len(record.actions) + 1, "words"), "actions, not"),
        (Note(1, "  "), "write something"),
        (Note(len(record.actions), "", (0,)), "the game is over"),
    ):
        with pytest.raises(SandtableError, match=words):
            check_note(record, wrong)


def test_what_others_wrote_into_annotations_stays_and_is_no_note():
    strange = {"notes": ["x", {"ply": -1, "text": "x"}, {"ply": 1, "text": 2}], "expert": {"a": 1}}
    assert notes_of(strange) == []
    assert with_note(strange, Note(1, "good"))["expert"] == {"a": 1}
    many = {"notes": [Note(each, "x").as_data() for each in range(MOST_NOTES)]}
    with pytest.raises(SandtableError, match="at most"):
        with_note(many, Note(1, "one more"))
    with pytest.raises(SandtableError, match="no such note"):
        without_note({}, 0)
