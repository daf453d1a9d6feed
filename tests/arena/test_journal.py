"""Journals: what was finished is known, exactly; what is broken, old or another's is not."""

from __future__ import annotations

import json
import resource
import signal
from dataclasses import replace

import numpy as np
import pytest

from sandtable.arena.play import behaviour
from sandtable.arena.play.journal import JournalInUse, open_journal, run_name, runs_folder
from sandtable.arena.play.match import play_match, play_run
from sandtable.arena.play.plan import Interrupted, PlanPlayer, make_plan
from sandtable.arena.play.run import Run, RunOptions, in_order
from sandtable.arena.play.tasks import Cutter
from sandtable.errors import ArchiveError, SandtableError
from sandtable.records.store import open_store

PAIRING = ("lucid/simple-blue", "lucid/axes-red")
RESUMING = RunOptions(resume=True)


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("SANDTABLE_STATE", str(tmp_path / "state"))
    return tmp_path / "state" / "runs"


def plan_of(games=3000, seed=5):
    return make_plan("lucid", PAIRING, games, seed)


def stopped_after(plan, chunks, how=RESUMING):
    """Begin a run and leave it, as if killed, after so many chunks; return how many games."""
    games = 0
    with Run([plan], how) as run:
        for number, (_, chunk) in enumerate(run.chunks()):
            games += len(chunk.scores)
            if number + 1 == chunks:
                break
    return games


def result_of(plan, how=RESUMING):
    with Run([plan], how) as run:
        result = play_run(plan, run)
        run.complete()
    data = result.as_data()
    del data["timing"]
    return json.dumps(data), result


def expected(plan):
    data = play_match(plan).as_data()
    del data["timing"]
    return json.dumps(data)


def test_a_run_goes_on_where_it_was_left(state):
    plan = plan_of()
    known = stopped_after(plan, 3)
    assert 0 < known < plan.games
    text, result = result_of(plan)
    assert result.resumed >= known
    assert text == expected(plan)
    assert list(state.iterdir()) == []  # nothing is left of a run that is complete
    assert result_of(plan)[1].resumed == 0


@pytest.mark.parametrize("rotate", [True, False], ids=["measures", "luck"])
def test_every_bit_comes_back(with_race, rotate):
    agents = ["race/bold", "random", "random", "random"]
    plan = make_plan("race", agents, 40, seed=1, rotate=True) if rotate else plan_of(40)
    player = PlanPlayer(plan)
    chunk = replace(player.play(4, 24, True), forfeits=[(5, 1, "red forfeits: \u00e4 \n x")])
    chunk.measures[3] = np.nan
    assert rotate == bool(chunk.measures.size) != bool(chunk.luck.size)
    journal = open_journal([plan])
    journal.add(0, chunk)
    journal.close()
    again = open_journal([plan])
    ((number, known),) = again.known()
    assert (number, known.first, known.forfeits) == (0, 4, chunk.forfeits)
    assert known.records == chunk.records == again.last_records
    for name in ("scores", "luck", "measures"):
        assert getattr(known, name).tobytes() == getattr(chunk, name).tobytes()
        assert getattr(known, name).shape == getattr(chunk, name).shape
    again.close()


@pytest.mark.parametrize("cut", [1, 10, -1])
def test_half_a_line_counts_as_none(state, cut):
    plan = plan_of()
    stopped_after(plan, 3)
    (path,) = state.iterdir()
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    end = last + cut if cut > 0 else len(whole) - 1
    path.write_bytes(whole[:end])
    journal = open_journal([plan])
    assert len(list(journal.known())) == 2
    assert path.read_bytes() == whole[:last]
    journal.close()
    assert result_of(plan)[0] == expected(plan)


def test_a_changed_byte_is_noticed(state):
    plan = plan_of()
    stopped_after(plan, 3)
    (path,) = state.iterdir()
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"count":', b'"count": ')
    path.write_bytes(b"".join(lines))
    journal = open_journal([plan])
    assert len(list(journal.known())) == 1  # what stands behind it may be as broken
    journal.close()


def test_what_makes_another_run(monkeypatch, tmp_path):
    plan = plan_of()
    names = {
        run_name([plan], ""),
        run_name([plan], "games.db"),
        run_name([plan, plan], ""),
        run_name([replace(plan, seed=6)], ""),
        run_name([replace(plan, games=3001)], ""),
    }
    bot = tmp_path / "bot"
    for text in ("one", "another"):  # a program that is an agent counts with what is in it
        bot.write_text(text)
        names.add(run_name([replace(plan, agents=(f"external:{bot}", PAIRING[1]))], ""))
    monkeypatch.setattr(behaviour, "folder_digest", lambda root: b"other sources")
    names.add(run_name([plan], ""))
    assert len(names) == 8


