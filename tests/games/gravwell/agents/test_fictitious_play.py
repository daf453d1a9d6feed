"""Fictitious play: turns come out as by the rules, frequencies are counted, and it learns."""

import numpy as np
import pytest

from games.gravwell.agents.plain_trees import cards_of, end_of
from sandtable.conformance import check_agent
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.fictitious_play.agent import beliefs_bytes, load_beliefs
from sandtable.games.gravwell.agents.fictitious_play.response import (
    carry_out,
    frequency,
    new_beliefs,
    stop_frequency,
    weigh_cards,
)
from sandtable.games.gravwell.layout import (
    CURRENT,
    GATE,
    GO,
    MOVER,
    PHASE,
    PLAYING,
    SHIPS,
    STOP,
    STOPPING,
    TAKE,
)
from sandtable.games.gravwell.learning.fictitious_play.recipe import (
    FictitiousPlayConfig,
    export,
    play_block,
    train,
)
from sandtable.learning.run import Control
from sandtable.registry import make_agent, make_game


def turns(games):
    """Positions in which the first seat is to play, with a card for every seat, and what follows.

    Only the first seat stops, and what would set it back; the tractors have no random order here.
    """
    game = make_game("gravwell:tractor=inert")
    for number in range(games):
        dice = Dice(5, "fictitious", number)
        state, before, cards = game.start(dice), None, {}
        while state.outcome is None:
            position = np.array(state.position)
            if position[PHASE] == PLAYING and position[MOVER] == 0:
                if before is not None:
                    yield before, cards, position
                before, cards = position, {}
            action = int(state.legal[dice.below(len(state.legal))])
            if position[PHASE] == PLAYING:
                cards[int(position[MOVER])] = action
            elif position[PHASE] == STOPPING:
                seat = int(position[MOVER])
                back = end_of(position, seat, int(position[CURRENT])) < position[SHIPS + seat]
                action = STOP if seat == 0 and back else GO
            elif action >= TAKE:
                before = None  # a new round: the last turn has been looked at
            state = state.play(action, dice)


def test_imagined_turns_come_out_as_by_the_rules():
    seen, beliefs, coins = 0, new_beliefs(), np.ones(4)  # coins so high that nobody else stops
    for before, cards, after in turns(20):
        chosen = np.array([cards[seat] for seat in range(4)])
        lead = carry_out(before.copy(), 0, chosen, coins, beliefs, Dice(1).array)
        ships = after[SHIPS : SHIPS + 4].astype(int)
        assert lead == ships[0] - ships[1:].max()
        seen += 1
    assert seen > 150


def test_ship_that_reaches_the_gate_wins():
    state = make_game("gravwell:players=2,tractor=inert").start(Dice(1))
    position = np.array(state.position)
    position[SHIPS : SHIPS + 2] = 50, 40
    position[SHIPS + 4] = GATE - 1
    cards = np.array([12, 0, -1, -1])  # Mg moves ten tiles to the hulk ahead and past it
    assert carry_out(position, 0, cards, np.ones(4), new_beliefs(), Dice(1).array) == 54


def test_frequencies_begin_alike_and_follow_the_counts():
    beliefs = new_beliefs()
    assert frequency(beliefs, 0, 2, 7) == pytest.approx(1 / 4)  # four cards are left then
    assert stop_frequency(beliefs, 1) == 0.5
    beliefs.held[0, 2, 7], beliefs.played[0, 2, 7] = 96.0, 89.0
    assert frequency(beliefs, 0, 2, 7) == pytest.approx(0.9)


def test_every_card_held_is_counted_once():
    config = FictitiousPlayConfig(samples=1, tractor="inert")
    beliefs = new_beliefs()
    play_block(config, beliefs, 0, 3)
    played, held = beliefs.played.sum((0, 2)), beliefs.held.sum((0, 2))
    assert (held == played * np.arange(6, 0, -1)).all()  # six cards in the first turn, ...
    assert (beliefs.played <= beliefs.held).all()
    assert (beliefs.stopped[0], beliefs.stopped[1]) == (0, beliefs.asked[1])  # as the tree does


def test_watching_random_players_finds_that_all_cards_are_alike():
    beliefs = new_beliefs()
    config = FictitiousPlayConfig(samples=1, others="random", tractor="inert")
    won = play_block(config, beliefs, 0, 150).mean()
    shares = beliefs.played.sum(0) / beliefs.held.sum(0)
    assert np.abs(shares[0] - 1 / 6).max() < 0.12
    assert beliefs.stopped / beliefs.asked == pytest.approx([0.5, 0.5], abs=0.06)
    assert won > 0.35


def test_run_goes_on_exactly_and_exports(tmp_path):
    config = FictitiousPlayConfig(games=4, block=1, samples=1)
    assert train(config, tmp_path / "whole", Control())
    reported = []
    stopping = Control(report=reported.append, stopping=lambda: len(reported) >= 2)
    assert not train(config, tmp_path / "parts", stopping)
    assert train(config, tmp_path / "parts", Control())
    for folder in ("whole", "parts"):
        assert "beliefs.safetensors" in export(tmp_path / folder)
    one, two = (load_beliefs(tmp_path / f / "beliefs.safetensors") for f in ("whole", "parts"))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_agent_keeps_the_contract_and_explains():
    assert not check_agent("gravwell/fictitious-play:samples=2", "gravwell", games=2).problems
    agent = make_agent("gravwell/fictitious-play:samples=4")
    state = make_game("gravwell:players=2").start(Dice(1))
    assert "tractor on the field" in agent.explain(state.view(state.turn), Dice(1)).text
    while state.position[PHASE] != PLAYING:
        state = state.play(state.legal[0])
    view = state.view(state.turn)
    told = agent.explain(view, Dice(3))
    worth = np.zeros(26)
    beliefs = agent.options.beliefs
    best = weigh_cards(np.array(view.position), view.turn, beliefs, 4, Dice(3).array, worth)
    assert told.actions == (best,)
    assert best in cards_of(view.position, view.turn)
    assert agent.show_svg().count("<rect") == 1 + 26 * 3
    assert len(agent.show_text().splitlines()) == 29


def test_broken_beliefs_get_one_line(tmp_path):
    path = tmp_path / "beliefs.safetensors"
    with pytest.raises(SandtableError, match="cannot read the beliefs"):
        load_beliefs(path)
    path.write_bytes(b"nothing")
    with pytest.raises(SandtableError, match="is damaged or holds no beliefs"):
        load_beliefs(path)
    path.write_bytes(beliefs_bytes(new_beliefs()._replace(asked=np.zeros(3)), {}))
    with pytest.raises(SandtableError, match="'asked' have another shape"):
        load_beliefs(path)
    with pytest.raises(SandtableError, match="samples is 1 to"):
        make_agent("gravwell/fictitious-play:samples=0")
