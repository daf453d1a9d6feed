"""The champion's own set-ups and the prior of people's: lists, ratios, trials and draws."""

import json
from collections import Counter

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.agent import drawn
from sandtable.games.stratego.agents.champion.people_beliefs import corrected, people_ratios
from sandtable.games.stratego.agents.champion.tested_setups import read_tested_setups
from sandtable.games.stratego.setup_trials import Trial, candidate, stages
from sandtable.games.stratego.setups import Setup, check_setup
from sandtable.registry import make_agent, make_game

KEEP = "2T62752692/S85276B482/5B36B475B3/324BFB3234"
CORNER = "26529627T2/75846S5827/B34B2634B5/FB323B234B"


@pytest.fixture
def trial_file(tmp_path):
    """What a trial leaves: two set-ups, of which one has won more."""
    path = tmp_path / "left.json"
    setups = [
        {"setup": KEEP, "games": 20, "points": 14.0},
        {"setup": CORNER, "games": 20, "points": 13.0},
    ]
    path.write_text(json.dumps({"setups": setups}))
    return path


def test_the_better_a_set_up_was_the_likelier_it_is_drawn(trial_file):
    tested = read_tested_setups(trial_file)
    assert np.isclose(tested.chances[0] / tested.chances[1], np.e)
    dice, drawn_ones = Dice(3), Counter()
    for _ in range(400):
        drawn_ones[tuple(int(rank) for rank in tested.draw(dice))] += 1
    assert len(drawn_ones) == 4  # both, as they are and mirrored
    own = [tuple(map(int, ranks)) for ranks in tested.ranks]
    assert drawn_ones[own[0]] > drawn_ones[own[1]]


def test_a_file_without_set_ups_is_refused(tmp_path):
    path = tmp_path / "none.json"
    path.write_text('{"setups": []}')
    with pytest.raises(SandtableError, match="holds no set-ups of a trial"):
        make_agent(f"stratego/champion:setups={path}")


@pytest.mark.parametrize("setups", ["valued", "people", "file"])
def test_the_champion_sets_up_in_every_way(setups, trial_file):
    game = make_game("stratego:setup=choose")
    where = trial_file if setups == "file" else setups
    champion = make_agent(f"stratego/champion:setups={where}")
    chosen = champion.choose(game.start(Dice(0)).view(0), Dice(1))
    ranks = tuple(action - layout.first_setup_action(10) for action in chosen[:-1])
    assert check_setup(Setup(layout.CLASSIC, ranks)) == []


def test_unknown_set_ups_and_cuts_are_refused():
    with pytest.raises(SandtableError, match="setups is valued, people or a file"):
        make_agent("stratego/champion:setups=best")
    with pytest.raises(SandtableError, match="cut is from 0"):
        make_agent("stratego/champion:cut=2")


def test_moves_below_the_cut_are_never_drawn():
    logits = np.log(np.array([0.5, 0.3, 0.15, 0.05], dtype=np.float32))
    seen = {drawn(logits, Dice(number), 0.4) for number in range(200)}
    assert seen == {0, 1}
    assert {drawn(logits, Dice(number)) for number in range(300)} == {0, 1, 2, 3}


def test_people_put_bombs_in_front_oftener_than_the_training_did():
    ratios = people_ratios()
    assert ratios.shape == (layout.RANKS - 1, 40)
    assert (ratios[layout.BOMB - 1, :10] > 1.5).all()
    assert ratios[layout.SPY - 1, 30:].max() < 1.0
    assert np.allclose(ratios, ratios.reshape(-1, 4, 10)[..., ::-1].reshape(ratios.shape))


def test_beliefs_are_corrected_only_where_a_piece_still_stands():
    state = make_game("stratego").start(Dice(4))
    views = [np.array(state.play(move).view(layout.BLUE).position) for move in state.legal]
    marks = [(view[:100] & (layout.MOVED | layout.KNOWN)).max() for view in views]
    view = views[marks.index(layout.MOVED)]  # after a step, not a long way that shows a scout
    even = np.full((layout.RANKS - 1, 100), 1 / 12, dtype=np.float32)
    found = corrected(even, view, layout.BLUE)
    moved = [square for square in range(100) if int(view[square]) & layout.MOVED]
    assert len(moved) == 1
    assert np.allclose(found[:, moved], 1 / 12)
    front = [int(layout.setup_square(view, layout.RED, place)) for place in range(10)]
    still = [square for square in front if int(view[square]) & layout.OWNED]
    assert (found[layout.BOMB - 1, still] > 1 / 12).all()
    assert np.allclose(found.sum(0), 1.0, atol=1e-5)


