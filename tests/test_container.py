"""The container's files name only what is there: paths, commands, options, the place of health."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

from sandtable.cli.main import LazyCommands, application

ROOT = Path(__file__).parents[1]
yaml = pytest.importorskip("yaml")


def script(name: str):
    found = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def steps():
    return script("container_steps")


@pytest.fixture(scope="module")
def stages(steps):
    return steps.steps_of((ROOT / "Containerfile").read_text(encoding="utf-8"))


def serve_options() -> set[str]:
    import typer

    command = typer.main.get_command(application)
    assert isinstance(command, LazyCommands)
    parameters = command.get_command(None, "serve").params
    return {each for parameter in parameters for each in parameter.opts}


def check_command(words: list[str]) -> None:
    assert words[0] == "serve"
    used = {word for word in words[1:] if word.startswith("--")}
    assert used <= serve_options()
    assert words[words.index("--data") + 1] == "/data"


def test_continued_lines_and_comments_are_read(steps):
    (stage,) = steps.steps_of("ARG x=1\n# FROM no\nFROM a\nRUN b \\\n# why\n && c\n")
    assert stage == [("FROM", "a"), ("RUN", "b   && c")]


def test_what_is_copied_is_there(stages):
    build, final = stages
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8").split()
    for step in build:
        if step.word == "COPY":
            for name in step.rest.split()[:-1]:
                assert (ROOT / name).exists(), name
                assert name not in ignored
    assert [step.rest for step in final if step.word == "COPY"] == ["--from=build /wheels /wheels"]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for extra in re.search(r"\$1\[([\w,]+)\]", next(s.rest for s in final if s.word == "RUN"))[
        1
    ].split(","):
        assert re.search(rf"^{extra} = \[", project, re.MULTILINE)


def test_the_image_runs_a_command_that_exists_as_nobody_special(stages, steps):
    final = stages[-1]
    assert json.loads(steps.only(final, "ENTRYPOINT")) == ["sandtable"]
    words = json.loads(steps.only(final, "CMD"))
    check_command(words)
    user = steps.only(final, "USER")
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    assert f"--uid {user.partition(':')[0]}" in steps.only(final, "RUN")
    volumes = json.loads(steps.only(final, "VOLUME"))
    settings = steps.settings_of(final)
    assert {settings["HOME"], settings["SANDTABLE_CACHE"]} <= set(volumes)
    port = words[words.index("--port") + 1]
    assert steps.only(final, "EXPOSE") == port
    assert f"http://127.0.0.1:{port}/api/about" in steps.health_command(final)[-1]


def test_compose_gives_the_same_command_an_archive_and_takes_all_rights():
    found = yaml.safe_load((ROOT / "compose.yml").read_text(encoding="utf-8"))
    table, database = found["services"]["sandtable"], found["services"]["database"]
    check_command(table["command"])
    archive = table["command"][table["command"].index("--archive") + 1]
    assert archive == (
        f"postgresql://{database['environment']['POSTGRES_USER']}@database:5432/"
        f"{database['environment']['POSTGRES_DB']}"
    )
    assert table["build"]["dockerfile"] == "Containerfile"
    assert table["read_only"] and database["read_only"]
    assert table["cap_drop"] == ["ALL"]
    named = {volume.partition(":")[0] for each in (table, database) for volume in each["volumes"]}
    assert named == set(found["volumes"])
    assert "/.env" in (ROOT / ".gitignore").read_text(encoding="utf-8").split()


def test_several_servers_differ_in_name_and_nothing_else_and_the_proxy_knows_them():
    found = yaml.safe_load((ROOT / "compose.several.yml").read_text(encoding="utf-8"))
    services = found["services"]
    servers = {name: services[name] for name in ("first", "second")}
    proxy = (ROOT / "scripts" / "several.nginx.conf").read_text(encoding="utf-8")
    commands = []
    for name, server in servers.items():
        check_command(server["command"])
        words = dict(zip(server["command"][1::2], server["command"][2::2], strict=True))
        assert words.pop("--peers").partition(":")[0] == name == server["hostname"]
        assert words["--proxy"] == services["proxy"]["networks"]["inside"]["ipv4_address"]
        assert f"server {name}:{words['--port']};" in proxy
        assert server["read_only"] and server["networks"] == ["inside"]
        commands.append(words)
    assert commands[0] == commands[1]
    assert found["networks"]["inside"]["internal"]
    published = services["proxy"]["ports"][0]
    assert published.startswith("127.0.0.1:")
    assert commands[0]["--allow-host"] == f"localhost:{published.split(':')[1]}"
    assert f"listen {published.rpartition(':')[2]};" in proxy
    mounted = services["proxy"]["volumes"][0].partition(":")[0]
    assert (ROOT / mounted).read_text(encoding="utf-8") == proxy
    user = services["database"]["environment"]
    assert servers["first"]["environment"]["SANDTABLE_ROOMS"] == (
        f"postgresql://{user['POSTGRES_USER']}@database:5432/{user['POSTGRES_DB']}"
    )


def test_the_place_of_health_answers(tmp_path):
    testclient = pytest.importorskip("starlette.testclient")
    from sandtable.server.application import make_application
    from sandtable.server.settings import Settings

    settings = Settings(data=tmp_path, archive=tmp_path / "archive.db", runs=tmp_path, key="secret")
    with testclient.TestClient(make_application(settings), "http://127.0.0.1:8000") as client:
        answer = client.get("/api/about")
    assert answer.status_code == 200
    assert answer.json()["key_needed"]
