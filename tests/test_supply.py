"""What is installed: locks with hashes, integrity, and licences."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
LINE = re.compile(r"^([a-z0-9.-]+)==([0-9][^ ]*) --hash=sha256:[0-9a-f]{64}$")


def lock_lines():
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_the_lock_has_a_version_and_a_hash_for_everything_and_no_address():
    lines = lock_lines()
    assert all(LINE.match(line) for line in lines)
    assert "://" not in "\n".join(lines)
    assert lines == sorted(lines)
    names = {line.partition("==")[0] for line in lines}
    assert "sandtable-games" not in names
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    named = re.search(r"\ndependencies = \[(.*?)\]", text, re.DOTALL)[1]
    named += re.search(r"\ndev = \[(.*?)\n\]", text, re.DOTALL)[1]
    everything = re.search(r"\nall = \[\"sandtable-games\[(.*?)\]", text)[1]
    for extra in everything.split(","):
        named += re.search(rf"\n{extra} = \[(.*?)\]\n", text, re.DOTALL)[1]
    wanted = re.findall(r'"([A-Za-z0-9_-]+)', named)
    missing = {name.lower().replace("_", "-") for name in wanted} - names - {"sandtable-games"}
    assert not missing


def test_every_package_of_the_client_has_its_digest():
    packages = json.loads((ROOT / "web/package-lock.json").read_text(encoding="utf-8"))["packages"]
    without = [
        place
        for place, each in packages.items()
        if place and not str(each.get("integrity", "")).startswith("sha512-")
    ]
    assert len(packages) > 50
    assert not without


def test_the_page_of_licences_lists_what_the_locks_have():
    page = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    rows = {tuple(row) for row in re.findall(r"^\| (\S+) \| (\S+) \|", page, re.MULTILINE)}
    python = {(found[1], found[2]) for found in map(LINE.match, lock_lines())}
    packages = json.loads((ROOT / "web/package-lock.json").read_text(encoding="utf-8"))["packages"]
    client = {
        (place.rpartition("node_modules/")[2], each["version"])
        for place, each in packages.items()
        if place
    }
    listed = rows - {("package", "version")}
    assert listed == python | client, "run: python scripts/licences.py"
    for each in packages.values():
        assert each.get("license") in (None, "MIT", "ISC", "Apache-2.0", "BSD-3-Clause", "MPL-2.0")
