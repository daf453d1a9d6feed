"""Which program plays: by behaviour for games that are kept, by sources for stopped runs."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sandtable import registry
from sandtable.arena.play import behaviour
from sandtable.arena.play.behaviour import agent_behaviour, behaviour_key, rules_behaviour
from sandtable.arena.play.plan import make_plan

RESULTS = Path(__file__).parents[2] / "results"
SLOW = ("-2500", "-5000")  # searches of seconds for a word

AGENT = """
from pathlib import Path

class Picky:
    def __init__(self, weights: str = "", place: int = 0) -> None:
        self.weights, self.place = weights, place

    def weight_files(self):
        return [Path(self.weights)] if self.weights else []

    def choose(self, view, dice):
        return view.legal[self.place]
"""


@pytest.fixture(autouse=True)
def forgetful():
    """Forget the words for agents and rules before and after a test that changes them."""
    for function in (behaviour.rules_behaviour, behaviour.probed_behaviour):
        function.cache_clear()
    yield
    for function in (behaviour.rules_behaviour, behaviour.probed_behaviour):
        function.cache_clear()


@pytest.fixture
def word_of(tmp_path, monkeypatch):
    """Return what gives the word for an agent written in a module of its own."""
    monkeypatch.syspath_prepend(str(tmp_path))
    points = dict(registry.registered(registry.AGENTS))

    def word(module: str, source: str, spec: str = "picky", game: str = "skirmish") -> str:
        (tmp_path / f"{module}.py").write_text(source)
        point = EntryPoint("picky", f"{module}:Picky", registry.AGENTS)
        monkeypatch.setattr(
            registry,
            "registered",
            lambda group: points | {"picky": point} if group == registry.AGENTS else ours(group),
        )
        behaviour.probed_behaviour.cache_clear()
        return agent_behaviour(game, spec)

    ours = registry.registered
    return word


def test_sources_may_be_moved_and_commented(word_of):
    moved = AGENT.replace("class Picky", "# takes the first that is legal\nclass Picky")
    assert word_of("picky_here", AGENT) == word_of("picky_there", moved)


def test_other_actions_make_another_agent(word_of):
    changed = AGENT.replace("self.place]", "self.place + 1]")
    assert word_of("picky_first", AGENT) != word_of("picky_second", changed)


def test_other_dice_make_another_agent(word_of):
    """Who throws another number of dice goes on with other ones."""
    changed = AGENT.replace(
        "        return view.legal", "        dice.below(2)\n        return view.legal"
    )
    assert word_of("picky_still", AGENT) != word_of("picky_rolling", changed)


def test_weights_and_options_count(word_of, tmp_path):
    weights = tmp_path / "weights"
    weights.write_text("one")
    spec = f"picky:weights={weights}"
    words = [word_of("picky_weighed", AGENT), word_of("picky_weighed", AGENT, spec)]
    weights.write_text("two")
    words.append(word_of("picky_weighed", AGENT, spec))
    words.append(word_of("picky_weighed", AGENT, f"picky:weights={weights},place=0"))
    assert len(set(words)) == 4


def test_rules_count(monkeypatch):
    words = [rules_behaviour(f"skirmish:level={level}") for level in (1, 2)]
    game = registry.make_game("skirmish:level=1")
    changes = [
        replace(game, version=game.version + 1),
        replace(game, rules=replace(game.rules, score=lambda position, scores: None)),
        replace(game, rules=replace(game.rules, start=lambda position, dice: dice.fill(0))),
    ]
    for changed in changes:
        monkeypatch.setattr(registry, "make_game", lambda spec, changed=changed: changed)
        rules_behaviour.cache_clear()
        words.append(rules_behaviour("skirmish:level=1"))
    assert len(set(words)) == 5


def test_the_key_of_a_plan_has_a_word_for_each():
    plans = [
        make_plan(game, agents, 2, 0)
        for game, agents in (
            ("skirmish:level=2", ["random", "skirmish/greedy"]),
            ("skirmish:level=3", ["skirmish/greedy", "random"]),
        )
    ]
    first, second = (behaviour_key(plan).split("-") for plan in plans)
    assert first[0] != second[0]
    assert first[1:] == second[:0:-1]  # an agent is the same on every level
    assert first[0] == rules_behaviour("skirmish:level=2")


def test_an_agent_of_one_seat_is_asked_about_that_seat():
    seats = {state.turn for state in behaviour.probe_positions("lucid", ("red",))}
    assert seats == {registry.make_game("lucid").seat_number("red")}
    assert agent_behaviour("lucid", "lucid/axes-red") != agent_behaviour("lucid", "random")


def test_an_agent_is_asked_about_the_default_game_if_it_suits_it():
    game = "stratego:long_scouts=false"
    assert behaviour.probe_of(game, "stratego/baseline") == "stratego"
    assert behaviour.probe_of(game, "alphabeta") == game


@pytest.mark.parametrize("game", ["skirmish", "stratego"])
def test_kept_results_are_those_of_the_agents_of_today(game):
    """Fails when an agent or the rules change: its rows in results/ must then be looked at.

    Where the change is wanted, play the rows again ('sandtable reproduce GAME --json ...') and
    remove the old lines from the file.
    """
    words: dict[tuple[str, str], set[str]] = {}
    for line in (RESULTS / f"{game}.games.jsonl").read_text().splitlines():
        data = json.loads(line)
        rules, *agents = data["program"].split("-")
        if "level=random-" not in data["game"]:
            words.setdefault(("rules", data["game"]), set()).add(rules)
        for agent, word in zip(data["agents"], agents, strict=True):
            words.setdefault(("agent", agent), set()).add(word)
    changed = [
        name
        for (kind, name), kept in words.items()
        if not name.endswith(SLOW)
        and kept != {rules_behaviour(name) if kind == "rules" else agent_behaviour(game, name)}
    ]
    assert changed == []
    assert len(words) >= 10


def test_the_key_of_sources_does_not_depend_on_where_packages_lie(tmp_path, monkeypatch):
    def key(first: str, second: str) -> str:
        roots = {"game": tmp_path / first / "game", "agent": tmp_path / second / "agent"}
        for name, package in roots.items():
            package.mkdir(parents=True)
            (package / "__init__.py").write_text(f"name = {name!r}")
        monkeypatch.setattr(behaviour, "PACKAGE_FOLDER", roots["game"])
        monkeypatch.setattr(behaviour, "PROGRAM_PARTS", ("*",))
        monkeypatch.setattr(behaviour, "package_of", lambda module: {roots["agent"]})
        return behaviour.source_key(["skirmish"], [])

    assert key("a", "b") == key("d", "c")