def test_a_trial_goes_on_where_it_was(tmp_path):
    assert stages(3) == [(3, 10)]
    played = []
    trial = Trial(tmp_path / "games.jsonl", "stratego/hunter", 3, 1)
    first = trial.run(played.append)
    assert len(played) == trial.games() == 30
    assert sum(each["games"] for each in first) == 30
    lines = trial.path.read_text().splitlines()
    trial.path.write_text("\n".join(lines[:17]) + "\n")
    assert trial.run(played.append) == first
    assert len(played) == 30 + 13
    assert sorted(trial.path.read_text().splitlines()) == sorted(lines)
    assert {each["setup"] for each in first} == {candidate(1, number) for number in range(3)}


def fifth(trial, setup, number):
    """Points without playing: which set-ups lead changes from stage to stage."""
    return (sum(map(ord, setup)) * (7 + number // 10) + number) % 5 / 4


def test_a_trial_that_was_broken_off_ends_as_it_would_have(tmp_path, monkeypatch):
    """Games that some set-ups had of a later stage do not count in the choice before it."""
    monkeypatch.setattr(Trial, "play", fifth)
    whole = Trial(tmp_path / "whole.jsonl", count=40)
    found = whole.run(lambda games: None)
    lines = whole.path.read_text().splitlines(keepends=True)
    assert len(lines) == whole.games()
    for kept in (250, 405, 480, 620):
        part = Trial(tmp_path / f"{kept}.jsonl", count=40)
        torn = "".join(lines[:kept]) + lines[kept][:20]  # killed while a line was written
        part.path.write_text(torn)
        assert part.run(lambda games: None) == found
        assert part.path.read_text() == "".join(lines)


def test_games_of_another_agent_or_seed_count_for_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(Trial, "play", fifth)
    path = tmp_path / "games.jsonl"
    Trial(path, "stratego/hunter", 3, 1).run(lambda games: None)
    assert len(Trial(path, "stratego/hunter", 3, 1).known()) == 30
    assert Trial(path, "stratego/chaser", 3, 1).known() == {}
    assert Trial(path, "stratego/hunter", 3, 2).known() == {}


@pytest.mark.parametrize("text", ['{"agents": []}', '{"other": 1}\n', "a note\nand its end"])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path, text):
    path = tmp_path / "games.jsonl"
    path.write_text(text)
    with pytest.raises(SandtableError, match="holds no games of a trial"):
        Trial(path, "random").run(lambda games: None)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("nobody", "there is no agent 'nobody'"),
        ("lucid/axes-red", "'lucid/axes-red' plays lucid, not stratego"),
        ("human", "'human' is somebody else every time; name a program"),
    ],
)
def test_who_cannot_play_is_told_before_anything_is_written(sandtable, tmp_path, agent, told):
    path = tmp_path / "games.jsonl"
    code, _, errors = sandtable("setups", "trial", path, "--count", 1, "--agent", agent)
    assert code == 1 and told in errors and errors.count("\n") == 1
    assert not path.exists()


def test_a_crash_is_told_and_is_no_loss_of_a_set_up(sandtable, tmp_path):
    """Points of a crash would say that the set-up is bad, and nobody would hear of the mistake."""
    bot, path = tmp_path / "bot.py", tmp_path / "new" / "games.jsonl"
    bot.write_text(
        "class Bot:\n"
        "    def choose(self, view, dice):\n"
        "        raise ValueError('lost')\n"
        "    def close(self):\n"
        f"        with open({str(tmp_path / 'closed')!r}, 'a') as file:\n"
        "            file.write('closed\\n')\n"
    )
    words = ("setups", "trial", path, "--count", 1, "--agent", f"file:{bot}:Bot")
    code, _, errors = sandtable(*words)
    assert code == 1
    assert errors.splitlines()[-1].startswith("error: game 1 behind ")
    assert "cannot count: red forfeits: ValueError: lost" in errors.splitlines()[-1]
    assert path.read_text() == ""
    assert (tmp_path / "closed").read_text().count("closed") == 3  # two checks, and who played


def test_a_file_that_cannot_be_written_is_told(sandtable, tmp_path):
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "games.jsonl"
    code, _, errors = sandtable("setups", "trial", path, "--count", 1, "--agent", "random")
    assert code == 1 and "cannot write" in errors and errors.count("\n") == 1


def test_a_file_that_holds_no_trial_is_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps({"other": 1}) + "\n")
    with pytest.raises(SandtableError, match="holds no games of a trial"):
        Trial(path).known()
