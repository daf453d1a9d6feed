"""Several real servers that share their rooms, and a plain proxy in front of them."""

from __future__ import annotations

import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

PIECE = 1 << 16


class Proxy:
    """Sends every connection to the next server in turn; one that does not answer is skipped."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self.servers: list[int] = []  # their ports
        self.turns = itertools.count()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client: socket.socket) -> None:
        with client:
            for _ in range(max(len(self.servers), 1)):
                ports = list(self.servers)
                with suppress(OSError, ZeroDivisionError):
                    port = ports[next(self.turns) % len(ports)]
                    with socket.create_connection(("127.0.0.1", port), 2.0) as server:
                        server.settimeout(None)
                        back = threading.Thread(target=pour, args=(server, client), daemon=True)
                        back.start()
                        pour(client, server)
                        back.join()
                    return

    def close(self) -> None:
        self.listener.close()


def pour(source: socket.socket, target: socket.socket) -> None:
    """Carry what comes on one side to the other, until either ends."""
    with suppress(OSError):
        while piece := source.recv(PIECE):
            target.sendall(piece)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class SharedServer:
    """One of them, as people start it."""

    def __init__(self, folder: Path, rooms: str, *allowed: str, more: tuple[str, ...] = ()) -> None:
        words = ["serve", "--api-only", "--port", "0", "--data", str(folder), "--rooms", rooms]
        words += ["--workers", "1", "--move-time", "30", *more]
        for each in allowed:
            words += ["--allow-host", each]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sandtable", *words],
            env={**os.environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait(self) -> SharedServer:
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:([0-9]+)/", line)
        assert found, line + self.process.stderr.read()
        self.port = int(found[1])
        self.host = f"127.0.0.1:{self.port}"
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), 30).close()
        return self

    def stop(self, number: int = signal.SIGKILL) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait(30)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