def test_the_same_command_twice_at_once_is_refused():
    plan = plan_of()
    with Run([plan], RESUMING), pytest.raises(SandtableError, match="is running already"):
        Run([plan], RESUMING).__enter__()


def test_matches_of_one_command_are_known_until_all_are_told(state):
    plan, journals = plan_of(), []
    first = play_match(plan, journals=journals)
    again = play_match(plan, journals=journals)
    assert (first.resumed, again.resumed) == (0, plan.games)
    assert np.array_equal(first.scores, again.scores)
    assert set(journals) == set(state.iterdir())
    with Run([plan], RESUMING):  # somebody else plays it: then it is played without a journal
        assert play_match(plan, journals=journals).resumed == 0


def test_a_home_that_cannot_be_written(monkeypatch, tmp_path):
    monkeypatch.delenv("SANDTABLE_STATE")
    (tmp_path / "file").write_text("")  # no folder can be made under a file, not even by root
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert runs_folder().is_relative_to(tmp_path)
    journal = open_journal([plan_of()])
    assert journal.path.exists()
    journal.close()


def test_fresh_starts_over():
    plan = plan_of()
    stopped_after(plan, 3)
    assert result_of(plan, RunOptions(resume=True, fresh=True))[1].resumed == 0


@pytest.mark.parametrize("ending", ["db", "jsonl"])
def test_records_that_did_not_reach_the_archive_are_added_once(tmp_path, monkeypatch, ending):
    plan = plan_of(games=200)
    how = RunOptions(resume=True, archive=str(tmp_path / f"games.{ending}"))
    stopped_after(plan, 2, how)
    with monkeypatch.context() as broken, Run([plan], how) as run:

        def fail(records):
            raise ArchiveError("no room")

        broken.setattr(run.store, "add", fail)
        with pytest.raises(ArchiveError):
            list(run.chunks())
        run.journal.spans.clear()
        run.journal.read()
        known = run.journal.games
    text, result = result_of(plan, how)
    assert result.resumed == known
    assert text == expected(plan)
    store = open_store(how.archive)
    assert sorted(record.number for record in store.records()) == list(range(200))
    store.close()


def test_a_full_disk_loses_nothing(state):
    plan = plan_of(games=20_000)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, limit[1]))
        with pytest.raises(SandtableError, match="all games before are kept"):
            result_of(plan)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    text, result = result_of(plan)
    assert 0 < result.resumed < plan.games
    assert text == expected(plan)


def test_ctrl_c_keeps_the_games_of_an_unfinished_chunk(monkeypatch):
    plan = plan_of(games=30)
    player = PlanPlayer(plan)
    player.policies = None
    games = 0
    play_one = PlanPlayer._play_one

    def interrupted(self, chunk, index, keep_records):
        nonlocal games
        games += 1
        if games == 8:
            raise KeyboardInterrupt
        play_one(self, chunk, index, keep_records)

    monkeypatch.setattr(PlanPlayer, "_play_one", interrupted)
    with pytest.raises(Interrupted) as stop:
        player.play(10, 20, False)
    whole = PlanPlayer(plan).play(10, 7, False)
    assert np.array_equal(stop.value.finished.scores, whole.scores)


def test_chunks_in_the_order_of_the_games():
    chunks = [PlanPlayer(plan_of(50)).play(first, 10, False) for first in (20, 0, 10, 40, 30)]
    ordered = [(plan, chunk.first) for plan, chunk in in_order((1, chunk) for chunk in chunks)]
    assert ordered == [(1, 0), (1, 10), (1, 20), (1, 30), (1, 40)]


def test_gaps_are_filled_evenly_over_the_plans():
    plans = [plan_of(40), plan_of(20)]
    cutter = Cutter(plans, [1, 1], workers=2)
    cutter.leave_out(0, [(5, 10), (30, 10)])
    cutter.sizes = [4, 4]
    tasks = []
    while task := cutter.cut():
        tasks.append(task)
    assert [task.plan for task in tasks[:5]] == [1, 1, 1, 0, 0]
    numbers = [sorted(n for t in tasks if t.plan == plan for n in range(t.first, t.first + t.count))
               for plan in (0, 1)]  # fmt: skip
    assert numbers == [[*range(5), *range(15, 30)], list(range(20))]


def test_a_fresh_start_leaves_a_journal_alone_that_another_process_writes(tmp_path, monkeypatch):
    monkeypatch.setenv("SANDTABLE_STATE", str(tmp_path))
    plans = [make_plan("skirmish:max_turns=2", ["random", "random"], 4, seed=0)]
    first = open_journal(plans)
    before = first.path.read_bytes()
    with pytest.raises(JournalInUse):
        open_journal(plans, fresh=True)
    assert first.path.read_bytes() == before  # not unlinked, not emptied
    first.close()
    again = open_journal(plans, fresh=True)
    assert again.games == 0
    again.remove()
    assert not again.path.exists()
