"""Run the steps of the Containerfile without a container engine, as far as that goes.

    debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates trixie ROOT
    python scripts/release.py --out dist
    sudo python scripts/container_steps.py ROOT dist

ROOT stands for the image of Python that the Containerfile begins with (the same release of Debian).
The last stage is run in it word for word; then its command is started as its user, without any
rights, in namespaces of its own with a read-only root, and asked what its health check asks. What
is not tried: fetching that image, and the stage that builds the wheel, whose commands CI runs too.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SECONDS_TO_START = 300
SECONDS_TO_STOP = 30
# In new namespaces: the root read-only, an empty /tmp, the volumes writable, no rights, the user.
CONFINED = r"""
set -e
mount --rbind "$1" "$1"; mount --rbind /dev "$1/dev"; mount -t proc proc "$1/proc"
for volume in $3; do mount --bind "$1$volume" "$1$volume"; done
mount -o remount,ro,bind "$1"
mount -t tmpfs tmpfs "$1/tmp"
exec chroot "$1" setpriv --reuid="${2%:*}" --regid="${2#*:}" --clear-groups --bounding-set=-all \
  --no-new-privs env -i "${@:4}"
"""


class Step(NamedTuple):
    """One instruction of a Containerfile."""

    word: str
    rest: str


def steps_of(text: str) -> list[list[Step]]:
    """Return the instructions of each stage.

    >>> steps_of("FROM a AS b\\\\nRUN c \\\\\\\\\\\\n && d")
    [[Step(word='FROM', rest='a AS b'), Step(word='RUN', rest='c   && d')]]
    """
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    stages: list[list[Step]] = []
    for line in lines.replace("\\\n", " ").splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "FROM":
            stages.append([])
        if word and stages:
            stages[-1].append(Step(word, rest.strip()))
    return stages


def only(stage: list[Step], word: str) -> str:
    """Return the one instruction of a kind."""
    (found,) = (step.rest for step in stage if step.word == word)
    return found


def settings_of(stage: list[Step]) -> dict[str, str]:
    """Return the environment that a stage sets."""
    return dict(word.split("=", 1) for word in shlex.split(only(stage, "ENV")))


def health_command(stage: list[Step]) -> list[str]:
    """Return the command of the health check."""
    found = re.search(r"CMD (\[.*\])$", only(stage, "HEALTHCHECK"))
    assert found
    command: list[str] = json.loads(found[1])
    return command


def install(root: Path, stage: list[Step], wheels: Path) -> None:
    """Run what the last stage runs, word for word, in the root."""
    shutil.copytree(wheels, root / "wheels", dirs_exist_ok=True)
    for name in ("/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"):
        shutil.copyfile(name, root / name[1:])
    settings = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    settings |= {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
    subprocess.run(["chroot", root, "python3", "-m", "venv", "/usr/local"], check=True)
    command = ["chroot", str(root), "sh", "-ec", only(stage, "RUN")]
    subprocess.run(command, env=settings, check=True)


def confined(root: Path, stage: list[Step], command: list[str]) -> list[str]:
    """Return the words that run a command as the image does, with nothing it does not need."""
    volumes = " ".join(json.loads(only(stage, "VOLUME")))
    settings = {"PATH": "/usr/local/bin:/usr/bin:/bin"} | settings_of(stage)
    given = [f"{name}={value}" for name, value in settings.items()]
    namespaces = ["unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"]
    words = ["bash", "-c", CONFINED, "confined", str(root), only(stage, "USER"), volumes]
    return [*namespaces, *words, *given, *command]


def serve(root: Path, stage: list[Step], more: list[str]) -> None:
    """Start the command of the image, wait until it is well, and stop it as an engine does."""
    probe = ["sh", "-c", "id -u; touch /data/here /cache/here; touch /here 2>&1 || echo read-only"]
    told = subprocess.run(
        confined(root, stage, probe), capture_output=True, text=True, check=True
    ).stdout
    print(told.strip())
    assert told.startswith("10001\n") and told.strip().endswith("read-only"), told
    command = [*json.loads(only(stage, "ENTRYPOINT")), *json.loads(only(stage, "CMD")), *more]
    began = time.monotonic()
    running = subprocess.Popen(confined(root, stage, command), start_new_session=True)
    try:
        while subprocess.run(confined(root, stage, health_command(stage)),
                             capture_output=True, check=False).returncode:  # fmt: skip
            if running.poll() is not None or time.monotonic() - began > SECONDS_TO_START:
                sys.exit("error: the server did not become well")
            time.sleep(1.0)
        print(f"well after {time.monotonic() - began:.0f} s")
        served = subprocess.run(
            ["pgrep", "--full", "--uid", "10001", "sandtable serve"], capture_output=True,
            text=True, check=True,
        ).stdout.split()  # fmt: skip
        os.kill(int(served[0]), signal.SIGTERM)
        print(f"ended with {running.wait(SECONDS_TO_STOP)} upon SIGTERM")
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)


def main() -> None:
    """Install and serve."""
    options = argparse.ArgumentParser(description="Run the steps of the Containerfile.")
    options.add_argument("root", type=Path)
    options.add_argument("wheels", type=Path)
    options.add_argument("--serve-only", action="store_true", help="it is installed already")
    options.add_argument("more", nargs="*", help="further options of sandtable serve, after --")
    wanted = options.parse_args()
    stage = steps_of((ROOT / "Containerfile").read_text(encoding="utf-8"))[-1]
    root = wanted.root.resolve()
    if not wanted.serve_only:
        install(root, stage, wanted.wheels)
    serve(root, stage, wanted.more)


if __name__ == "__main__":
    main()
