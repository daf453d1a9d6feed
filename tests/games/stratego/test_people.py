"""What people and programs at the table are told: the rule they broke, and nothing hidden."""

import numpy as np
import pytest

from games.stratego.boards import state_of
from sandtable.agents.human.turn import TurnInProgress
from sandtable.arena.play.game_loop import play_game
from sandtable.cli.screen import Screen
from sandtable.dice import Dice
from sandtable.errors import IllegalAction
from sandtable.registry import make_agent, make_game

MINI = make_game("stratego:variant=mini")
CHOOSE = make_game("stratego:variant=mini,setup=choose")
SETUP = "7 9 3 2 F S T 3 B 2 5 B done"


class Stubborn:
    """Answers every question with the same move, and remembers what it was told."""

    def __init__(self, action):
        self.action, self.told = action, []

    def choose(self, view, dice):
        return view.game.notation.parse_action(self.action)

    def watch(self, view, action):
        self.told.append(action)


def test_a_person_is_told_the_rule():
    state = MINI.start(Dice(1)).view(0)
    with pytest.raises(IllegalAction, match="'a1-a2' is not legal now: the bomb on a1 never moves"):
        TurnInProgress(state).add(MINI.notation.parse_action("a1-a2"))


def test_the_reason_of_a_forfeit_tells_the_other_side_nothing():
    agents = [Stubborn("a1-a2"), make_agent("random")]
    record = play_game(MINI, agents, specs=["stubborn", "random"], seed=0, number=0).record
    assert record.outcome.forfeited_by == 0
    assert record.outcome.reason == "red forfeits: 'a1-a2' is not legal"


def test_errors_show_no_more_than_the_mover_knows():
    red, blue = {"a1": "F", "e4": "5", "b1": "B"}, {"a10": "F", "e5": "6", "j10": "2"}
    with pytest.raises(IllegalAction) as caught:
        state_of(red, blue).play("b1-b2")
    assert "b?" in str(caught.value)
    assert "b6" not in str(caught.value)


def test_a_person_sees_moves_but_not_the_set_up_of_the_other(capsys):
    screen = Screen(CHOOSE, [0], delay=0, quiet=False)
    dice = Dice(1)
    state = CHOOSE.start(dice)
    for seat in (0, 1):
        for word in SETUP.split():  # answered bit by bit, as many agents do
            action = CHOOSE.notation.parse_action(word)
            after = state.play(action)
            screen.show_turn(state, seat, [action], after)
            state = after
    shown = capsys.readouterr().out
    assert f"1. red: {SETUP}\n" in shown
    assert "blue" not in shown
    for seat, word in ((0, "b2-b3"), (1, "a5-a4")):
        action = CHOOSE.notation.parse_action(word)
        screen.show_turn(state, seat, [action], state.play(action))
        state = state.play(action)
    assert "4. blue: a5-a4\n" in capsys.readouterr().out


def test_programs_are_not_told_what_the_other_one_puts_down():
    watcher = make_agent("random")
    watcher.told = []
    watcher.watch = lambda view, action: watcher.told.append(action)
    record = play_game(
        CHOOSE, [watcher, make_agent("random")], specs=["random"] * 2, seed=1, number=0
    ).record
    own, others = record.actions[:13], record.actions[13:26]
    assert watcher.told[:13] == list(own)
    assert watcher.told[13:26] == [None] * 12 + [others[-1]]
    assert watcher.told[26:] == list(record.actions[26:])


def test_random_plays_the_same_games_in_kernels_and_in_python():
    from sandtable.arena.play.compiled_games import play_games, policies

    agents = [make_agent("random"), make_agent("random")]
    kept = play_games(CHOOSE, policies(CHOOSE, agents), 5, 0, 3, keep=True)
    for number in range(3):
        record = play_game(CHOOSE, agents, specs=["random"] * 2, seed=5, number=number).record
        length = int(kept.lengths[number])
        assert np.array_equal(kept.actions[number, :length], record.actions)
