"""Language models as agents: whole games, what is kept, and playing from what was kept."""

from __future__ import annotations

import json
import os
import re
import sys
import threading

import pytest

from agents.little_games import nim
from agents.stand_in import Answer, legal_actions, legal_player, standing_in, turn_player
from example_plugin import installed_here
from sandtable.agents.briefing import rules_of
from sandtable.agents.models.agent import Model
from sandtable.arena.play.game_loop import play_game
from sandtable.dice import Dice
from sandtable.errors import Forfeit, MissingExtra, UnreadableSpec
from sandtable.records.lines import record_from_line, record_to_line
from sandtable.records.replay import check
from sandtable.records.transcripts import decision_at, decisions_of
from sandtable.registry import make_agent, make_game
from sandtable.types import OVER

GAMES = {
    "lucid:turns=3": turn_player,
    "skirmish:max_turns=3": legal_player,
    "stratego:variant=mini,setup=choose,max_plies=4": legal_player,
    "gravwell:players=2": legal_player,
}


@pytest.fixture(scope="module")
def endpoint():
    with standing_in() as found:
        yield found


@pytest.fixture(autouse=True)
def fresh(request):
    """Let the endpoint forget what others asked of it."""
    if "endpoint" in request.fixturenames:
        found = request.getfixturevalue("endpoint")
        found.requests.clear()
        found.script, found.most_at_once = legal_player, 0


def played(game, spec, number=0, start=None):
    """Play a game with the same spec in every seat; return its record."""
    agents = [make_agent(spec) for _ in game.seats]
    specs = [spec] * len(agents)
    record = play_game(game, agents, specs=specs, seed=1, number=number, start=start).record
    for agent in agents:
        agent.close()
    return record


@pytest.mark.parametrize("spec", GAMES)
def test_whole_games_from_every_seat(endpoint, spec):
    endpoint.script = GAMES[spec]
    game = make_game(spec)
    stream = "no" if game.hidden else "yes"
    late = game.max_actions > 100 and game.hidden  # its last moves are enough
    start = moves_at_random(game, 120, Dice(1))[0][-1] if late else None
    record = played(game, f"model:stand-in,url={endpoint.url},stream={stream}", start=start)
    assert record.outcome.forfeited_by is None
    check(record_from_line(record_to_line(record), "here"))
    decisions = decisions_of(record.annotations)
    assert sum(decision.actions for decision in decisions) == len(record.actions)
    assert {decision.seat for decision in decisions} == set(range(len(game.seats)))
    assert len(endpoint.requests) == len(decisions)  # nothing was rethought
    for ply, action in enumerate(record.actions, start=1):
        [decision] = decision_at(record.annotations, ply, None)
        assert game.notation.action_name(action) in decision.exchanges[-1].answer
    if spec.startswith("lucid"):  # a turn is asked for once
        assert len(decisions) == 3 and len(record.actions) > 3


def test_the_example_plug_in_is_played_without_a_line_of_its_own(endpoint, example_package):
    with installed_here(example_package):
        record = played(make_game("kuhn"), f"model:stand-in,url={endpoint.url}")
        assert record.outcome.forfeited_by is None
        check(record)
        assert "Who reaches the far row wins" in rules_of(make_game("hexapawn"))  # from its page
    told = endpoint.requests[0]["messages"][0]["content"]
    assert "get one of three cards" in told  # from the code of its rules, as it has no page
    assert "pass, bet" in told or "bet, pass" in told


def test_a_request_says_what_was_asked_for(endpoint):
    game = nim()
    agent = Model(
        "some/model:8b",
        endpoint.url,
        legal=0,
        view="json",
        temperature=0.5,
        tokens=77,
        stream=False,
    )
    endpoint.script = lambda messages: "MOVE: take1"
    agent.begin(game, 0, Dice(1))
    assert agent.choose(game.start(Dice(1)).view(0), Dice(1)) == [0]
    agent.close()
    [request] = endpoint.requests
    assert request["model"] == "some/model:8b"
    assert (request["temperature"], request["max_tokens"]) == (0.5, 77)
    assert request["seed"] == agent._seed
    assert "stream" not in request
    now = request["messages"][1]["content"]
    assert "legal actions" not in now
    assert "stones" not in now  # the drawing
    assert json.loads(now.split("\n\n")[1])["position"] == "7 0 42"


def test_what_has_happened_is_told_once(endpoint):
    record = played(nim(), f"model:stand-in,url={endpoint.url}")
    prompts = [request["messages"][1]["content"] for request in endpoint.requests]
    assert "What has happened" not in prompts[0]
    words = [nim().notation.action_name(action) for action in record.actions]
    assert f"somebody played {words[0]}" in prompts[1]  # it saw nothing before
    left = 7 - (record.actions[0] + 1)
    after = left - (record.actions[1] + 1)
    told = f"you played {words[0]}\n  - 7 stones became {left}\nsecond played {words[1]}\n"
    assert f"{told}  - {left} stones became {after}\n" in prompts[2]
    if len(prompts) > 4:
        assert words[0] not in prompts[4].split("# The position")[0].split("second")[0]


