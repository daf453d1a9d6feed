"""Programs as agents: the conversation, and specs of programs."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from agents.little_games import nim
from agents.programs import GOOD, START, game_outcome, wait_until_gone
from sandtable.agents.external.agent import External
from sandtable.arena.play.game_loop import play_game
from sandtable.dice import Dice
from sandtable.errors import Forfeit, UnreadableSpec
from sandtable.registry import make_agent
from sandtable.types import Outcome

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "docs/examples/external_agent.py"


def test_a_good_program_plays_many_games_in_one_process(lucid, external):
    agent = external(GOOD)
    pids = set()
    for number in range(3):
        assert game_outcome(lucid, agent, number) == Outcome((0.0, 0.0), "36 turns played")
        pids.add(agent._program.process.pid)
    assert len(pids) == 1
    agent.close()
    wait_until_gone(*pids)
    agent.close()  # once more does no harm


def test_the_sample_agent_plays_lucid_with_some_sense(lucid):
    scores = []
    agent = make_agent(f'external:"{sys.executable} -S {SAMPLE}"')
    for number in range(4):
        outcome = game_outcome(lucid, agent, number)
        assert outcome.forfeited_by is None
        scores.append(outcome.scores[0])
    agent.close()
    assert sum(scores) > 0
    red = make_agent(f"external:{SAMPLE}")
    blue = make_agent("lucid/simple-blue")
    played = play_game(lucid, [blue, red], specs=["a", "b"], seed=1, number=0)
    red.close()
    assert played.record.outcome.forfeited_by is None


def test_the_sample_agent_plays_any_game_and_repeatably():
    game = nim()
    agents = [External(f"{sys.executable} -S {SAMPLE}") for _ in range(2)]
    records = [
        play_game(game, agents, specs=["a", "b"], seed=5, number=number).record
        for number in (0, 1, 0)
    ]
    for agent in agents:
        agent.close()
    assert all(record.outcome.reason == "no stone is left" for record in records)
    assert records[0].actions == records[2].actions


def conversation() -> list[tuple[str, dict]]:
    """Return the example of the documentation: who speaks, and what."""
    text = (ROOT / "docs/external-agents.md").read_text()
    block = re.search(r"```text\n(.*?)```", text, re.DOTALL)[1]
    return [(line[0], json.loads(line[2:])) for line in block.splitlines()]


def test_the_documented_conversation_is_what_is_really_said(lucid, external, tmp_path):
    """Give the documented answers, and compare the messages with the documented ones."""
    answers = [said for who, said in conversation() if who == "<"]
    log = tmp_path / "log"
    agent = external(
        f"""
answers = {answers!r}
with open({str(log)!r}, "w", buffering=1) as log:
    while True:
        message = read()
        log.write(json.dumps(message) + "\\n")
        if message["type"] in ("begin", "choose"):
            answer(answers.pop(0))
        if message["type"] == "quit":
            break
""",
        seconds=10.0,
    )
    dice = Dice(1)
    agent.begin(lucid, 0, dice)
    view = lucid.parse(START).view(0)
    for _ in range(2):
        action = agent.choose(view, dice)[0]
        view = view.play(action)
        agent.watch(view, action)
    agent.finish(Outcome((4.0, -4.0), "36 turns played"))
    agent.close()
    said = [json.loads(line) for line in log.read_text().splitlines()]
    documented = [said for who, said in conversation() if who == ">"]
    assert [list(message) for message in said] == [list(message) for message in documented]
    for real, shown in zip(said, documented, strict=True):
        for key in shown:
            if key == "position":  # the text says that these are shortened
                assert shown[key] == real[key][: len(shown[key])]
            elif key in ("legal", "legal_numbers"):
                assert set(shown[key]) <= set(real[key])
            elif key != "seed":
                assert shown[key] == real[key]


def test_numbers_and_names_are_actions(lucid, external):
    agent = external("""
ready()
for said in ({"action": 0}, {"action": "b1-b2"}, {"actions": [0, "c1-c2", 100], "note": "x"}):
    read()
    answer(said)
""")
    view = lucid.parse(START).view(0)
    agent.begin(lucid, 0, Dice(1))
    assert [agent.choose(view, Dice(1)) for _ in range(3)] == [[0], [4], [0, 8, 100]]


def test_the_seed_comes_from_the_dice_of_the_agent(lucid, external):
    body = "said = ready(); read(); answer({'action': said['seed'] % 100})"
    view = lucid.parse(START).view(0)
    chosen = []
    for seed in (1, 1, 2):
        agent = external(body)
        agent.begin(lucid, 0, Dice(seed))
        chosen.append(agent.choose(view, Dice(9)))
    assert chosen[0] == chosen[1] != chosen[2]


def test_a_chatty_program_is_not_blocked(lucid, external):
    body = """
def chat(message):
    os.write(2, b"thinking " * 50000)
    answer({"action": "end"})
games(chat)
"""
    assert game_outcome(lucid, external(body)).reason == "36 turns played"


def test_an_answer_in_pieces_is_put_together(lucid, external):
    body = """
def slowly(message):
    for letter in '{"action": "end"}\\n':
        os.write(1, letter.encode())
games(slowly)
"""
    assert game_outcome(lucid, external(body)).reason == "36 turns played"


def test_programs_that_cannot_be_started(lucid, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").write_text("#!/bin/sh\n")
    (tmp_path / "lost").write_text("#!/no/such/interpreter\n")
    (tmp_path / "lost").chmod(0o755)
    (tmp_path / "empty").write_text("nonsense")
    (tmp_path / "empty").chmod(0o755)
    for command, reason in {
        "./missing": "cannot start './missing': there is no such program",
        "plain": "cannot start 'plain': it is not on the path; write ./plain",
        "./plain": r"cannot start './plain': it is not executable \(chmod \+x ./plain\)",
        "./lost": "cannot start './lost': there is no such program, or its first line names none",
        "./empty": "cannot start './empty': Exec format error",
    }.items():
        with pytest.raises(Forfeit, match=f"^{reason}"):
            External(command).begin(lucid, 0, Dice(1))
        with pytest.raises(UnreadableSpec, match=f"^external: {reason}"):
            External(command).check()


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("external", "needs the option 'command'"),
        ('external:"  "', "the command is empty"),
        ("external:./bot,seconds=0", "seconds is more than 0, got 0"),
        ("external:./bot,start_seconds=inf", "start_seconds is more than 0, got inf"),
        ("external:./bot 'x", "No closing quotation"),
    ],
)
def test_specs_that_make_no_sense(spec, problem):
    with pytest.raises(UnreadableSpec, match=problem):
        make_agent(spec)
