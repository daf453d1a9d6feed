"""Write docs/licences.md: the licences of everything that is installed with Sandtable.

    python scripts/licences.py

Names and versions are those of requirements.lock and of web/package-lock.json; licences are what
the packages say of themselves.
"""

from __future__ import annotations

import json
import re
from importlib import metadata
from pathlib import Path

PAGE = Path("docs/licences.md")
LOCK = Path("requirements.lock")
CLIENT_LOCK = Path("web/package-lock.json")
PINNED = re.compile(r"^([a-z0-9.-]+)==(\S+) --hash=sha256:[0-9a-f]{64}$")
HEADER = """\
# Licences

Sandtable is under the Apache License 2.0 (`LICENSE`). This page lists what `make setup` installs
beside it, with every extra, as each package says of itself; `python scripts/licences.py` writes it.
A plain `pip install` brings only a small part of it.
"""


def pinned() -> list[tuple[str, str]]:
    """Return names and versions of the Python packages in the lock."""
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    found = (PINNED.match(line) for line in lines)
    return [(each[1], each[2]) for each in found if each]


def licence_of(name: str) -> str:
    """Return the licence that an installed package names."""
    try:
        facts = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return "not known here"
    said = facts.get("License-Expression") or ""
    classes = [each for each in facts.get_all("Classifier") or [] if each.startswith("License ::")]
    named = [each.rpartition(" :: ")[2] for each in classes if each.count(" :: ") > 1]
    plain = (facts.get("License") or "").strip().split("\n")[0][:60]
    return said or ", ".join(named) or plain or "not said"


def client_packages() -> list[tuple[str, str, str]]:
    """Return names, versions and licences of the browser client's packages."""
    packages = json.loads(CLIENT_LOCK.read_text(encoding="utf-8"))["packages"]
    return sorted(
        {
            (place.rpartition("node_modules/")[2], each["version"], each.get("license", "not said"))
            for place, each in packages.items()
            if place
        }
    )


def page() -> str:
    """Return the page."""
    lines = [HEADER, "## Python packages", "", "| package | version | licence |", "|---|---|---|"]
    lines += [f"| {name} | {version} | {licence_of(name)} |" for name, version in pinned()]
    lines += ["", "## Packages of the browser client and its tools", ""]
    lines += ["| package | version | licence |", "|---|---|---|"]
    lines += [f"| {' | '.join(each)} |" for each in client_packages()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE} written")