def test_reasoning_tokens_and_time_are_kept(endpoint):
    def script(messages):
        name = legal_actions(messages[1]["content"])[0]
        return Answer(f"<think>or three?</think>\n**MOVE: {name}**", reasoning="Take one.")

    endpoint.script = script
    for stream in ("yes", "no"):
        record = played(nim(), f"model:stand-in,url={endpoint.url},stream={stream}")
        exchange = decisions_of(record.annotations)[0].exchanges[0]
        assert exchange.reasoning == "Take one.\n\nor three?"
        assert exchange.answer == "**MOVE: take1**"
        assert exchange.finish == "stop"
        assert exchange.reasoning_tokens == 2
        assert exchange.prompt_tokens > 100 < 1000 * exchange.answer_tokens
        assert [role for role, _ in exchange.prompt] == ["system", "user"]
        total = sum(each.exchanges[0].seconds for each in decisions_of(record.annotations))
        assert sum(record.seconds) == pytest.approx(total)


def test_a_record_keeps_each_text_once(endpoint):
    record = played(nim(), f"model:stand-in,url={endpoint.url}")
    kept = record.annotations["transcript"]
    assert len(kept["texts"]) == len(set(kept["texts"])) == 2 + len(kept["decisions"])


# --- kept answers ---------------------------------------------------------------------------------


def test_a_game_is_played_again_without_the_model_byte_for_byte(endpoint, tmp_path, monkeypatch):
    monkeypatch.setenv("SANDTABLE_MODEL_ANSWERS", str(tmp_path / "answers.jsonl"))
    spec, game = f"model:stand-in,url={endpoint.url}", make_game("skirmish:max_turns=2")
    lines = [record_to_line(played(game, spec, number=number)) for number in range(2)]
    asked = len(endpoint.requests)
    assert asked > 1
    monkeypatch.setenv("SANDTABLE_MODEL_OFFLINE", "1")
    assert [record_to_line(played(game, spec, number=number)) for number in range(2)] == lines
    assert len(endpoint.requests) == asked
    unknown = played(game, spec, number=2)
    assert "no answer was kept" in unknown.outcome.reason
    assert unknown.outcome.forfeited_by == 0
    with (tmp_path / "answers.jsonl").open("ab") as handle:
        handle.write(b'nonsense\n{"key": "half')  # somebody was killed
    monkeypatch.delenv("SANDTABLE_MODEL_OFFLINE")
    third = record_to_line(played(game, spec, number=2))
    monkeypatch.setenv("SANDTABLE_MODEL_OFFLINE", "1")
    assert record_to_line(played(game, spec, number=2)) == third


def test_kept_answers_are_of_a_model_a_prompt_and_options(endpoint, tmp_path):
    def ask(name="one", **more):
        agent = Model(name, endpoint.url, answers=str(tmp_path / "kept.jsonl"), **more)
        agent.begin(nim(), 0, Dice(1))
        agent.choose(nim().start(Dice(1)).view(0), Dice(1))
        agent.close()
        return len(endpoint.requests)

    assert ask() == 1
    assert ask(stream=False, timeout=5.0) == 1  # these do not bear on the answer
    assert ask("two") == 2
    assert ask(temperature=0.0) == 3
    assert ask(tokens=99) == 4
    assert ask(legal=1) == 5  # another prompt


def test_without_chance_a_question_has_one_answer_in_all_games(endpoint, tmp_path):
    spec = f"model:stand-in,url={endpoint.url},temperature=0,answers={tmp_path / 'kept.jsonl'}"
    first = played(nim(), spec, number=0)
    assert played(nim(), spec, number=1).actions == first.actions
    assert len(endpoint.requests) == len(first.actions)
    assert "seed" not in endpoint.requests[0]


def test_a_record_is_shown_with_what_was_said(endpoint, tmp_path, sandtable):
    game = make_game("stratego:variant=mini,max_plies=4")
    endpoint.script = lambda messages: Answer(
        f"{legal_player(messages)}", reasoning=f"My line: {messages[1]['content'][-30:]}"
    )
    path = tmp_path / "games.jsonl"
    path.write_text(record_to_line(played(game, f"model:stand-in,url={endpoint.url}")) + "\n")
    code, shown, _ = sandtable("replay", path)
    assert code == 0
    assert shown.count("stand-in said (") == 4
    assert "  | I looked at" in shown
    assert "My line:" not in shown and "# Rules" not in shown
    everything = sandtable("replay", path, "--said", "all")[1]
    assert everything.count("it thought:") == 4 and "| # Rules" in everything
    assert "said" not in sandtable("replay", path, "--said", "nothing")[1]
    own = sandtable("replay", path, "--said", "all", "--seat", "blue")[1]
    assert own.count("stand-in said (") == 2
    assert "You are the seat blue" in own and "You are the seat red" not in own


