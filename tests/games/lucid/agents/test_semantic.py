"""The semantic agent of Operation Lucid: networks, the acting module, and whole games."""

import numpy as np
import pytest

from sandtable.agents.weights import weights_bytes
from sandtable.arena.play.game_loop import play_game
from sandtable.conformance import check_agent
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.categories import CATEGORIES
from sandtable.games.lucid.agents.force_groups import (
    DENSITY,
    FEATURE_SCALES,
    FEATURES,
    force_groups,
)
from sandtable.games.lucid.agents.semantic.agent import SPECIAL_FIRST, Semantic, ranked_categories
from sandtable.games.lucid.agents.semantic.networks import (
    HIDDEN,
    PARAMETERS,
    load_networks,
    outputs,
    path_of,
)
from sandtable.games.lucid.agents.semantic.orders import HANDLERS, BlueOrders
from sandtable.games.lucid.placements.demands import drawn_placements, movelets_to
from sandtable.games.lucid.placements.movelets import in_legal_order, possible_movelets
from sandtable.registry import make_agent, make_game

GAME = make_game("lucid")
PUBLISHED = "lucid/semantic:leftover=stay,paths=least-resistance,ranking=outputs,weights=published"


def orders(line, *categories, leftover="go"):
    """Let the only group of a position carry out categories; return its movelets, sorted."""
    cells = np.array(GAME.parse(line).position)
    groups = force_groups(cells)
    orders = BlueOrders(cells, groups, leftover)
    orders.carry_out(groups[0], categories)
    return sorted(GAME.notation.action_name(each) for each in orders.movelets())


# --- networks ------------------------------------------------------------------------------------


def test_networks_are_as_published():
    assert PARAMETERS == 20 * 36 + 36 + 36 + 1
    assert load_networks().shape == (12, PARAMETERS)


def test_outputs_agree_with_a_plain_network():
    numbers = np.random.Generator(np.random.PCG64(1))
    networks = numbers.normal(size=(len(CATEGORIES), PARAMETERS))
    features = numbers.uniform(0, 5, size=FEATURES)
    answers = np.empty(len(CATEGORIES))
    outputs(networks, features, answers)
    for network, answer in zip(networks, answers, strict=True):
        first = network[: FEATURES * HIDDEN].reshape(FEATURES, HIDDEN)
        bias, out = np.split(network[FEATURES * HIDDEN : -1], 2)
        hidden = 1 / (1 + np.exp(-(features / FEATURE_SCALES @ first + bias)))
        assert answer == pytest.approx(1 / (1 + np.exp(-(hidden @ out + network[-1]))))


def test_categories_are_ranked_by_output():
    answers = np.zeros(len(CATEGORIES))
    assert ranked_categories(answers) == ("approach",)  # the empty set means approach
    answers[CATEGORIES.index("outflank")] = 0.9
    answers[CATEGORIES.index("attack")] = 0.7
    answers[CATEGORIES.index("approach")] = 0.5  # not above the threshold
    assert ranked_categories(answers) == ("outflank", "attack")
    answers[CATEGORIES.index("approach")] = 0.91  # as good as equal to outflank
    assert ranked_categories(answers) == ("outflank", "approach", "attack")


def test_the_published_ranking_is_by_output_alone():
    answers = np.zeros(len(CATEGORIES))
    answers[CATEGORIES.index("approach")] = 0.91
    answers[CATEGORIES.index("outflank")] = 0.90
    assert ranked_categories(answers, "outputs") == ("approach", "outflank")
    assert ranked_categories(answers, "special") == ("outflank", "approach")


def test_every_category_can_be_carried_out():
    assert set(HANDLERS) == set(CATEGORIES) == set(SPECIAL_FIRST)


# --- the acting module ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "category", "expected"),
    [
        ("1,b3,3/5/5/5/5 b 9 0 -", "goToGoal", ["b5-goal"] * 3),
        ("5/5/b2,4/b1,4/5 b 9 0 -", "approach", ["a2-a3", "a3-a4", "a3-a4"]),
        ("r2,4/b3,4/5/5/5 b 9 0 -", "outflank", ["a4-b4"] * 3),
        ("1,r2,3/b3,4/5/5/5 b 9 0 -", "outflank", ["a4-a5"] * 3),  # open: it goes in
        ("r1,4/b3,4/5/5/5 b 9 0 -", "attack", ["a4-a5"] * 3),
        ("r3,4/b3,4/5/5/5 b 9 0 -", "attack", ["a4-b4"] * 3),  # not worth trying: it goes round
        ("r3,r3,3/b3,4/5/5/5 b 9 0 -", "attack", []),  # no better exit beside
        ("r3,4/b3,4/5/5/5 b 36 0 -", "attack", ["a4-a5"] * 3),  # nothing to lose
        ("B1r2,4/b3,4/5/5/5 b 9 0 -", "reinforceCombat", ["a4-a5", "a4-a5", "a4-b4"]),
        ("b2R1,4/5/5/5/5 b 9 0 -", "continueCombat", []),
        ("5/5/b2,4/b2,4/b2,4 b 9 0 -", "ensureSupply", ["a1-a2", "a2-a3", "a3-a4"]),
        ("r2,r2,3/b2,b1,3/5/5/5 b 9 0 -", "concentrateForces", ["b4-a4"]),
        ("5/5/5/5/b3,b3,3 b 9 0 -", "stayInPosition", []),
    ],
)
def test_orders_of_a_category(line, category, expected):
    assert orders(line, category) == expected


