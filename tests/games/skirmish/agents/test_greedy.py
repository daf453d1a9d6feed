"""The greedy player: captures and builds before anything else."""

from __future__ import annotations

from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.dice import Dice
from sandtable.games.skirmish.layout import BUILD, PASS, STEPS
from sandtable.games.skirmish.rules import is_capture
from sandtable.registry import make_agent, make_game


def tempting(state) -> list[int]:
    """Return the captures and builds there are."""
    position = state.position
    return [
        action
        for action in state.legal
        if action != PASS and (action % STEPS == BUILD or is_capture(position, action))
    ]


def test_captures_or_builds_whenever_possible():
    game = make_game("skirmish:level=3,passes=both")
    agent, dice = make_agent("skirmish/greedy"), Dice(5)
    tempted = plain = 0
    for number in range(4):
        state = game.start(Dice(0, "game", number))
        while state.outcome is None:
            (action,) = agent.choose(state, dice)
            if tempting(state):
                assert action in tempting(state)
                tempted += 1
            elif len(state.legal) > 1:
                assert action != PASS  # free to pass, but a move is a move
                plain += 1
            state = state.play(action)
    assert tempted > 50
    assert plain > 50


def test_draws_among_all_that_tempts():
    state = make_game("skirmish:level=3").start(Dice(0))
    agent, dice = make_agent("skirmish/greedy"), Dice(1)
    while len(tempting(state)) < 3:
        moves = [each for each in state.legal if each not in tempting(state)] or state.legal
        state = state.play(moves[dice.below(len(moves))])
    chosen = {agent.choose(state, dice)[0] for _ in range(200)}
    assert chosen == set(tempting(state))


def test_beats_random_play():
    game = make_game("skirmish")
    acting = policies(game, [make_agent("skirmish/greedy"), make_agent("random")])
    assert acting is not None
    played = play_games(game, acting, 0, 0, 200, keep=False)
    assert (played.scores[:, 0] > 0).mean() > 0.7
