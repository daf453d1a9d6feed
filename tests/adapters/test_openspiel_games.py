"""OpenSpiel's own games and bots in our arena: played, recorded, replayed, without leaks."""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra interop)")

import pyspiel

from sandtable.adapters.openspiel.native import native
from sandtable.adapters.openspiel.rules import native_of
from sandtable.arena.play.game_loop import play_game
from sandtable.cli.games import command as games_command
from sandtable.cli.match import command as match_command
from sandtable.conformance import check_game
from sandtable.dice import Dice
from sandtable.errors import (
    IllegalAction,
    MissingExtra,
    SandtableError,
    UnknownName,
    UnreadablePosition,
    UnreadableSpec,
)
from sandtable.records.files import read_records
from sandtable.records.replay import check
from sandtable.registry import is_game, make_agent, make_game
from sandtable.types import OVER

OPEN = "openspiel.tic_tac_toe"
SECRET = "openspiel.kuhn_poker:players=3"
AT_ONCE = "openspiel.goofspiel:imp_info=true,num_cards=3"  # all play at the same time, unseen


@pytest.mark.parametrize("spec", [OPEN, SECRET, AT_ONCE])
def test_games_of_openspiel_keep_the_contract(spec):
    game = make_game(spec)
    assert game.spec == spec
    report = check_game(game, 2, 1)
    report.raise_if_broken()
    assert report.checked["guess"] > 0


def play_two_actions(name: str) -> None:
    """Begin a game of OpenSpiel, look at it from the seats that act, and write it down."""
    game, dice = make_game(f"openspiel.{name}"), Dice(1)
    state = game.start(dice)
    for _ in range(2):
        if state.turn == OVER:
            return
        view = state.view(state.turn)
        assert np.array_equal(view.mask, state.mask)
        assert np.isfinite(view.planes()).all()
        state = state.play(state.legal[dice.below(len(state.legal))], dice)
        assert game.parse(state.line) == state


def test_nearly_all_games_of_openspiel_can_be_played_and_the_others_say_why():
    playable, refused = [], []
    for kind in pyspiel.registered_games():
        if not kind.default_loadable or kind.short_name.startswith("sandtable_"):
            continue
        try:
            play_two_actions(kind.short_name)
            playable.append(kind.short_name)
        except UnreadableSpec as problem:
            refused.append(str(problem))
    assert len(playable) > 90
    assert len(playable) > 4 * len(refused)
    told = ("cannot be played here: ", "does not make the game ")
    assert all(any(why in line for why in told) for line in refused), refused


def test_tic_tac_toe_has_as_many_games_as_everybody_counts():
    layer, counts = [make_game(OPEN).start(Dice(1))], []
    for _ in range(3):
        layer = [state.play(action) for state in layer for action in state.legal]
        counts.append(len(layer))
    assert counts == [9, 72, 504]
    won = make_game(OPEN).parse("0 3 1 4 2")
    assert won.outcome.scores == (1.0, -1.0)
    assert won.outcome.reason == "tic_tac_toe was played to its end"
    with pytest.raises(IllegalAction, match="'5' cannot be played: the game is over"):
        won.play(5)


def test_kuhn_poker_is_dealt_fairly_and_scored_as_it_should_be():
    game = make_game("openspiel.kuhn_poker")
    deals = Counter(game.start(Dice(3, "deals", number)).line for number in range(600))
    assert set(deals) == {f"{one} {two}" for one in range(3) for two in range(3) if one != two}
    assert all(60 < count < 150 for count in deals.values())  # 100 expected, 9 the deviation
    assert game.parse("2 0 1 1").outcome.scores == (2.0, -2.0)  # a bet, called, the king wins
    assert game.parse("0 2 1 0").outcome.scores == (1.0, -1.0)  # a bet, folded


