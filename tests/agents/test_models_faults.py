"""Endpoints and models that misbehave: retries, forfeits with reasons, nothing hung or told."""

from __future__ import annotations

import json
import time
from dataclasses import asdict

import pytest

from agents.little_games import nim
from agents.stand_in import Answer, Misbehaviour, legal_player, standing_in
from sandtable.agent import Agent
from sandtable.agents.models import endpoint as module
from sandtable.agents.models import replies
from sandtable.agents.models.agent import Model
from sandtable.agents.models.answers import judged, words_of
from sandtable.arena.play.game_loop import play_game
from sandtable.records.transcripts import decisions_of
from sandtable.registry import make_game

KEY = "sk-VerySecretKey123"


@pytest.fixture
def endpoint():
    with standing_in() as found:
        yield found


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(module, "FIRST_WAIT", 0.01)


class Careful(Agent):
    """Takes as little as it can."""

    def choose(self, view, dice):
        return view.legal[0]


def one_game(endpoint, script, hidden=False, **options):
    """Play a game of a model against a careful player; return the record."""
    endpoint.script = script
    agent = Model("stand-in", endpoint.url, **{"timeout": 5.0, "retries": 2, **options})
    players, specs = [agent, Careful()], ["model:stand-in", "careful"]
    record = play_game(nim(hidden=hidden), players, specs=specs, seed=1, number=0).record
    agent.close()
    return record


def first_times(count, trouble, then=legal_player):
    """Return a script that misbehaves so often, and then plays."""
    left = [trouble] * count

    def script(messages):
        return left.pop() if left else then(messages)

    return script


PASSING = {
    "hang up": Misbehaviour("hang up"),
    "half": Misbehaviour("half"),
    "garbage": Misbehaviour("garbage"),
    "no choices": Misbehaviour("no choices"),
    "server error": Misbehaviour("status", 500, body="{}"),
    "rate limit": Misbehaviour("status", 429, {"retry-after": "0.05"}, '{"error": "slow down"}'),
    "rate limit in ms": Misbehaviour("status", 429, {"retry-after-ms": "30"}, "{"),
    "half event": Misbehaviour("half event"),
    "error event": Misbehaviour("error event"),
}


WHOLE = ("hang up", "half", "garbage", "rate limit")  # tried also without a stream


@pytest.mark.parametrize(
    ("kind", "stream"),
    [*((kind, True) for kind in PASSING), *((kind, False) for kind in WHOLE)],
)
def test_what_passes_is_asked_again(endpoint, kind, stream):
    record = one_game(endpoint, first_times(2, PASSING[kind]), stream=stream)
    assert record.outcome.forfeited_by is None, record.outcome
    assert decisions_of(record.annotations)[0].exchanges[0].retries == 2
    record = one_game(endpoint, first_times(9, PASSING[kind]), stream=stream, retries=1)
    assert record.outcome.forfeited_by == 0
    assert "(2 times asked)" in record.outcome.reason
    [decision] = decisions_of(record.annotations)
    assert decision.actions == 0
    assert decision.exchanges[0].kind == "endpoint"
    assert decision.exchanges[0].problem


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("kind", ["silence", "drip"])
def test_nothing_hangs(endpoint, kind, stream):
    began = time.monotonic()
    record = one_game(
        endpoint, lambda messages: Misbehaviour(kind), stream=stream, timeout=0.15, retries=1
    )
    assert time.monotonic() - began < 3
    assert "no answer within 0.15 s (2 times asked)" in record.outcome.reason


def test_a_clock_of_the_match_breaks_in(endpoint):
    endpoint.script = lambda messages: Misbehaviour("silence")
    agents = [Model("stand-in", endpoint.url), Careful()]
    game = nim()
    played = play_game(game, agents, specs=["a", "b"], seed=1, number=0, move_time=0.2)
    agents[0].close()
    assert played.record.outcome.reason == "first forfeits: no answer within 0.2 s"
    [decision] = decisions_of(played.record.annotations)
    assert decision.exchanges[0].problem == "no answer within 0.2 s"


