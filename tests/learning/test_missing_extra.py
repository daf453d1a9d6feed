"""Without the libraries of learning every recipe trains, or names the extra it needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

CODE = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "onnx", "tensorboard", "scipy", "safetensors"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from sandtable.errors import MissingExtra
from sandtable.learning.recipes import load_recipe, recipe_names
for name in recipe_names():
    try:
        load_recipe(name)
        print(name, "loads")
    except MissingExtra as problem:
        print(name, problem)
"""
WITHOUT_TORCH = (
    "lucid/td", "lucid/champion-blue", "lucid/champion-red", "lucid/semantic",
    "gravwell/neuro-evolution",
)  # fmt: skip


def test_every_recipe_loads_or_names_its_extra():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    told = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    for name in WITHOUT_TORCH:
        assert told[name] == "loads"
    for name, words in told.items():
        assert words == "loads" or words.startswith("training needs the extra 'learn': "), name


COMMANDS = """
import contextlib, io, json, sys

EXTRAS = (
    "torch", "onnx", "tensorboard", "scipy", "safetensors", "fastapi", "starlette",
    "segno", "uvicorn", "websockets", "ray", "psycopg", "pyarrow", "jax", "pgx", "gymnasium",
    "pyspiel", "open_spiel", "pettingzoo", "PIL", "anywidget", "resvg_py", "font_roboto", "httpx",
)

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from sandtable.cli.main import COMMANDS, run

def said(*words):
    sys.argv = ["sandtable", *words]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            run()
            code = 0
        except SystemExit as end:
            code = end.code or 0
    return code, err.getvalue()

told = {name: said(name, "--help") for name in COMMANDS}
for words in json.load(sys.stdin):
    told[" ".join(words)] = said(*words)
sys.__stdout__.write(json.dumps(told))
"""


def test_every_command_works_or_names_its_extra_with_the_base_alone(tmp_path):
    run, kept = str(tmp_path / "run"), str(tmp_path / "games.parquet")
    needy = {
        "learn": [
            ["train", "selfplay", "--out", run],
            ["train", "response", "--out", run],
            ["train", "stratego/policy", "--out", run],
            ["exploit", "skirmish", "random", "--device", "cuda"],
        ],
        "web": [["serve", "--data", run]],
        "cluster": [
            ["match", "skirmish", "random", "random", "-n", "2", "--cluster", "127.0.0.1:9"]
        ],
        "parquet": [["archive", "import", f"{run}.db", kept]],
        "postgres": [["archive", "list", "postgresql://localhost/games"]],
        "interop": [["exploit", "openspiel.kuhn_poker", "random"]],
    }
    asked = [words for each in needy.values() for words in each]
    Path(kept).write_text("")
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS],
        input=json.dumps([*asked, ["classes", "--data", str(tmp_path)]]),
        capture_output=True, text=True, check=True, cwd=tmp_path,
        env={**os.environ, "RAY_AUTH_TOKEN": "token"},
    )  # fmt: skip
    told = json.loads(done.stdout)
    for words, (code, err) in told.items():
        assert "Traceback" not in err and "No module named" not in err, (words, err)
        assert len(words.split()) > 1 or code == 0, (words, err)
    for extra, commands in needy.items():
        for words in commands:
            code, err = told[" ".join(words)]
            assert code == 1 and f"extra '{extra}'" in err and err.count("\n") == 1, (words, err)
    assert "there is no server's folder" in told[f"classes --data {tmp_path}"][1]


def test_a_library_that_is_missed_on_the_way_is_one_line_too(monkeypatch, tmp_path):
    from dataclasses import replace

    from typer.testing import CliRunner

    from sandtable.cli import train
    from sandtable.errors import MissingExtra
    from sandtable.learning.recipes import load_recipe

    def without_torch(config, folder, control):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    recipe = replace(load_recipe("gravwell/q-learning"), train=without_torch)
    monkeypatch.setattr(train, "load_recipe", lambda name: recipe)
    result = CliRunner().invoke(
        train.command, ["gravwell/q-learning", "--out", str(tmp_path / "run")]
    )
    assert isinstance(result.exception, MissingExtra), result.output