def test_a_split_leaves_a_column_and_neighbours_make_room():
    made = orders("r2,r2,r2,r2,r2/5/5/b3,b3,b3,2/5 b 9 0 -", "splitIntoGroups")
    assert made == ["a2-a3"] * 3 + ["b2-a2"] * 3 + ["c2-c3"] * 3


def test_the_first_category_claims_the_units():
    line = "r2,4/b3,4/5/5/5 b 9 0 -"
    assert orders(line, "stayInPosition", "outflank") == []
    assert orders(line, "outflank", "stayInPosition") == ["a4-b4"] * 3


def test_units_left_over_stay_in_the_published_agent():
    """Nobody claims the units of a2 but 'who has no order goes on', which is ours."""
    line = "r2,4/5/b3,4/b3,4/5 b 9 0 -"
    assert orders(line, "reinforceCombat") == ["a2-a3"] * 3 + ["a3-a4"] * 3
    assert orders(line, "reinforceCombat", leftover="stay") == []
    # Too weak to attack before the end, and nothing to lose at the end, is ours as well.
    last = "r3,4/b1,4/5/5/5 b 36 0 -"
    assert orders(last, "approach") == ["a4-a5"]
    assert orders(last, "approach", leftover="stay") == []


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_ordered_is_legal(seed):
    """Random categories in positions of random games never overfill a node."""
    dice = Dice(seed, "acting")
    state = GAME.start(dice)
    while state.turn != -1:
        if state.turn == 0:
            cells = np.array(state.position)
            groups = force_groups(cells)
            orders = BlueOrders(cells, groups)
            for group in groups:
                names = [CATEGORIES[dice.below(len(CATEGORIES))] for _ in range(3)]
                orders.carry_out(group, names)
            movelets = orders.movelets()
            assert sorted(possible_movelets(cells, movelets)) == sorted(
                movelets
            )  # nothing is cancelled
            ordered = in_legal_order(movelets)
            if ordered:
                state.play(ordered)
        chosen = drawn_placements(state.position, (), 1, dice)[0]
        state = state.play(movelets_to(state.position, int(chosen)), dice)


# --- the agent -----------------------------------------------------------------------------------


def test_thought_says_how_the_move_came_about():
    start = GAME.parse("r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -")
    move = Semantic().decide(start.position, Dice(0))
    (group,) = move.groups
    assert group.group.key == "a1 b1 c1 d1 e1"
    assert "approach" in group.chosen  # what the champion does here in all its games
    assert sum(order.units for order in move.orders if order.end != order.node) == (
        len(move.actions) - 1
    )


@pytest.mark.parametrize("agent", ["lucid/semantic", PUBLISHED, "lucid/semantic-lookup"])
def test_agent_keeps_the_contract(agent):
    assert not check_agent(agent, "lucid").problems


def test_bundled_networks_are_there_for_both_papers_and_red():
    made = {name: load_networks(path_of(name)) for name in ("published", "published-19", "red")}
    density = slice(HIDDEN * DENSITY, HIDDEN * (DENSITY + 1))
    assert (made["published-19"][:, density] == 0).all()  # 19 inputs: this one is not seen
    assert (made["published"][:, density] != 0).any()


@pytest.mark.parametrize("option", ["ranking=best", "leftover=run", "paths=long"])
def test_unknown_options_are_named(option):
    with pytest.raises(SandtableError, match="is one of"):
        make_agent(f"lucid/semantic:{option}")


def test_agent_gets_more_through_than_the_scripted_ones():
    agents = [make_agent("lucid/semantic"), make_agent("lucid/axes-red")]
    scores = [
        play_game(GAME, agents, specs=["a", "b"], seed=2, number=number).record.outcome.scores[0]
        for number in range(150)
    ]
    assert np.mean(scores) > 5.4  # OneAxisBlue; ours is about 6.9, with an interval of 0.6


def test_broken_weights_get_one_line(tmp_path):
    path = tmp_path / "x.safetensors"
    with pytest.raises(SandtableError, match="cannot read the weights"):
        make_agent(f"lucid/semantic:weights={path}")
    path.write_bytes(b"nonsense")
    with pytest.raises(SandtableError, match="is damaged or holds no weights of lucid/semantic"):
        make_agent(f"lucid/semantic:weights={path}")
    path = tmp_path / "few.safetensors"
    path.write_bytes(weights_bytes(np.zeros(10, dtype=np.float32), {}))
    with pytest.raises(SandtableError, match="does not fit lucid/semantic: 10 numbers, 9516"):
        make_agent(f"lucid/semantic:weights={path}")
    path = tmp_path / "flipped.safetensors"
    data = bytearray(weights_bytes(np.ones(9516, dtype=np.float32), {}))
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(SandtableError, match="its numbers do not match their digest"):
        make_agent(f"lucid/semantic:weights={path}")