@pytest.mark.parametrize("status", [400, 401, 404])
def test_what_does_not_pass_is_a_forfeit_at_once(endpoint, status):
    told = Misbehaviour("status", status, body=json.dumps({"error": {"message": "what\nis this"}}))
    record = one_game(endpoint, lambda messages: told)
    assert len(endpoint.requests) == 1
    assert f"the endpoint answered {status}" in record.outcome.reason
    assert "what is this" in record.outcome.reason and "\n" not in record.outcome.reason
    hidden = one_game(endpoint, lambda messages: told, hidden=True)
    assert "what" not in hidden.outcome.reason  # it may quote the prompt
    assert "what is this" in decisions_of(hidden.annotations)[0].exchanges[0].problem


def test_a_wait_that_is_too_long_is_a_forfeit(endpoint):
    told = Misbehaviour("status", 429, {"retry-after": "3600"}, "{}")
    record = one_game(endpoint, lambda messages: told)
    assert "asks to wait 3600 s" in record.outcome.reason
    assert len(endpoint.requests) == 1


def test_another_name_for_the_limit_of_tokens_is_learnt(endpoint):
    def script(messages):
        if "max_tokens" in endpoint.requests[-1]:
            body = {"error": {"message": "Use 'max_completion_tokens' instead."}}
            return Misbehaviour("status", 400, body=json.dumps(body))
        return legal_player(messages)

    record = one_game(endpoint, script)
    assert record.outcome.forfeited_by is None
    assert sum("max_tokens" in request for request in endpoint.requests) == 1
    assert endpoint.requests[-1]["max_completion_tokens"] == 4096


@pytest.mark.parametrize("stream", [True, False])
def test_an_endless_answer_is_cut_and_rethought(endpoint, stream, monkeypatch):
    monkeypatch.setattr(replies, "LONGEST_ANSWER", 50_000)
    monkeypatch.setattr(replies, "MOST_BYTES", 1 << 20)
    record = one_game(endpoint, first_times(1, Misbehaviour("endless")), stream=stream)
    assert record.outcome.forfeited_by is None
    first = decisions_of(record.annotations)[0].exchanges
    assert first[0].problem == "the answer is far too long"
    assert len(first) == 2
    assert len(json.dumps(record.annotations)) < 400_000


BAD = {
    "": "unreadable",
    "I would rather not.": "unreadable",
    "MOVE:": "unreadable",
    "MOVE: take9": "unreadable",
    'MOVE: {"actions": ["take1": ': "unreadable",
    '{"actions": ["take1"': "unreadable",
    "MOVE: take1 take1": "illegal",
    "MOVE: take1*2": "illegal",
    "MOVE: " + "take1 " * 5000: "unreadable",
    "MOVE: \x1b[31m\x00": "unreadable",
}


@pytest.mark.parametrize("answer", BAD, ids=range(len(BAD)))
def test_bad_answers_are_rethought_and_then_forfeited(endpoint, answer):
    record = one_game(endpoint, lambda messages: answer, rethinks=2)
    assert record.outcome.forfeited_by == 0
    assert record.outcome.reason.endswith(f"no answer that can be played: 3 {BAD[answer]}")
    [decision] = decisions_of(record.annotations)
    assert [exchange.kind for exchange in decision.exchanges] == [BAD[answer]] * 3
    last = endpoint.requests[-1]["messages"]
    assert [each["role"] for each in last] == ["system", "user"] + ["assistant", "user"] * 2
    assert decision.exchanges[0].problem in last[3]["content"]
    assert "Nothing was played" in last[-1]["content"]


def test_a_good_answer_after_bad_ones_is_played(endpoint):
    record = one_game(endpoint, first_times(2, "MOVE: take9"), rethinks=2)
    assert record.outcome.forfeited_by is None
    assert len(decisions_of(record.annotations)[0].exchanges) == 3


