"""A PostgreSQL server of our own for tests, in a private folder and behind a socket in it."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

INSTALL = Path(__file__).parent.parent.parent / "scripts" / "postgres.sh"


def find_programs() -> Path:
    """Return the folder of the server's programs; install them where that can be done."""
    pytest.importorskip("psycopg", reason="the extra 'postgres' is not installed")
    done = subprocess.run(["bash", str(INSTALL)], capture_output=True, text=True, timeout=600)
    if done.returncode:
        pytest.skip(f"PostgreSQL cannot be installed here: {done.stderr.strip()[-200:]}")
    return Path(done.stdout.strip().splitlines()[-1])


class Server:
    """Runs as the user ``postgres`` if we are root, for the server refuses to run as root."""

    def __init__(self, *, waits: bool = False) -> None:
        """Start it; ``waits``: for the disk, as a server does that has something to lose."""
        self.programs = find_programs()
        self.folder = Path(tempfile.mkdtemp(prefix="postgres"))  # names of sockets must be short
        self.as_user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if self.as_user:
            shutil.chown(self.folder, "postgres")
        self.password = secrets.token_hex(16)
        file = self.folder / "password"
        file.write_text(self.password)
        if self.as_user:
            shutil.chown(file, "postgres")
        self.call("initdb", "-D", self.folder / "data", "-U", "tester", "-A", "scram-sha-256",
                  f"--pwfile={file}", "-E", "UTF8", "--no-sync", "--locale=C")  # fmt: skip
        self.options = f"-c listen_addresses='' -c unix_socket_directories={self.folder}"
        self.options += f" -c fsync={'on' if waits else 'off'}"
        self.start()

    def start(self) -> None:
        self.call("pg_ctl", "-D", self.folder / "data", "-w", "-l", self.folder / "log",
                  "-o", self.options, "start")  # fmt: skip

    def crash(self) -> None:
        """End it as if it had been killed, without a word to anybody."""
        self.call("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")

    def call(self, program: str, *words: object) -> None:
        done = subprocess.run(
            [*self.as_user, str(self.programs / program), *map(str, words)],
            capture_output=True,
            text=True,
            cwd=self.folder,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def url(self, database: str = "postgres", password: str | None = None) -> str:
        return f"postgresql://tester:{password or self.password}@/{database}?host={self.folder}"

    def new_database(self) -> str:
        """Make an empty database and return its URL."""
        import psycopg

        name = f"games_{secrets.token_hex(4)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def stop(self) -> None:
        self.crash()
        shutil.rmtree(self.folder, ignore_errors=True)
