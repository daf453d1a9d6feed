"""sandtable benchmark models: scripted models of known strength, kills, kept answers, mistakes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from agents.stand_in import legal_actions, legal_player, standing_in
from example_plugin import installed_here
from sandtable.arena.play.run import Run
from sandtable.dice import Dice
from sandtable.registry import make_agent, make_game

SUITE = ("--suite", "classics-1")


@pytest.fixture
def models(example_package, tmp_path, monkeypatch):
    """Three models at one endpoint: a good one, one that plays anything, and one that cannot."""
    monkeypatch.setenv("SANDTABLE_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("SANDTABLE_MODEL_ANSWERS", raising=False)
    with installed_here(example_package), standing_in() as endpoint:

        def script(messages):
            model = endpoint.requests[-1]["model"]
            if model == "lost":
                return "MOVE: raise" if len(messages) < 4 else "I do not know."
            if model == "good":
                return f"MOVE: {good_action(messages[1]['content'])}"
            return legal_player(messages)

        endpoint.script = script
        yield endpoint


def good_action(prompt):
    """Play what the agent of the equilibrium would, which sees no more than the prompt tells."""
    data = json.loads(next(line for line in prompt.splitlines() if line.startswith("{")))
    view = make_game(data["game"]).parse(data["position"])
    agent = make_agent("kuhn/equilibrium")
    agent.begin(view.game, view.turn, Dice(0))
    chosen = agent.choose(view, Dice(len(legal_actions(prompt)), data["position"]))
    return view.game.notation.action_name(chosen if isinstance(chosen, int) else chosen[0])


def specs(endpoint):
    return [f"model:{name},url={endpoint.url}" for name in ("lost", "good", "any")]


def test_models_of_known_strength_killed_and_resumed(models, sandtable, tmp_path):
    whole = ("benchmark", "models", *specs(models), *SUITE, "--price", "good=1/2")
    files = {name: tmp_path / name for name in ("one.json", "one.html", "two.json", "two.html")}
    where = ("--json", files["one.json"], "--report", files["one.html"])
    code, _, err = sandtable(*whole, "--answers", tmp_path / "one.jsonl", *where)
    assert code == 0, err
    assert "SANDTABLE_MODEL_ANSWERS" not in os.environ
    asked = len(models.requests)

    models.requests.clear()
    inner, number = models.script, asked // 2

    def killing(messages):  # the request in the middle is the last one of a process
        if len(models.requests) == number:
            os.kill(process.pid, signal.SIGKILL)
        return inner(messages)

    models.script = killing
    again = (*whole, "--answers", tmp_path / "two.jsonl",
             "--json", files["two.json"], "--report", files["two.html"])  # fmt: skip
    environment = {**os.environ, "SANDTABLE_STATE": str(tmp_path / "other")}
    command = [sys.executable, "-m", "sandtable", *map(str, again)]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    assert process.wait() == -signal.SIGKILL
    assert not files["two.json"].exists()
    models.script = inner
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "one.jsonl" not in done.stderr
    assert asked <= len(models.requests) <= asked + 1  # only the lost answer is asked for again
    for ending in ("json", "html"):
        assert files[f"two.{ending}"].read_bytes() == files[f"one.{ending}"].read_bytes()
    assert not list((tmp_path / "other" / "runs").glob("*.jsonl"))

    data = json.loads(files["two.json"].read_text())
    order = [each["player"].partition(",")[0] for each in data["standings"]]
    assert order == ["model:good", "model:any", "model:lost"]
    good, any_, lost = data["standings"]
    assert good["points"]["mean"] > any_["points"]["mean"] > lost["points"]["mean"] == 0
    assert lost["behind"]["mean"] == good["points"]["mean"]
    assert good["points"]["no_interval"] == "fewer than 20 observations"
    assert lost["forfeits"]["mean"] == 1 and lost["asked"]["rethinks"]["mean"] == 2
    assert lost["asked"]["illegal"]["mean"] + lost["asked"]["unreadable"]["mean"] == 1
    [reason] = lost["entries"]["kuhn"]["forfeit_reasons"]
    assert "3 unreadable" in reason
    assert good["asked"]["total_requests"] + any_["asked"]["total_requests"] < asked
    prompts, written = (good["asked"][name]["mean"] for name in ("prompt_tokens", "answer_tokens"))
    assert good["asked"]["cost"]["mean"] == pytest.approx((prompts + 2 * written) / 1e6)
    assert "cost" not in any_["asked"]
    told = files["one.html"].read_text()
    assert (
        "model:good" in told and "<svg" in told and models.url not in told.split("</h1>")[1][400:]
    )


def test_one_more_player_beside_earlier_results(models, sandtable, tmp_path):
    lost, good, _ = specs(models)
    first, both = tmp_path / "first.json", tmp_path / "both.json"
    assert sandtable("benchmark", "models", lost, *SUITE, "--json", first)[0] == 0
    asked = len(models.requests)
    words = ("benchmark", "models", lost, "random", *SUITE, "--with", first, "--json", both)
    code, _out, err = sandtable(*words)
    assert code == 0 and "known from earlier results" in err
    assert len(models.requests) == asked
    data = json.loads(both.read_text())
    assert [each["player"] for each in data["standings"]] == ["random", lost]
    report = tmp_path / "page.md"
    assert sandtable("benchmark", "models", *SUITE, "--with", both, "--report", report)[0] == 0
    assert "model:lost" in report.read_text() and "](page-plots/" in report.read_text()
    code, _, err = sandtable("benchmark", "models", good, *SUITE, "--quick", "--with", both)
    assert code == 1 and "other games, deals or rules" in err


def test_ctrl_c_keeps_what_is_finished(models, sandtable, tmp_path, monkeypatch):
    sound = Run.chunks

    def chunks(self):
        for number, each in enumerate(sound(self)):
            if number == 12:
                raise KeyboardInterrupt
            yield each

    words = ("benchmark", "models", specs(models)[2], *SUITE, "--json", tmp_path / "a.json")
    monkeypatch.setattr(Run, "chunks", chunks)
    code, out, err = sandtable(*words)
    assert code == 130 and "the same command goes on from here" in err
    assert "not written, not finished" in out and not (tmp_path / "a.json").exists()
    asked = len(models.requests)
    monkeypatch.setattr(Run, "chunks", sound)
    code, out, err = sandtable(*words)
    data = json.loads((tmp_path / "a.json").read_text())
    assert code == 0
    assert len(models.requests) - asked < data["standings"][0]["asked"]["total_requests"]


def test_the_suite_of_models_is_tried_quickly(sandtable, tmp_path):
    words = ("benchmark", "models", "random", "--quick", "--games", "gravwell")
    code, out, _ = sandtable(*words, "--json", tmp_path / "q.json")
    assert code == 0 and "a quick try: no result" in " ".join(out.split())
    data = json.loads((tmp_path / "q.json").read_text())
    assert data["suite"]["quick"] and data["standings"][0]["points"]["no_interval"]
    code, out, _ = sandtable("benchmark", "suites")
    assert code == 0 and "sandtable-models-1" in out and "request" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name a player"),
        (("nobody",), "no agent 'nobody'"),
        (("skirmish/champion",), "choose the games with --games"),
        (("lucid/champion-blue", "--games", "lucid"), "cannot be measured in lucid"),
        (("random", "--suite", "sandtable-model-1"), "Did you mean 'sandtable-models-1'"),
        (("random", "--games", "chess"), "has no game 'chess'"),
        (("random", "--price", "much"), "write what a million tokens"),
        (("random", "--price", "a=1/2"), "no player is the model 'a'"),
        (("random", "--report", "a.pdf"), "a report ends in"),
        (("random", "--with", "nothing.json"), "holds no results of a benchmark"),
    ],
)
def test_mistakes_are_one_line(sandtable, words, told):
    code, _, err = sandtable("benchmark", "models", *words)
    assert code == 1 and told in err and err.count("\n") == 1


def test_nobody_mixes_up_speed_and_strength(sandtable):
    assert "sandtable benchmark models" in " ".join(sandtable("bench", "--help")[1].split())
    assert "sandtable bench" in " ".join(sandtable("benchmark", "models", "--help")[1].split())


def test_a_dead_endpoint_is_told_at_once(models, sandtable, tmp_path):
    player = "model:a,url=http://127.0.0.1:9/v1,retries=0"
    code, _, err = sandtable("benchmark", "models", player, *SUITE, "--json", tmp_path / "a.json")
    assert code == 1 and "does not answer: the endpoint cannot be reached" in err
    assert not list((tmp_path / "state" / "runs").glob("*.jsonl"))
    code, _, err = sandtable("benchmark", "models", player, *SUITE, "--answers", tmp_path)
    assert code == 1 and "cannot write" in err
