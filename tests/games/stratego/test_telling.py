"""Hidden information in whatever is told while a game goes on: two games a seat cannot tell apart.

Both begin in positions that differ in ranks the seat does not know, and go on with the same moves.
"""

import numpy as np
import pytest

from games.stratego.test_views import VARIANTS, exchanged, played
from sandtable.agents.external.agent import begin_message, encoded, view_fields
from sandtable.arena.play.game_loop import play_game
from sandtable.cli.replay import Show
from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.records.record import Record
from sandtable.registry import make_game
from sandtable.types import OVER

MOVES = 8


def common_moves(states):
    """List the moves that both games allow, attack nobody, and are not those of changed pieces."""
    first, second = (state.position for state in states)
    side = states[0].game.board_shape[0]
    changed = np.flatnonzero(first[: layout.SQUARES] != second[: layout.SQUARES]).tolist()
    return [
        action
        for action in np.flatnonzero(states[0].mask & states[1].mask).tolist()
        if first[layout.to_square_of(side, action)] == 0
        and layout.from_square_of(side, action) not in changed
    ]


def told(before, action, after, seat):
    """Return what a seat hears of a move: words, and the messages to a program."""
    views = [before.view(seat), after.view(seat)]
    shown = view_fields(views[1]) | {"legal": views[1].legal_names if after.turn == seat else ()}
    events = after.game.drawing.events(views[0].position, action, views[1].position)
    return events, encoded(shown), encoded(begin_message(after.game, seat, 5))


def replayed(start, actions, seat, capsys):
    """Return what a replay shows to a seat."""
    record = Record(
        game=start.game.spec,
        version=start.game.version,
        seats=("random", "random"),
        seed=0,
        number=0,
        actions=tuple(actions),
        outcome=None,
        final="",
        start=start.line,
    )
    show = Show(record, start.game.seats[seat])
    assert len(show.turns) >= len(actions) - 1
    capsys.readouterr()
    show.print_turns(range(len(show.turns) + 1), 0.0)
    return capsys.readouterr().out


def forfeit(state, seat):
    """Return what everybody reads when an agent plays what is not legal."""
    illegal = int(np.flatnonzero(~state.mask)[Dice(1).below(100)])
    agents = [Always(illegal), Always(illegal)]
    specs = ["random", "random"]
    return play_game(state.game, agents, specs=specs, seed=0, number=0, start=state).record.outcome


class Always:
    """Answers with one action, whatever it sees."""

    def __init__(self, action):
        self.action = action

    def choose(self, view, dice):
        return self.action


@pytest.mark.parametrize("variant", VARIANTS)
def test_nothing_that_is_told_differs_between_what_a_seat_cannot_tell_apart(variant, capsys):
    game = make_game(f"stratego:variant={variant}")
    compared = 0
    for seed in range(8):
        choices = Dice(seed, "telling")
        start = played(game, seed, choices.below(120 if variant == "classic" else 40))
        for seat in (0, 1):
            other = exchanged(start, seat, choices)
            if other is None or OVER in (start.turn, other.turn):
                continue
            states, actions = [start, other], []
            while len(actions) < MOVES and (moves := common_moves(states)):
                action = moves[choices.below(len(moves))]
                after = [state.play(action) for state in states]
                if after[0].turn != after[1].turn:  # one of them has no move left
                    break
                heard = [
                    told(before, action, then, seat)
                    for before, then in zip(states, after, strict=True)
                ]
                assert heard[0] == heard[1]
                states = after
                actions.append(action)
                if after[0].turn == OVER:
                    break
                if after[0].turn == seat:
                    assert forfeit(states[0], seat) == forfeit(states[1], seat)
            if len(actions) > 1:
                shown = [replayed(each, actions, seat, capsys) for each in (start, other)]
                assert shown[0] == shown[1]
                compared += 1
    assert compared >= 6
