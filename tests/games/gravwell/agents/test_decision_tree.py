"""The decision trees against plain twins and against the decisions of the authors' program."""

from collections import Counter

import numpy as np
import pytest

from games.gravwell.agents.plain_trees import (
    as_coded,
    cards_of,
    described,
    is_careful,
    of_kind,
    with_foresight,
    with_saving,
)
from games.recorded import recorded
from sandtable.agent import NO_CONSTANTS
from sandtable.conformance import check_agent
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.decision_tree.as_coded import MEMORY, act
from sandtable.games.gravwell.agents.decision_tree.questions import way_taken
from sandtable.games.gravwell.cards import NAMES, NORMAL, VALUE
from sandtable.games.gravwell.layout import (
    CURRENT,
    DRAFTING,
    GO,
    MOVER,
    NOTHING,
    OPEN_HAND,
    OPEN_STACK,
    ORDER,
    PHASE,
    PICKED,
    PLAYED,
    PLAYING,
    ROUND,
    SECRET_HAND,
    SHIPS,
    STOP,
    STOPPING,
    STOPS,
    TABLE,
    TAKE,
    TURN,
    UNKNOWN,
    WHERE,
)
from sandtable.registry import make_agent, make_game

CARD = {name: card for card, name in enumerate(NAMES)}
GAMES = ["gravwell", "gravwell:players=3,tractor=inert", "gravwell:players=2"]


def positions_of_play(spec, agent, games):
    """Play games of an agent in every seat against random ones; yield what it saw and did."""
    game, random = make_game(spec), make_agent("random")
    for number in range(games):
        dice, seat = Dice(3, "tree", number), number % len(game.seats)
        state = game.start(dice)
        agent.begin(game, seat, dice)
        while state.outcome is None:
            if state.turn == seat:
                view = state.view(seat)
                (action,) = agent.choose(view, dice)
                yield view.position, action
            else:
                (action,) = random.choose(state.view(state.turn), dice)
            state = state.play(action, dice)


@pytest.mark.parametrize("spec", GAMES)
def test_described_tree_is_its_plain_twin(spec):
    phases = Counter()
    drawn = set()
    for position, action in positions_of_play(spec, make_agent("gravwell/decision-tree"), 30):
        wanted = described(position)
        assert action in wanted
        phases[int(position[PHASE])] += 1
        if len(wanted) > 1:
            drawn.add(sorted(wanted).index(action))
    assert min(phases.values()) > 100
    assert len(phases) == 3
    assert len(drawn) > 2


@pytest.mark.parametrize("spec", GAMES)
def test_tree_as_coded_is_its_plain_twin(spec):
    order, phases = [], Counter()
    tree = make_agent("gravwell/decision-tree:as_coded=yes")
    for position, action in positions_of_play(spec, tree, 30):
        hand = cards_of(position, int(position[MOVER]))
        order = [card for card in order if card in hand]
        new = [card for card in hand if card not in order]
        order += sorted(new, key=lambda card: position[WHERE + card])  # open before secret
        assert action in as_coded(position, order)
        phases[int(position[PHASE])] += 1
    assert min(phases.values()) > 100


@pytest.mark.parametrize("whose", ["own", "others", "both"])
def test_foresight_is_its_plain_twin(whose):
    tree = make_agent(f"gravwell/decision-tree:foresight={whose},saving=yes")
    seen, other = Counter(), 0
    for position, action in positions_of_play("gravwell", tree, 12):
        if position[PHASE] == PLAYING:
            wanted = with_foresight(position, whose)
            other += not wanted & described(position)
        else:
            wanted = described(position) if position[PHASE] == DRAFTING else with_saving(position)
        assert action in wanted
        seen[int(position[PHASE]), action in (GO, STOP) and action] += 1
    assert seen[STOPPING, STOP] > 5
    assert other > 5  # the foresight has changed something


@pytest.mark.parametrize("forward", ["lowest", "earliest", "any"])
def test_other_readings_are_their_plain_twins(forward):
    tree = make_agent(f"gravwell/decision-tree:forward={forward},groups=4")
    drafts = 0
    for position, action in positions_of_play("gravwell", tree, 6):
        assert action in described(position, 4, forward)
        drafts += position[PHASE] == DRAFTING and action not in described(position)
    assert drafts > 0  # the fifth group makes a difference


def test_careful_tree_plays_low_after_its_stop():
    tree, careful = make_agent("gravwell/decision-tree:careful=5"), 0
    for position, action in positions_of_play("gravwell", tree, 12):
        if position[PHASE] == PLAYING and is_careful(position, 5):
            normals = of_kind(cards_of(position, int(position[MOVER])), NORMAL)
            assert action == min(normals, key=lambda card: (VALUE[card], card))
            careful += 1
        else:
            assert action in described(position)
    assert careful > 10


