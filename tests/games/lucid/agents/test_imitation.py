"""The imitation agents of Operation Lucid: how an expert's move is carried over."""

from collections import Counter

import numpy as np
import pytest

from games.lucid.agents.expert import expert_file
from sandtable.arena.play.game_loop import play_game
from sandtable.conformance import check_agent
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.expert.lookup import Distance, Entry, entries_from
from sandtable.games.lucid.agents.imitation import (
    Imitation2,
    Imitation3,
    Imitation4,
    node_movelets,
    shared_out,
)
from sandtable.games.lucid.placements.movelets import in_legal_order, possible_movelets
from sandtable.registry import make_agent, make_game

GAME = make_game("lucid")


def position(line):
    return np.array(GAME.parse(line).position)


def names(actions):
    return [GAME.notation.action_name(action) for action in actions]


def numbers(text):
    return GAME.parse_actions(text)


# --- movelets ------------------------------------------------------------------------------------


def test_movelets_are_repeated_as_far_as_there_are_units():
    here = position("5/5/5/b1,4/b2,b1,3 b 3 0 -")
    wanted = numbers("a1-a2 a1-a2 a1-a2 b1-b2 b1-b2 c1-c2")
    assert names(possible_movelets(here, wanted)) == ["a1-a2", "a1-a2", "b1-b2"]


def test_what_overfills_a_node_is_cancelled_in_order():
    here = position("5/5/5/b2,4/b2,b3,3 b 3 0 -")
    assert names(possible_movelets(here, numbers("a1-a2 a1-a2 b1-b2"))) == ["a1-a2", "b1-b2"]
    # a1-a2 is cancelled, so b1-a1 would make four on a1 and is cancelled too.
    here = position("5/5/5/b3,4/b3,b3,3 b 3 0 -")
    assert names(possible_movelets(here, numbers("a1-a2 b1-a1"))) == []


def test_locked_units_repeat_nothing():
    assert possible_movelets(position("B2r1,4/5/5/5/5 b 3 0 -"), numbers("a5-goal")) == []


def test_movelets_are_put_into_a_legal_order():
    state = GAME.parse("5/5/5/b3,4/b3,4 b 3 0 -")
    ordered = in_legal_order(numbers("a1-a2 a1-a2 a1-a2 a2-a3 a2-a3 a2-a3"))
    assert names(ordered) == ["a2-a3"] * 3 + ["a1-a2"] * 3
    state.play(ordered)
    assert in_legal_order(numbers("a1-b1 b1-b2 b2-a2 a2-a1")) == []  # only round in a loop


# --- the move seen node by node ------------------------------------------------------------------


def carried(here, there, moves, seed=0):
    return names(node_movelets(position(here), position(there), numbers(moves), Dice(seed)))


def test_an_emptied_node_is_emptied():
    assert carried("5/5/5/5/b3,4 b 3 0 -", "5/5/5/5/b2,4 b 3 0 -", "a1-a2 a1-a2") == ["a1-a2"] * 3


def test_a_single_unit_kept_for_supply_is_kept():
    reference, move = "5/5/5/5/b2,4 b 3 0 -", "a1-a2"
    assert carried("5/5/5/5/b3,4 b 3 0 -", reference, move) == ["a1-a2"] * 2
    assert carried("5/5/5/5/b1,4 b 3 0 -", reference, move) == []


def test_splits_are_proportional_with_ties_by_lot():
    reference = "5/5/5/5/1,b2,3 b 3 0 -"
    moves = "b1-b2 b1-c1"
    assert sorted(carried("5/5/5/5/1,b2,3 b 3 0 -", reference, moves)) == ["b1-b2", "b1-c1"]
    seen = Counter(
        tuple(sorted(carried("5/5/5/5/1,b3,3 b 3 0 -", reference, moves, seed)))
        for seed in range(200)
    )
    assert set(seen) == {("b1-b2", "b1-b2", "b1-c1"), ("b1-b2", "b1-c1", "b1-c1")}
    assert min(seen.values()) > 60
    # Of three one moved and two stayed; of two, then, the largest remainder says that one stays.
    stayed = carried("5/5/5/5/1,b2,3 b 3 0 -", "5/5/5/5/1,b3,3 b 3 0 -", "b1-b2")
    assert stayed == ["b1-b2"]


def test_shares_add_up():
    for units in range(4):
        for votes in ({1: 1}, {1: 1, 2: 1}, {1: 2, 2: 1}, {1: 1, 2: 1, 3: 1}):
            shares = shared_out(units, votes, Dice(units))
            assert sum(shares.values()) == units
            total = sum(votes.values())
            assert all(abs(shares[each] - units * votes[each] / total) < 1 for each in votes)


# --- whole agents --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    return expert_file(tmp_path_factory.mktemp("imitation"))


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_in_a_position_of_the_expert_all_play_the_same_placement(database, number):
    agent = make_agent(f"lucid/imitation-{number}:database={database}")
    entry = Entry("", 1, False, *reference(agent))
    move = agent.decide(entry.before, Dice(0))
    assert move.distance == 0
    after = GAME.parse(GAME.notation.position_line(entry.before))
    for action in move.actions[:-1]:
        after = after.play(action)
    placed = after.position[rules.BLUE : rules.BLUE + rules.NODES]
    assert placed.tolist() == entry.desired.tolist()


