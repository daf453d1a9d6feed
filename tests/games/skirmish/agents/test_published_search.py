"""The published accounting, decision by decision and game by game as it was recorded."""

from __future__ import annotations

import numpy as np

from games.recorded import recorded
from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.dice import Dice
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.agents.evaluations import CONSTANT, SIMPLE, evaluate, interesting
from sandtable.registry import make_agent, make_game
from sandtable.types import State

KINDS = {
    3: layout.TOWN,
    4: layout.BARRACKS,
    6: layout.WORKER,
    7: layout.SOLDIER,
}  # as the recordings number them
BOTH_SEATS = 3
EVALUATIONS = {"const": "constant", "simple": "simple"}


def state_of(row: dict) -> State:
    """Return the position of a recorded decision, in which both sides may pass."""
    game = make_game("skirmish:both_empty=second,passes=both")
    position = np.zeros(game.position_size, dtype=np.int16)
    for square, (tile, age) in enumerate(zip(row["board"], row["age"], strict=True)):
        position[layout.LAND + square] = tile != 0
        if abs(tile) in KINDS:
            position[layout.UNITS + square] = KINDS[abs(tile)] * np.sign(tile)
            position[layout.AGES + square] = abs(age)
    position[layout.MOVER] = 0 if row["player"] == 1 else 1
    position[layout.BOTH_EMPTY] = layout.SECOND_WINS
    position[layout.FREE_PASS] = BOTH_SEATS
    return State(game, position)


def squares(action: int) -> list[int] | None:
    """Return an action as the recordings write it: from and to, or nothing for a pass."""
    return (
        None if action == layout.PASS else [action // layout.STEPS, int(layout.DESTINATION[action])]
    )


def test_evaluations_of_both_viewpoints():
    for row in recorded("skirmish", "search_decisions", "carried"):
        position = state_of(row).position
        for name, weights in (("value_const", CONSTANT), ("value_simple", SIMPLE)):
            for player, value in row[name].items():
                seat = 0 if player == "1" else 1
                assert evaluate(position, seat, np.array(weights)) == value


def test_interesting_moves_with_the_slip():
    plain_steps = 0
    for row in recorded("skirmish", "search_decisions", "carried"):
        state = state_of(row)
        found = [action for action in state.legal if interesting(state.position, action)]
        moves = [squares(action) for action in found]
        expected = sorted(divmod(number, layout.SQUARES) for number in row["interesting"])
        assert sorted(tuple(move) for move in moves) == expected
        plain_steps += sum(
            origin != target and state.position[layout.UNITS + target] == 0
            for origin, target in moves
        )
    assert plain_steps > 0  # otherwise the slip has not been seen


def test_every_recorded_decision():
    rows = recorded("skirmish", "search_decisions", "carried")
    compared = 0
    for row in rows:
        state = state_of(row)
        for key, evaluation in EVALUATIONS.items():
            for budget, move in row[key].items():
                agent = make_agent(
                    f"alphabeta:budget={budget},evaluation={evaluation},ordering=published"
                )
                assert squares(agent.choose(state, Dice(0))) == move, (key, budget, state.line)
                compared += 1
    assert compared == 10 * len(rows)


def test_without_the_option_the_first_move_is_played_instead_of_a_pass():
    row = next(
        row
        for row in recorded("skirmish", "search_decisions", "carried")
        if row["const"]["20"] is None
    )
    state = state_of(row)
    position = np.array(state.position)
    position[layout.FREE_PASS] = 0
    agent = make_agent("alphabeta:budget=20,evaluation=constant,ordering=published")
    assert agent.choose(state, Dice(0)) == layout.PASS
    forced = State(make_game("skirmish:both_empty=second"), position)
    tempting = [action for action in forced.legal if interesting(position, action)]
    assert agent.choose(forced, Dice(0)) == tempting[-1]


def test_every_published_game_move_for_move():
    for row in recorded("skirmish", "published_games", "carried"):
        game = make_game(f"skirmish:level={row['level']},both_empty=second,passes=both")
        simple = make_agent("alphabeta:budget=5000,evaluation=simple,ordering=published")
        constant = make_agent(
            f"alphabeta:budget={row['budget']},evaluation=constant,ordering=published"
        )
        seated = [simple, constant] if row["simple_plays"] == 1 else [constant, simple]
        acting = policies(game, seated)
        assert acting is not None
        played = play_games(game, acting, 0, 0, 1, keep=True)
        assert played.actions is not None
        actions = played.actions[0, : played.lengths[0]]
        moves = [move and [8 * down + right for down, right in move] for move in row["moves"]]
        assert [squares(int(action)) for action in actions] == moves
        assert played.scores[0, 0] == row["winner"]