def test_an_answer_that_ran_out_of_tokens_is_told_so(endpoint):
    script = first_times(1, Answer("Let me think about all", finish="length"))
    record = one_game(endpoint, script)
    assert "all tokens it may have" in decisions_of(record.annotations)[0].exchanges[0].problem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("MOVE: take1", ["take1"]),
        ("Move: **take1**.", ["take1"]),
        ("**MOVE:** `take1`", ["take1"]),
        ("MOVE: take2\nNo, better:\nMOVE: take1", ["take1"]),
        ("## Final move: take1", ["take1"]),
        ("MOVE:\ntake1", ["take1"]),
        ('```json\n{"action": "take1"}\n```', ["take1"]),
        ('{"why": "x", "actions": ["a1-a2", "end"]}', ["a1-a2", "end"]),
        ('MOVE: ["a1-a2", "end"]', ["a1-a2", "end"]),
        ("actions = a1-a2*3, end", ["a1-a2*3", "end"]),
        ("The move is good.", []),
        ('{"action": 3}', []),
    ],
)
def test_where_a_move_is_found(text, words):
    assert words_of(text) == words


def test_a_bare_move_and_capitals_are_understood():
    view = nim().start().view(0)
    assert judged(view, "take2").actions == (1,)
    assert judged(view, "I play:\nTAKE2").actions == (1,)
    assert judged(view, "take2 or take3").kind == "unreadable"


def test_part_of_a_turn_is_played_and_the_rest_asked_for(endpoint):
    answers = ["MOVE: a1-a2*2", "MOVE: b1-b2 end"]
    endpoint.script = lambda messages: answers.pop(0) if answers else "MOVE: end"
    agent = Model("stand-in", endpoint.url)
    game = make_game("lucid:turns=1,first=blue")
    record = play_game(game, [agent, Careful()], specs=["a", "b"], seed=1, number=0).record
    agent.close()
    names = [game.notation.action_name(action) for action in record.actions]
    assert names == ["a1-a2", "a1-a2", "b1-b2", "end"]
    assert [each.actions for each in decisions_of(record.annotations)] == [2, 2]
    second = endpoint.requests[1]["messages"][1]["content"]
    assert "you played a1-a2*2" in second and "Your turn goes on." in second


# --- keys -----------------------------------------------------------------------------------------


def test_a_key_is_in_the_header_and_nowhere_else(endpoint, monkeypatch, capsys, caplog):
    monkeypatch.setenv("SANDTABLE_MODEL_KEY", KEY)
    caplog.set_level(1)

    def telling(messages):
        key = endpoint.headers[-1]["authorization"]
        number = len(endpoint.requests)
        if number == 1:
            return Misbehaviour("status", 500, body=json.dumps({"error": {"message": key}}))
        if number == 2:
            return Answer(f"Your key is {key}", reasoning=f"I was sent {key}")
        if number == 3:
            return Misbehaviour("garbage", body=f"<p>{key}</p>")
        if number == 4:
            return legal_player(messages)
        return Misbehaviour("status", 401, body=json.dumps({"error": {"message": f"bad {key}"}}))

    record = one_game(endpoint, telling)
    assert {headers["authorization"] for headers in endpoint.headers} == {f"Bearer {KEY}"}
    assert record.outcome.forfeited_by == 0 and "401" in record.outcome.reason
    said = capsys.readouterr()
    everything = [json.dumps(asdict(record)), json.dumps(endpoint.requests), said.out, said.err]
    assert "[key]" in everything[0]
    assert KEY not in "".join(everything)
    assert KEY not in caplog.text


def test_the_key_of_one_house_is_not_sent_to_another(endpoint, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    one_game(endpoint, legal_player)
    assert {headers["authorization"] for headers in endpoint.headers} == {"Bearer none"}
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    agent = Model("stand-in")
    assert (agent.endpoint.url, agent.endpoint.key) == (endpoint.url, KEY)
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    with pytest.raises(Exception, match="wants a key; set OPENAI_API_KEY"):
        Model("stand-in").check()