def reference(agent):
    """Return a position of the database in which the expert moved many units."""

    entries = entries_from(agent.path, 0).entries
    best = max(entries, key=lambda entry: len(entry.actions))
    return best.before, best.actions, best.desired


def test_the_second_agent_relaxes_and_lets_the_evaluator_choose(database):
    agent = Imitation2(str(database), candidates=300)
    move = agent.decide(position("r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 2 0 -"), Dice(0))
    assert move.distance == 0 and move.repeated == ()
    assert move.generated is not None and move.generated.relaxed == 0
    far = agent.decide(position("r3,r3,1,r2,r2/2,b3,2/2,b3,b3,1/5/5 b 30 2 -"), Dice(0))
    assert far.generated is not None and far.generated.relaxed > 0
    assert far.generated.codes.size > 0


def test_the_others_move_what_the_expert_moved_and_then_the_rest(database):
    line = "r2,r2,r2,r2,r2/5/5/b1,4/b3,b3,b3,b3,b1 b 2 0 -"
    for agent in (Imitation3(str(database)), Imitation4(str(database))):
        move = agent.decide(position(line), Dice(0))
        assert move.repeated and move.actions[: len(move.repeated)] == move.repeated
        assert move.generated is not None


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_agents_keep_the_contract_in_both_seats(database, number):
    spec = f"lucid/imitation-{number}:database={database},candidates=50"
    assert not check_agent(spec, "lucid").problems


def test_the_first_agent_plays_like_its_expert_for_a_while(database):
    agents = [make_agent(f"lucid/imitation-1:database={database}"), make_agent("lucid/axes-red")]
    scores = [
        play_game(GAME, agents, specs=["a", "b"], seed=9, number=number).record.outcome.scores[0]
        for number in range(20)
    ]
    assert np.mean(scores) > 0.5


def test_mistakes_get_one_line(tmp_path, database):
    missing = tmp_path / "no.jsonl"
    with pytest.raises(SandtableError, match="there is no file"):
        make_agent(f"lucid/imitation-1:database={missing}").check()
    with pytest.raises(SandtableError, match="candidates is at least 1"):
        make_agent(f"lucid/imitation-2:database={database},candidates=0")
    with pytest.raises(SandtableError, match="there are no weights 'x'"):
        make_agent(f"lucid/imitation-2:database={database},weights=x")
    with pytest.raises(SandtableError, match="relaxation is one of fixed, random, bottlenecks"):
        make_agent(f"lucid/imitation-2:database={database},relaxation=x")
    with pytest.raises(SandtableError, match="node_weights is a digit for each row"):
        make_agent(f"lucid/imitation-1:database={database},node_weights=123")
    with pytest.raises(SandtableError, match="weights are at least 0"):
        make_agent(f"lucid/imitation-1:database={database},turns_weight=-1")


# --- options -------------------------------------------------------------------------------------


def test_without_mirroring_only_what_was_played_is_looked_up(database):
    both, plain = (entries_from(database, 0, mirror) for mirror in (True, False))
    assert len(both.entries) == 2 * len(plain.entries)
    assert not any(entry.mirrored for entry in plain.entries)
    mirrored = both.entries[-1]
    assert mirrored.mirrored
    agent = make_agent(f"lucid/imitation-1:database={database},mirror=no")
    assert not agent.decide(mirrored.before, Dice(0)).entry.mirrored
    usual = make_agent(f"lucid/imitation-1:database={database}")
    assert usual.decide(mirrored.before, Dice(0)).distance == 0


def plain_distance(one, other, nodes, turns, defender):
    """Return the distance as the report words it, by hand."""
    total = turns * abs(int(one[rules.PLAYED]) - int(other[rules.PLAYED]))
    for node in range(rules.NODES):
        for board in (rules.BLUE, rules.RED):
            total += nodes[node] * abs(int(one[board + node]) - int(other[board + node]))
        total += defender * (one[rules.ATTACKER + node] != other[rules.ATTACKER + node])
    return total


@pytest.mark.parametrize(
    ("text", "turns", "defender"),
    [("", 1, 1), ("11122", 0, 3), ("1234567890123456789012345", 2, 0)],
)
def test_the_parts_of_the_distance_have_their_weights(database, text, turns, defender):
    entries = entries_from(database, 0)
    distance = Distance.parse(text, turns, defender)
    here = position("r2,r3,1,r3,B1r1/5/b3,b3,1,b3,b2/1,b1,3/1,b1,3 b 9 0 -")
    entry, smallest = entries.nearest(here, distance)
    by_hand = [
        plain_distance(here, each.before, distance.nodes, turns, defender)
        for each in entries.entries
    ]
    assert smallest == min(by_hand)
    assert entry is entries.entries[by_hand.index(min(by_hand))]


def test_without_an_evaluator_placements_are_drawn(database):
    agent = make_agent(f"lucid/imitation-2:database={database},weights=none,candidates=50")
    here = position("r3,r3,1,r2,r2/2,b3,2/2,b3,b3,1/5/5 b 30 2 -")
    moves = [agent.decide(here, Dice(seed)) for seed in range(12)]
    assert {move.value for move in moves} == {None}
    assert len({move.actions for move in moves}) > 3
    assert agent.weight_files() == [database]
    assert (
        "Chosen by lot"
        in agent.explain(GAME.parse(GAME.notation.position_line(here)), Dice(0)).text
    )