@pytest.mark.parametrize("way", ["", ",as_coded=yes"])
def test_random_card_leaves_draft_and_stop_to_the_tree(way):
    tree, other = make_agent(f"gravwell/decision-tree:random_card=yes{way}"), 0
    for position, action in positions_of_play("gravwell", tree, 6):
        if position[PHASE] == PLAYING:
            hand = cards_of(position, int(position[MOVER]))
            assert action in hand
            other += action != max(hand, key=lambda card: (VALUE[card], -card))
        elif not way:
            assert action in described(position)
    assert other > 20


@pytest.mark.parametrize(
    "spec",
    [
        "",
        ":as_coded=yes",
        ":forward=any,careful=5,saving=yes",
        ":foresight=both",
        ":random_card=yes",
    ],
)
def test_questions_lead_where_the_kernel_goes(spec):
    tree = make_agent(f"gravwell/decision-tree{spec}")
    ends = set()
    for position, action in positions_of_play("gravwell", tree, 12):
        *asked, end = way_taken(tree.tree(int(position[PHASE])), np.array(position))
        assert action in end.actions
        assert all(step.reply in (True, False) for step in asked)
        ends.add(end.words)
    assert len(ends) > 4


def test_way_through_the_tree_is_told_and_drawn():
    tree = make_agent("gravwell/decision-tree")
    view = make_game("gravwell:players=2").start(Dice(1)).view(0)
    told = tree.explain(view, Dice(1))
    assert "tractor on the field, none in hand? yes" in told.text
    assert told.text.endswith("It plays take-Jo.")
    assert told.svg.count('stroke-width="2.4"') == 3  # two boxes and the line between them
    assert "Which card to play" in tree.show_text()
    assert tree.show_svg().count("<rect") > 25


@pytest.mark.parametrize("spec", ["", ":as_coded=yes", ":foresight=both,saving=yes,careful=4"])
def test_trees_keep_the_contract(spec):
    assert not check_agent(f"gravwell/decision-tree{spec}", "gravwell", games=2).problems


def test_other_games_are_refused():
    for name in ("gravwell/decision-tree", "gravwell/random-no-stop"):
        with pytest.raises(WrongSeats, match="plays gravwell, not lucid"):
            make_agent(name).policy(make_game("lucid"))
    with pytest.raises(SandtableError, match="true or false"):
        make_agent("gravwell/decision-tree:as_coded=perhaps")
    with pytest.raises(SandtableError, match="Did you mean 'others'"):
        make_agent("gravwell/decision-tree:foresight=other")
    with pytest.raises(SandtableError, match="no other option than random_card"):
        make_agent("gravwell/decision-tree:as_coded=yes,saving=yes")


# --- the decisions of the authors' program -------------------------------------------------------


def view_of(decision, visible):
    """Return the view in which a decision was taken; ``visible`` are cards drafted openly."""
    view = make_game("gravwell").empty_position()
    view[SHIPS : SHIPS + 6] = list(decision["pos"].values())
    seat = list(decision["pos"]).index(decision["name"])
    view[WHERE : WHERE + 26] = UNKNOWN
    view[TABLE : TABLE + 4] = NOTHING
    view[ORDER : ORDER + 4] = range(4)
    view[STOPS : STOPS + 4] = 1
    view[ROUND], view[TURN], view[MOVER] = decision["round"], decision["turn"], seat
    view[CURRENT] = NOTHING
    for name in decision["hand"]:
        place = OPEN_HAND if name in visible else SECRET_HAND
        view[WHERE + CARD[name]] = place + seat
    view[PHASE] = {"draft": DRAFTING, "play": PLAYING, "es": STOPPING}[decision["kind"]]
    for stack, name in decision.get("field", []):
        view[WHERE + CARD[name]] = OPEN_STACK + stack
    view[PICKED] = 12 - len(decision.get("field", []))
    if decision["kind"] == "es":
        view[CURRENT] = view[TABLE + seat] = CARD[decision["card"]]
        view[WHERE + view[CURRENT]] = PLAYED + seat
    return view


def recorded_action(decision):
    if decision["kind"] == "draft":
        return TAKE + CARD[dict(decision["field"])[decision["choice"]]]
    if decision["kind"] == "play":
        return CARD[decision["choice"]]
    return STOP if decision["choice"] else GO


@pytest.mark.parametrize(
    ("which", "wanted"),
    [
        ("carried", {"draft": 111, "play": 342, "es": 201}),
        ("complete", {"draft": 576, "play": 1744, "es": 1051}),
    ],
)
def test_agrees_with_every_recorded_decision(which, wanted):
    checked = Counter()
    for game in recorded("gravwell", "agent_decisions", which):
        memory, visible = np.array(MEMORY), set()
        actions, dice = np.zeros(layout.ACTIONS, dtype=np.int16), Dice(0)
        for decision in game["decisions"]:
            if decision["agent"] != "symbolic":
                continue
            view = view_of(decision, visible)
            assert act(view, dice.array, memory, NO_CONSTANTS, actions) == 1
            if not decision["used_random"]:
                assert actions[0] == recorded_action(decision), decision
                checked[decision["kind"]] += 1
            if decision["kind"] == "draft":
                chosen = dict(decision["field"])[decision["choice"]]
                visible = (visible if decision["hand"] else set()) | {chosen}
    assert checked == wanted
