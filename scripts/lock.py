"""Write requirements.lock: the exact versions and hashes of all that `make setup` installs.

    python scripts/lock.py

It asks pip what it would install here. Hashes are those of the files pip chose for this kind of
machine; `make setup LOCKED=1` therefore is for machines of the same kind, and the lock is optional.
No address of an index is written.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HEADER = """\
# All that `make setup` installs, with exact versions and hashes; used by `make setup LOCKED=1`.
# Made by `python scripts/lock.py` for CPython {version} on {platform}. Other machines need other
# files of some packages (torch above all): make a lock of your own there.
"""


def report() -> dict[str, Any]:
    """Return what pip would install into an empty environment."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    command += ["--disable-pip-version-check", "--report", "-", "--constraint", "constraints.txt"]
    command += [".[all,dev]"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def lock_text(found: dict[str, Any]) -> str:
    """Return the lock of a report, in the order of names; our own package is left out."""
    lines = []
    for each in found["install"]:
        name, version = (
            each["metadata"]["name"].lower().replace("_", "-"),
            each["metadata"]["version"],
        )
        digest = each["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256")
        if digest:  # a folder, which is ourselves, has none
            lines.append(f"{name}=={version.partition('+')[0]} --hash=sha256:{digest}")
    environment = found["environment"]
    header = HEADER.format(
        version=environment["python_version"],
        platform=f"{environment['sys_platform']} {environment['platform_machine']}",
    )
    return header + "\n".join(sorted(lines)) + "\n"


if __name__ == "__main__":
    Path("requirements.lock").write_text(lock_text(report()), encoding="utf-8")
    print("requirements.lock written")
