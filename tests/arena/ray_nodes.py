"""A Ray cluster of two nodes on this machine, for tests: one processor each, little memory."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

HEAD, SECOND = "127.0.0.2", "127.0.0.3"  # addresses that cannot be reached from elsewhere
SECONDS_TO_START, SECONDS_TO_END = 600, 120


class RayNodes:
    """Starts a head and a second node, which ask for a token; ``stop`` ends them.

    Without what nobody asks here, each a process that takes seconds to start: a dashboard, a copy
    of all logs, and a monitor that would order more nodes.
    """

    def __init__(self, environment: dict[str, str], *, second: bool = True) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ray"))  # names of sockets must be short
        self.environment = {
            **environment,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        with socket.create_server((HEAD, 0)) as free:
            self.address = f"{HEAD}:{free.getsockname()[1]}"
        port = self.address.partition(":")[2]
        self.nodes: list[subprocess.Popen] = []
        try:
            self.start(HEAD, "--head", f"--port={port}", "--include-dashboard=false",
                       "--no-monitor", f"--temp-dir={self.folder}")  # fmt: skip
            if second:
                self.start_second()
        except BaseException:
            self.stop()
            raise

    def start(self, host: str, *options: str) -> None:
        """Start a node and wait until it is there."""
        log = self.folder / f"{host}.log"
        with log.open("wb") as output:
            node = subprocess.Popen(
                [sys.executable, "-m", "ray.scripts.scripts", "start", f"--node-ip-address={host}",
                 "--num-cpus=1", "--object-store-memory=80000000", "--disable-usage-stats",
                 "--include-log-monitor=false", "--block", *options],
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )  # fmt: skip
        self.nodes.append(node)
        deadline = time.monotonic() + SECONDS_TO_START
        while "Ray runtime started" not in log.read_text():
            assert node.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)

    def kill_second(self) -> None:
        """Take the second node away as if its machine were switched off, with all it runs."""
        killed = self.of_second()
        for process in killed:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.nodes.pop().wait()
        deadline = time.monotonic() + SECONDS_TO_END
        while any(runs(process) for process in killed):  # large ones take a moment to go
            assert time.monotonic() < deadline, "processes of the node are still there"
            time.sleep(0.02)

    def of_second(self) -> list[int]:
        """Return the processes of the second node."""
        node = self.nodes[-1].pid
        return [node, *descendants(node)]

    def start_second(self) -> None:
        """Bring another node in its place."""
        self.start(SECOND, f"--address={self.address}")

    def stop(self) -> None:
        for node in reversed(self.nodes):
            node.terminate()
        for node in self.nodes:
            try:
                node.wait(30)
            except subprocess.TimeoutExpired:
                node.kill()
                node.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def runs(process: int) -> bool:
    """Say whether a process is there and has not ended."""
    try:
        return bool(Path("/proc", str(process), "cmdline").read_bytes())
    except OSError:
        return False


def descendants(process: int) -> list[int]:
    """Return the children of a process, and theirs."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            child = int(folder.name)
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents.setdefault(int(fields[1]), []).append(child)
    found = parents.get(process, [])
    return [*found, *(each for child in found for each in descendants(child))]
