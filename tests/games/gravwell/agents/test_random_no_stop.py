"""The random player without Emergency Stop: never stops, and draws all else as random does."""

from collections import Counter

from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.conformance import check_agent
from sandtable.dice import Dice
from sandtable.games.gravwell.layout import GO, STOP
from sandtable.registry import make_agent, make_game


def test_keeps_the_contract():
    assert not check_agent("gravwell/random-no-stop", "gravwell:players=3", games=2).problems


def test_never_stops_while_random_does_half_of_the_time():
    game = make_game("gravwell")
    agents = [make_agent(name) for name in ("gravwell/random-no-stop", *["random"] * 3)]
    acting = policies(game, agents)
    played = play_games(game, acting, 0, 0, 200, keep=True)
    answers = Counter()
    for number, actions in enumerate(played.actions.tolist()):
        dice = Dice(0, "game", number)
        state = game.start(dice)
        for action in actions[: played.lengths[number]]:
            if action >= GO:
                answers[state.turn == 0, action] += 1
            state = state.play(action, dice)
    assert answers[True, STOP] == 0 < answers[True, GO]
    stops, goes = answers[False, STOP], answers[False, GO]
    assert abs(stops - goes) < 4 * (stops + goes) ** 0.5


def test_draws_every_choice_as_often():
    game, agent, dice = make_game("gravwell"), make_agent("gravwell/random-no-stop"), Dice(5)
    state = game.start(Dice(1))
    for _ in range(2):  # a choice of twelve stacks, then of six cards
        chosen = Counter(agent.choose(state.view(state.turn), dice)[0] for _ in range(3000))
        assert set(chosen) == set(state.legal)
        expected = 3000 / len(state.legal)
        assert all(abs(count - expected) < 5 * expected**0.5 for count in chosen.values())
        while state.legal[0] >= 26:
            state = state.play(state.legal[0], dice)
