"""The champion's own set-ups and the prior of people's: lists, ratios, trials and draws."""

import json

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion import tested_setups as own
from sandtable.games.stratego.agents.champion.agent import drawn
from sandtable.games.stratego.agents.champion.people_beliefs import corrected, people_ratios
from sandtable.games.stratego.setup_trials import Trial, candidate, stages
from sandtable.games.stratego.setups import Setup, check_setup
from sandtable.registry import make_agent, make_game


def test_tested_set_ups_are_legal_and_the_better_the_likelier():
    setups, chances = own.tested_setups()
    assert len({tuple(setup) for setup in setups}) == len(setups) >= 5
    for setup in setups:
        assert check_setup(Setup(layout.CLASSIC, tuple(map(int, setup)))) == []
    assert np.isclose(chances.sum(), 1.0)
    assert (chances > 0).all()


def test_tested_set_ups_are_drawn_mirrored_too():
    setups, _ = own.tested_setups()
    dice, found = Dice(3), set()
    for _ in range(300):
        found.add(tuple(int(rank) for rank in own.draw_tested(dice)))
    listed = {tuple(map(int, setup)) for setup in setups}
    mirrored = {tuple(map(int, setup.reshape(4, 10)[:, ::-1].ravel())) for setup in setups}
    assert found <= listed | mirrored
    assert found & (mirrored - listed)
    assert len(found) > 3


@pytest.mark.parametrize("setups", ["valued", "people", "tested"])
def test_the_champion_sets_up_in_every_way(setups):
    game = make_game("stratego:setup=choose")
    champion = make_agent(f"stratego/champion:setups={setups}")
    chosen = champion.choose(game.start(Dice(0)).view(0), Dice(1))
    ranks = tuple(action - layout.first_setup_action(10) for action in chosen[:-1])
    assert check_setup(Setup(layout.CLASSIC, ranks)) == []


def test_unknown_set_ups_and_cuts_are_refused():
    with pytest.raises(SandtableError, match="setups is valued, people, tested"):
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


def test_a_file_that_holds_no_trial_is_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps({"other": 1}) + "\n")
    with pytest.raises(SandtableError, match="holds no games of a trial"):
        Trial(path).known()
