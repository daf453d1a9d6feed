"""Boards and events tell the truth: what happened, applied to one board, gives the next."""

from __future__ import annotations

import json
import random
from collections import Counter

import numpy as np
import pytest

from games.stratego.boards import play, state_of
from games.stratego.test_rules import CHASE as CHASED
from games.stratego.test_rules import ROUND
from sandtable.games.stratego.layout import CHASE, TWO_SQUARES
from sandtable.registry import make_game
from sandtable.server.table import EVERYTHING, SPECTATOR, Table
from sandtable.types import OVER


def playthrough(spec: str, seed: int, most: int = 400):
    """Play a random game; yield board, log entry and next board of every action."""
    dice = random.Random(seed)
    table = Table(make_game(spec), seed)
    before = table.board(0, EVERYTHING)
    while table.turn != OVER and table.ply < most:
        actions = table.legal_actions(table.turn)
        check_actions(table, actions)
        ends = [each for each in actions if each["kind"] == "end"]
        table.play(dice.choice(ends if ends and dice.random() < 0.3 else actions)["action"])
        after = table.board(table.ply, EVERYTHING)
        yield before, table.log_entry(table.ply, EVERYTHING), after
        before = after
    for viewer in (SPECTATOR, EVERYTHING, *range(len(table.game.seats))):
        for ply in range(0, table.ply + 1, 7):
            json.dumps(table.board(ply, viewer), allow_nan=False)  # plain data, for everybody


def check_actions(table: Table, actions) -> None:
    """What a seat can play, made from its view, is what the rules allow, under its own name."""
    assert [each["action"] for each in actions] == list(table.state.legal)
    for each in actions:
        assert table.game.notation.parse_action(each["text"]) == each["action"]


@pytest.mark.parametrize("seed", range(3))
def test_lucid(seed):
    for before, entry, after in playthrough("lucid", seed):
        units = Counter({"goal": before["goal"]})
        for node in before["nodes"]:
            units += Counter({(node["place"], 0): node["blue"], (node["place"], 1): node["red"]})
        for event in entry["events"]:
            if event["kind"] == "move":
                units[event["from"], entry["seat"]] -= 1
                goal = event["to"] == "goal"
                units["goal" if goal else (event["to"], entry["seat"])] += 1
            elif event["kind"] == "combat":
                units[event["place"], event["loser"]] -= 1
                assert event["last"] == (units[event["place"], event["loser"]] == 0)
                assert 0 <= event["chance"] <= 1
        expected = Counter({"goal": after["goal"]})
        for node in after["nodes"]:
            expected += Counter({(node["place"], 0): node["blue"], (node["place"], 1): node["red"]})
        assert +units == +expected


@pytest.mark.parametrize("seed", range(3))
def test_skirmish(seed):
    for before, entry, after in playthrough("skirmish:start=random", seed):
        units = {unit["place"]: (unit["seat"], unit["kind"]) for unit in before["units"]}
        for event in entry["events"]:
            if event["kind"] in ("move", "capture"):
                units[event["to"]] = units.pop(event["from"])
            elif event["kind"] == "build":
                units[event["place"]] = (entry["seat"], "barracks")
            elif event["kind"] == "gone":
                assert units.pop(event["place"]) == (event["seat"], event["unit"])
            elif event["kind"] == "raised":
                units[event["place"]] = (event["seat"], event["unit"])
        assert units == {unit["place"]: (unit["seat"], unit["kind"]) for unit in after["units"]}


@pytest.mark.parametrize("seed", range(3))
def test_stratego(seed):
    for before, entry, after in playthrough("stratego:setup=choose,variant=mini", seed):
        pieces = {piece["place"]: (piece["seat"], piece["rank"]) for piece in before["pieces"]}
        for event in entry["events"]:
            if event["kind"] == "move":
                pieces[event["to"]] = pieces.pop(event["from"])
            elif event["kind"] == "fight":
                attacker, defender = pieces.pop(event["from"]), pieces.pop(event["to"])
                assert (attacker[1], defender[1]) == (event["attacker"], event["defender"])
                if event["winner"] is not None:
                    left = attacker if attacker[0] == event["winner"] else defender
                    pieces[event["to"]] = left
        if not before["setting_up"]:
            now = {piece["place"]: (piece["seat"], piece["rank"]) for piece in after["pieces"]}
            assert pieces == now


def test_stratego_says_which_moves_only_the_rules_against_repetition_forbid():
    """What is barred is exactly what would be legal without the two rules."""
    dice = random.Random(5)
    reasons = Counter()
    for seed in range(6):
        table = Table(make_game("stratego:variant=mini,max_plies=120"), seed)
        while table.turn != OVER:
            seat = table.turn
            view = table.shown(table.ply, seat)
            actions = table.legal_actions(seat)
            barred = table.forbidden_moves(seat)
            view[TWO_SQUARES] = view[CHASE + seat] = 0  # nothing is counted without the rules
            free = np.zeros(table.game.action_count, dtype=np.bool_)
            table.game.rules.legal(view, free)
            ways = {(each["from"], each["to"]) for each in actions}
            free_ways = {
                (each["from"], each["to"])
                for each in (table.screen.action(view, int(one)) for one in np.flatnonzero(free))
            }
            assert {(each["from"], each["to"]) for each in barred} == free_ways - ways
            reasons.update(each["why"].partition(":")[0] for each in barred)
            hunted = {piece["place"] for piece in table.board(table.ply, seat)["pieces"]}
            last = table.board(table.ply, seat)["last_moves"][seat]
            same = [each for each in actions if last and each["from"] == last["to"]]
            quiet = [each for each in same if each["to"] not in hunted] or actions
            table.play(dice.choice(quiet)["action"])
    assert reasons["two-squares rule"] > 20
    chase = play(state_of(**CHASED), ROUND)
    table = Table(chase.game, 0, start=chase.line)
    (barred,) = table.forbidden_moves(table.turn)
    assert (barred["from"], barred["to"]) == ("d9", "d8")
    words = "more-squares rule: the chase would repeat a position, that of 7 moves ago"
    assert barred["why"] == words


@pytest.mark.parametrize(("players", "seed"), [(2, 0), (3, 1), (4, 2), (4, 3)])
def test_gravwell(players, seed):
    resolved = 0
    for before, entry, after in playthrough(f"gravwell:players={players}", seed):
        ships = {index: ship["tile"] for index, ship in enumerate(before["ships"])}
        for event in entry["events"]:
            for move in event.get("moves", ()):
                assert ships[move["ship"]] == move["from"]
                assert before["ships"][move["ship"]]["seat"] == move["seat"]
                ships[move["ship"]] = move["to"]
            resolved += event["kind"] in ("resolve", "stopped")
        assert ships == {index: ship["tile"] for index, ship in enumerate(after["ships"])}
    assert resolved > 20 * players