def test_a_view_shows_nothing_that_is_hidden_and_guesses_are_what_it_allows():
    game = make_game(SECRET)
    for rest in ("2 1", "2 1 0", "2 1 0 1"):  # player1 holds card 2, whatever player0 holds
        seen = {game.parse(f"{card} {rest}").view(1) for card in (0, 3)}
        assert len(seen) == 1
        view = seen.pop()
        guesses = [view.guess(Dice(5, "guesses", number)) for number in range(60)]
        assert {guess.line.split()[0] for guess in guesses} >= {"0", "3"}
        assert {guess.view(1) for guess in guesses} == {view}
    with pytest.raises(UnreadablePosition, match="is not a view of kuhn_poker"):
        game.parse("view nonsense")


def test_what_cannot_be_listed_is_said_in_one_line(monkeypatch):
    monkeypatch.setattr("sandtable.adapters.openspiel.native.MOST_LOOKED_AT", 5)
    view = make_game(SECRET).start(Dice(1)).view(0)
    native_of(view._position).lists.clear()  # what other tests have listed
    with pytest.raises(SandtableError, match="too large to list what a view of it allows"):
        view.guess(Dice(2))


def test_a_match_is_played_recorded_and_replayed(tmp_path):
    path = tmp_path / "games.jsonl"
    played = CliRunner().invoke(
        match_command,
        [OPEN, "openspiel:mcts,simulations=40", "random", "-n", "5", "--archive", str(path)],
    )
    assert played.exit_code == 0, played.output
    records = list(read_records(path))
    assert len(records) == 5
    for record in records:
        check(record)
        assert record.outcome.forfeited_by is None
    assert sum(record.outcome.scores[0] for record in records) >= 3  # against random moves


@pytest.mark.parametrize("bot", ["mcts,simulations=4", "random", "uniform_random"])
@pytest.mark.parametrize("spec", ["openspiel.kuhn_poker", "skirmish:max_turns=2"])
def test_bots_play_its_games_and_ours(spec, bot):
    game, specs = make_game(spec), [f"openspiel:{bot}"] * 2
    outcome = play_game(
        game, [make_agent(each) for each in specs], specs=specs, seed=1, number=0
    ).record.outcome
    assert outcome.forfeited_by is None


@pytest.mark.parametrize(
    ("spec", "error", "line"),
    [
        ("openspiel.tic_tac_to", UnknownName, "Did you mean 'tic_tac_toe'?"),
        ("openspiel.kuhn_poker:player=3", UnreadableSpec, "Did you mean 'players'?"),
        ("openspiel.kuhn_poker:players=x", UnreadableSpec, "is a whole number, got 'x'"),
        ("openspiel.kuhn_poker:players=99", UnreadableSpec, "does not make the game 'kuhn_poker'"),
        ("openspiel.mfg_garnet", UnreadableSpec, "cannot be played here: nobody takes turns in it"),
        ("openspeil.tic_tac_toe", UnknownName, "there is no game 'openspeil.tic_tac_toe'"),
    ],
)
def test_a_wrong_name_or_option_is_told_in_one_line(spec, error, line):
    with pytest.raises(error, match=line) as raised:
        make_game(spec)
    assert "\n" not in str(raised.value)


def test_a_wrong_bot_is_told_with_the_nearest_one():
    with pytest.raises(UnknownName, match=r"Did you mean 'mcts'\?"):
        make_agent("openspiel:mtcs").check()
    with pytest.raises(UnreadableSpec, match="simulations is 1 or more"):
        make_agent("openspiel:simulations=0")


def test_without_the_library_both_say_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)  # as if it were not installed
    native.cache_clear()
    with pytest.raises(MissingExtra, match=r"'openspiel.nim' needs the extra 'interop'"):
        make_game("openspiel.nim:is_misere=false")
    with pytest.raises(MissingExtra, match=r"'openspiel' needs the extra 'interop'"):
        make_agent("openspiel").check()
    listed = CliRunner().invoke(games_command, [])
    assert "openspiel.NAME: any game of OpenSpiel" in listed.output
    assert is_game("openspiel.nim")
