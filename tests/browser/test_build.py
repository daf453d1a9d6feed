"""The client's way into the package; tests/test_packaging.py looks for it in the wheel."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from browser.driving import ROOT


@pytest.fixture(scope="module")
def hook():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_client_is_built_again_only_when_its_sources_have_changed(hook, tmp_path):
    sources, static = tmp_path / "web", tmp_path / hook.STATIC
    (sources / "src").mkdir(parents=True)
    static.mkdir(parents=True)
    (sources / "src" / "main.ts").write_text("one", encoding="utf-8")
    assert not hook.up_to_date(sources, static)
    (static / hook.DIGEST).write_text(hook.digest(sources), encoding="utf-8")
    assert hook.up_to_date(sources, static)
    (sources / "node_modules").mkdir()
    (sources / "node_modules" / "other.js").write_text("no source", encoding="utf-8")
    assert hook.up_to_date(sources, static)
    (sources / "src" / "main.ts").write_text("two", encoding="utf-8")
    assert not hook.up_to_date(sources, static)


def test_without_npm_one_line_says_what_is_missing(hook, tmp_path, monkeypatch):
    (tmp_path / "web").mkdir()
    monkeypatch.setattr(hook.shutil, "which", lambda name: None)
    with pytest.raises(OSError, match="install Node 20"):
        hook.bring_up_to_date(tmp_path)


def test_it_needs_nothing_that_is_installed_and_stays_out_of_anothers_way(
    hook, tmp_path, monkeypatch
):
    copy = tmp_path / "hatch_build.py"
    copy.write_text((ROOT / "hatch_build.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "web").mkdir()
    command = [sys.executable, "-S", "-E", str(copy)]  # without any package
    done = subprocess.run(command, env={"PATH": ""}, capture_output=True, text=True)
    assert done.stderr == (
        "error: the browser client cannot be built: npm is not there; install Node 20 or newer\n"
    )
    monkeypatch.setattr(hook.shutil, "which", lambda name: None)
    build = hook.ClientBuild(str(tmp_path), {}, None, None, str(tmp_path), "wheel")
    monkeypatch.setenv("SANDTABLE_CLIENT", "beside")
    build.initialize("editable", {})
    with pytest.raises(RuntimeError, match="install Node 20"):
        build.initialize("standard", {})


def test_the_lock_file_names_no_registry():
    text = (ROOT / "web" / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in text
