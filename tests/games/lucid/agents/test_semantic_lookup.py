"""Looking up force groups of the expert instead of asking networks."""

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.expert.games import BUNDLED_GAMES, annotated, read_expert_games
from sandtable.games.lucid.agents.expert.group_examples import group_examples
from sandtable.games.lucid.agents.force_groups import FEATURE_SCALES, force_groups
from sandtable.games.lucid.agents.semantic.lookup import SemanticLookup, nearest_examples
from sandtable.games.lucid.learning.expert_database import record_games, write_games
from sandtable.registry import make_agent, make_game

GAME = make_game("lucid")


def test_a_known_group_does_what_the_expert_did():
    games = read_expert_games(BUNDLED_GAMES)
    examples = group_examples(games)
    for number in range(0, len(examples.features), 97):
        found = nearest_examples(examples, examples.features[number] * FEATURE_SCALES, 1)[0]
        assert (examples.features[found] == examples.features[number]).all()


def test_several_neighbours_vote():
    start = GAME.start(Dice(0)).position
    one = SemanticLookup(labels="literal").answers(0, features_of(start))
    many = SemanticLookup(labels="literal", neighbours=9).answers(0, features_of(start))
    assert set(np.unique(one[0])) <= {0.0, 1.0} and len(one[1]) == 1
    assert len(many[1]) == 9 and ((many[0] * 9).round(6) % 1 == 0).all()


def features_of(position):
    return force_groups(position)[0].features


def test_a_database_of_the_other_side_gets_one_line(tmp_path):
    path = tmp_path / "red.jsonl"
    played = record_games("lucid/simple-blue", "lucid/axes-red", 0, range(1), 0)
    write_games(path, [annotated(record, 1) for record in played])
    agent = make_agent(f"lucid/semantic-lookup:database={path}")
    with pytest.raises(SandtableError, match="has no moves of an expert who plays Blue"):
        agent.choose(GAME.parse("r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -"), Dice(0))


@pytest.mark.parametrize("option", ["neighbours=0", "neighbours=100", "labels=mine"])
def test_options_that_cannot_be(option):
    with pytest.raises(SandtableError, match=r"is (from|one of)"):
        make_agent(f"lucid/semantic-lookup:{option}")
