"""The evolved players: what they see and choose against a twin, the contract, and strength."""

import numpy as np
import pytest

from games.gravwell.agents.plain_networks import (
    card_inputs,
    grown_brain,
    hand_inputs,
    stack_inputs,
    stop_inputs,
    values_of,
)
from games.gravwell.agents.plain_trees import cards_of
from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.conformance import check_agent
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.games.gravwell.agents.neuro_evolution.agent import act
from sandtable.games.gravwell.agents.neuro_evolution.brain import BOARD, NETWORK_INPUTS, brain_text
from sandtable.games.gravwell.agents.neuro_evolution.inputs import (
    FINDINGS,
    see_card,
    see_draft,
    see_hand,
    see_kind,
    see_stop,
    see_table,
)
from sandtable.games.gravwell.agents.neuro_evolution.networks import program_of
from sandtable.games.gravwell.layout import (
    CURRENT,
    DRAFTING,
    GO,
    PHASE,
    PLAYING,
    STOP,
    TAKE,
)
from sandtable.games.gravwell.rules.drafting import is_on_field
from sandtable.registry import make_agent, make_game

BUNDLED = ["improved", "published"]
GAMES = ["gravwell", "gravwell:players=3,tractor=inert", "gravwell:players=2"]


def views(count):
    """Views of random play in several games: arrays, and whose they are."""
    for number in range(count):
        dice = Dice(8, "neuro", number)
        state = make_game(GAMES[number % len(GAMES)]).start(dice)
        while state.outcome is None:
            seat = state.turn
            yield np.array(state.view(seat).position), seat
            state = state.play(state.legal[dice.below(len(state.legal))], dice)


def kernel_inputs(kind, view, seat, card):
    values = np.full(len(NETWORK_INPUTS[kind]), np.nan)
    if kind == "hand":
        see_hand(view, seat, values)
    elif kind == "card":
        found = np.empty((FINDINGS, 26))
        see_table(view, seat, values, found)
        see_card(view, seat, card, found, values)
    elif kind == "stack":
        see_draft(view, seat, values)
        see_kind(card, values, BOARD)
    else:
        see_stop(view, seat, card, values)
    return dict(zip(NETWORK_INPUTS[kind], values.tolist(), strict=True))


def plain_inputs(kind, view, seat, card):
    seen_by = {"card": card_inputs, "stack": stack_inputs, "stop": stop_inputs}
    found = hand_inputs(view, seat) if kind == "hand" else seen_by[kind](view, seat, card)
    return {name: float(value) for name, value in found.items()}


def questions(view, seat):
    """The kinds of networks that are asked about a view, and about which cards."""
    if view[PHASE] == DRAFTING:
        return [("stack", card) for card in range(26) if is_on_field(view, card)]
    if view[PHASE] == PLAYING:
        return [("hand", 0)] + [("card", card) for card in cards_of(view, seat)]
    return [("stop", int(view[CURRENT]))]


def test_kernels_see_what_the_twin_sees():
    asked = set()
    for view, seat in views(6):
        before = view.copy()
        for kind, card in questions(view, seat):
            asked.add(kind)
            wanted = plain_inputs(kind, view, seat, card)
            assert kernel_inputs(kind, view, seat, card) == pytest.approx(wanted, abs=1e-12)
        assert np.array_equal(view, before)
    assert asked == set(NETWORK_INPUTS)


def plain_choices(brain, view, seat):
    """The actions that a brain may choose: the best one, or all where it draws."""

    def preference(kind, card):
        network = getattr(brain, kind)
        found = plain_inputs(kind, view, seat, card)
        values = values_of(network, [found[name] for name in NETWORK_INPUTS[kind]])
        return [values[value] for value in network.outputs]

    if view[PHASE] == DRAFTING:
        free = [card for card in range(26) if is_on_field(view, card)]
        if brain.stack is None:
            return [TAKE + card for card in free]
        return [TAKE + max(free, key=lambda card: preference("stack", card)[0])]
    if view[PHASE] == PLAYING:
        hand = cards_of(view, seat)
        if brain.hand is None:
            return [max(hand, key=lambda card: preference("card", card)[0])]
        by_place = preference("hand", 0)
        return [hand[max(range(len(hand)), key=by_place.__getitem__)]]
    if brain.stop is None:
        return [GO]
    return [STOP if preference("stop", int(view[CURRENT]))[0] > 0 else GO]


@pytest.mark.parametrize("kinds", [["hand"], ["card", "stack", "stop"], ["card", "stop"]])
def test_the_policy_chooses_what_the_twin_does(kinds):
    brain = grown_brain(4, *kinds)
    program, memory = program_of(brain), np.zeros(1, np.int64)
    actions, dice = np.zeros(1, np.int16), Dice(1)
    chosen = set()
    for view, seat in views(3):
        choices = plain_choices(brain, view, seat)
        assert act(view, dice.array, memory, program, actions) == 1
        assert actions[0] in choices
        chosen.add(int(actions[0]))
    assert len(chosen) > 30


@pytest.mark.parametrize("weights", BUNDLED)
def test_bundled_networks_keep_the_contract(weights):
    spec = f"gravwell/neuro-evolution:{weights}"
    assert not check_agent(spec, "gravwell:players=3", games=2).problems


def test_files_play_and_other_games_are_refused(tmp_path):
    path = tmp_path / "networks.json"
    path.write_text(brain_text(grown_brain(2, "card"), {}))
    agent = make_agent(f"gravwell/neuro-evolution:{path}")
    assert agent.brain == grown_brain(2, "card")
    with pytest.raises(WrongSeats, match="plays gravwell, not lucid"):
        agent.policy(make_game("lucid"))
    with pytest.raises(SandtableError, match=r"cannot read the networks none\.json: No such file"):
        make_agent("gravwell/neuro-evolution:none.json")


def test_improved_networks_win_where_published_ones_did_not():
    game = make_game("gravwell")
    others = [make_agent("gravwell/random-no-stop")] * 3
    won = {}
    for weights in BUNDLED:
        acting = policies(game, [make_agent(f"gravwell/neuro-evolution:{weights}"), *others])
        won[weights] = play_games(game, acting, 3, 0, 1000, keep=False).scores[:, 0].mean()
    assert won["improved"] > 0.45
    assert won["published"] < 0.35


@pytest.mark.parametrize("weights", ["improved", "published"])
def test_what_it_prefers_is_what_it_does(weights):
    agent, seen = make_agent(f"gravwell/neuro-evolution:weights={weights}"), set()
    dice, state = Dice(4), make_game("gravwell").start(Dice(4))
    while state.outcome is None and len(seen) < 3:
        view = state.view(state.turn)
        analysis, (action,) = agent.analyse(view, dice), agent.choose(view, dice)
        if analysis is not None:
            values = {each.actions[0]: each.value for each in analysis.candidates}
            assert values[action] == analysis.value
            assert set(values) == set(view.legal)
            seen.add(int(view.position[PHASE]))
        state = state.play(action, dice)
    assert len(seen) == (3 if weights == "improved" else 1)
