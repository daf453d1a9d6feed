"""Games of the author's own program: ours must see the same boards, ages, moves and winners."""

import numpy as np
import pytest

from games.recorded import recorded
from sandtable.dice import Dice
from sandtable.games.skirmish import layout, rules
from sandtable.registry import make_game
from sandtable.types import OVER

KIND_OF_CODE = {3: layout.TOWN, 4: layout.BARRACKS, 6: layout.WORKER, 7: layout.SOLDIER}
CODE_OF_KIND = {kind: code for code, kind in KIND_OF_CODE.items()}
SEAT = {1: layout.FIRST, -1: layout.SECOND}


def position_of(board, ages):
    """Write the author's board into an array as ``start`` finds it."""
    position = make_game("skirmish:both_empty=second,start=town-only").empty_position()
    for square, (code, age) in enumerate(zip(board, ages, strict=True)):
        kind = KIND_OF_CODE.get(abs(code), 0)
        position[layout.LAND + square] = code != 0
        position[layout.UNITS + square] = kind if code > 0 else -kind
        position[layout.AGES + square] = abs(age)
    return position


def board_of(position):
    """Return board and ages as the author writes them."""
    board, ages = [], []
    for square in range(layout.SQUARES):
        unit, age = int(position[layout.UNITS + square]), int(position[layout.AGES + square])
        sign = 1 if unit > 0 else -1
        board.append(sign * CODE_OF_KIND[abs(unit)] if unit else int(position[square]))
        ages.append(sign * age if unit else 0)
    return board, ages


def action_of(origin, target):
    return rules.action_between(origin, target)


def replay(game):
    """Replay one game and return how many half-turns it had."""
    dice = Dice(0).array
    position = position_of(game["start_board"], game["start_age"])
    rules.start(position, dice)
    mask = np.zeros(layout.ACTIONS, dtype=bool)
    for half_turn in game["half_turns"]:
        assert rules.turn(position) == SEAT[half_turn["player"]]
        assert board_of(position) == (half_turn["inc_board"], half_turn["inc_age"])
        rules.legal(position, mask)
        moves = [divmod(code, 64) for code in half_turn["valid"]]
        expected = [action_of(*move) for move in moves] or [layout.PASS]
        assert np.flatnonzero(mask).tolist() == expected
        action = action_of(*half_turn["move"]) if half_turn["move"] else layout.PASS
        moved = position.copy()
        rules.move(moved, action)
        assert board_of(moved) == (half_turn["board"], half_turn["age"])
        rules.apply(position, action, dice)
    assert rules.turn(position) == OVER
    assert winner(position) == game["winner"]
    return len(game["half_turns"])


def winner(position):
    scores = np.zeros(2)
    rules.score(position, scores)
    return scores[layout.FIRST]


@pytest.mark.parametrize(
    ("name", "which", "half_turns"),
    [
        ("random_games", "carried", 2_094),
        ("random_games", "complete", 11_224),
        ("training_starts", "carried", 696),
        ("training_starts", "complete", 3_197),
    ],
)
def test_games_replay_exactly(name, which, half_turns):
    assert sum(replay(game) for game in recorded("skirmish", name, which)) == half_turns


def test_our_levels_start_like_the_authors():
    dice = Dice(0).array
    for game in recorded("skirmish", "random_games", "carried"):
        theirs = position_of(game["start_board"], game["start_age"])
        ours = make_game(f"skirmish:level={game['level']},both_empty=second").empty_position()
        rules.start(theirs, dice)
        rules.start(ours, dice)
        assert (ours == theirs).all()


def test_published_games_replay_exactly():
    free = 0
    for game in recorded("skirmish", "published_games", "carried"):
        rules_of_game = make_game(f"skirmish:level={game['level']},both_empty=second,passes=both")
        state = rules_of_game.start()
        for move in game["moves"]:
            assert state.turn != OVER
            if move is None:
                action = layout.PASS
                free += state.legal != (layout.PASS,)
            else:
                action = action_of(*(row * 8 + column for row, column in move))
            state = state.play(action)
        assert state.outcome.scores[layout.FIRST] == game["winner"]
        assert state.position[layout.PLAYED] == game["half_turns"]
    assert free == 93  # passes although there were moves, which is why there is an option