# --- rules of the agent ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("url=ftp://here", "url begins with"),
        ("url=http://me:secret9@here/v1", "environment only"),
        ("url=http://here/v1?key=secret9", "environment only"),
        ("key_variable=sk-secret9", "name of an environment variable"),
        ("view=secret9view", "view is one of"),
        ("rethinks=-1", "rethinks is at least 0"),
        ("timeout=0", "timeout cannot be 0"),
        ("parallel=0", "parallel is at least 1"),
        ("api_key=secret9", "no option 'api_key'"),
    ],
)
def test_wrong_specs_are_told_in_one_line_without_what_may_be_a_secret(options, told):
    with pytest.raises(UnreadableSpec, match=told) as raised:
        make_agent(f"model:some,{options}")
    assert "\n" not in str(raised.value)
    if "view" not in options:
        assert "secret9" not in str(raised.value)


def test_the_library_is_asked_for_only_when_it_is_needed(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    make_agent("model:some,offline=yes").check()
    with pytest.raises(MissingExtra, match="needs the extra 'models'"):
        make_agent("model:some,url=http://localhost:9/v1").check()


def test_no_more_requests_at_once_than_allowed(endpoint):
    busy = threading.Event()

    def slow(messages):
        busy.wait(0.03)
        return legal_player(messages)

    endpoint.script = slow
    spec = f"model:stand-in,url={endpoint.url},parallel=2"
    threads = [threading.Thread(target=played, args=(nim(), spec, each)) for each in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert endpoint.most_at_once == 2


def test_a_budget_of_tokens_holds(endpoint):
    record = played(nim(), f"model:stand-in,url={endpoint.url},game_tokens=1")
    assert record.outcome.forfeited_by == 0
    assert "has spent its 1 tokens" in record.outcome.reason
    assert len(record.actions) == 2  # each seat was asked once


# --- nothing hidden in a prompt -------------------------------------------------------------------

HIDDEN = {
    "stratego:variant=mini": (1, 8, 25),
    "stratego:variant=mini,setup=choose": (3, 14, 22),
    "gravwell:players=3": (2, 10, 21, 38),
}


def moves_at_random(game, plies, dice):
    state, states, actions = game.start(dice), [], []
    for _ in range(plies):
        legal = state.legal
        action = legal[dice.below(len(legal))]
        following = state.play(action, dice)
        if following.turn == OVER:
            break
        states.append(state)
        actions.append(action)
        state = following
    return [*states, state], actions


@pytest.mark.parametrize("spec", HIDDEN)
def test_positions_that_differ_in_what_is_hidden_give_the_same_prompts(endpoint, spec):
    """The server's test of exchanges, for prompts: also rethinks and forfeits are the same."""
    game = make_game(spec)
    differing = 0
    for plies in HIDDEN[spec]:
        dice = Dice(plies, "prompts")
        states, actions = moves_at_random(game, plies, dice)
        seat = states[-1].turn
        twins = [state.view(seat).guess(dice) for state in states]
        differing += twins[-1] != states[-1]
        sent, told = [], []
        for path in (states, twins):
            endpoint.requests.clear()
            endpoint.script = lambda messages: "MOVE: nothing"
            agent = Model("stand-in", endpoint.url, rethinks=1, temperature=0.0)
            agent.begin(game, seat, Dice(1))
            for number, action in enumerate(actions):
                position = states[number].position
                visible = game.action_visible_to(position, action, seat)
                agent.watch(path[number + 1].view(seat), action if visible else None)
            with pytest.raises(Forfeit) as given_up:
                agent.choose(path[-1].view(seat), Dice(1))
            agent.close()
            sent.append(json.dumps(endpoint.requests))
            told.append((str(given_up.value), without_times(agent.transcript())))
        assert sent[0] == sent[1]
        assert told[0] == told[1]
    assert differing


def without_times(transcript):
    return re.sub(r'"seconds": [0-9.]+', "", json.dumps(list(transcript)))


def test_the_prompts_of_a_whole_game_hold_nothing_of_the_other_hand(endpoint, example_package):
    """In Kuhn poker the card of the other is never named before it is shown."""
    with installed_here(example_package):
        game = make_game("kuhn")
        for number in range(3):
            endpoint.requests.clear()
            played(game, f"model:stand-in,url={endpoint.url},temperature=0", number=number)
            cards = game.start(Dice(1, "game", number)).line[:2]
            for request in endpoint.requests:
                seat = 0 if "You are the seat first" in request["messages"][0]["content"] else 1
                now = request["messages"][1]["content"]
                assert f"[{cards[seat]}]" in now
                assert f"[{cards[1 - seat]}]" not in now and cards not in now


def test_the_tests_know_nothing_of_real_endpoints():
    assert not os.environ.get("OPENAI_API_KEY")
