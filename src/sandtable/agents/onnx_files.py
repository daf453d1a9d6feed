"""Networks in ONNX files: checked when they are opened, and run by onnxruntime on one thread.

The graph in a file is a program: it may hold loops and take whatever memory there is. Files of
strangers are therefore run elsewhere (``sessions_opened_by``). A file may hold a digest of itself
among its notes: that of the file with zeros in place of the digest, so it can be checked without a
library that understands the format.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.weights import bundled_file
from sandtable.errors import Forfeit, SandtableError, StopGame

__all__ = [
    "NO_DIGEST", "OnnxNetwork", "OnnxSession", "bundled_file", "check_file", "sealed",
    "sessions_opened_by",
]  # fmt: skip

NO_DIGEST = "0" * 32  # what a note "digest" holds until the file is sealed
BEFORE_DIGEST = b"\x0a\x06digest\x12\x20"  # how ONNX files store a note of that name and length
TRIED = 2  # positions a network is tried on when its file is opened


def digest_place(data: bytes) -> slice | None:
    """Return where in a file its digest is, or None if it has none."""
    at = data.rfind(BEFORE_DIGEST)
    if at < 0:
        return None
    return slice(at + len(BEFORE_DIGEST), at + len(BEFORE_DIGEST) + len(NO_DIGEST))


def sealed(data: bytes) -> bytes:
    """Return a file with its digest filled in."""
    place = digest_place(data)
    if place is None:
        return data
    blank = data[: place.start] + NO_DIGEST.encode() + data[place.stop :]
    digest = hashlib.blake2b(blank, digest_size=16).hexdigest().encode()
    return data[: place.start] + digest + data[place.stop :]


def is_whole(data: bytes) -> bool:
    """Say whether a file is as it was written, as far as it tells."""
    return data == sealed(data)


class OnnxSession(Protocol):
    """A graph that is ready to run, here or in a process of its own."""

    @property
    def notes(self) -> Mapping[str, str]:
        """What its file says about it."""
        ...

    def run(
        self, names: Sequence[str], inputs: Mapping[str, NDArray[np.float32]]
    ) -> list[NDArray[np.float32]]:
        """Return the outputs of these names."""
        ...


class SessionHere:
    """A graph that runs in this process."""

    def __init__(self, data: bytes) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # the errors of whoever opens it say it all
        self.session: Any = onnxruntime.InferenceSession(data, options, ["CPUExecutionProvider"])

    @property
    def notes(self) -> Mapping[str, str]:
        """What its file says about it."""
        found: Mapping[str, str] = self.session.get_modelmeta().custom_metadata_map
        return found

    def run(
        self, names: Sequence[str], inputs: Mapping[str, NDArray[np.float32]]
    ) -> list[NDArray[np.float32]]:
        """Return the outputs of these names."""
        made: list[NDArray[np.float32]] = self.session.run(list(names), dict(inputs))
        return made


Opener = Callable[[bytes], OnnxSession]
OPENER: ContextVar[Opener] = ContextVar("OPENER", default=SessionHere)


@contextmanager
def sessions_opened_by(opener: Opener) -> Iterator[None]:
    """Let all networks that are opened inside run wherever ``opener`` says.

    >>> with sessions_opened_by(SessionHere):
    ...     OPENER.get() is SessionHere
    True
    """
    before = OPENER.set(opener)
    try:
        yield
    finally:
        OPENER.reset(before)


def check_file(path: Path) -> None:
    """Refuse a path at which there is no file.

    >>> check_file(Path("nowhere.onnx"))
    Traceback (most recent call last):
    sandtable.errors.SandtableError: there is no file of weights nowhere.onnx
    """
    if not path.is_file():
        raise SandtableError(f"there is no file of weights {path}")


class OnnxNetwork:
    """A network with one input ``planes`` and outputs of known shapes, all for one position."""

    def __init__(
        self, path: Path, planes: tuple[int, ...], outputs: dict[str, tuple[int, ...]], owner: str
    ) -> None:
        check_file(path)
        self.names = list(outputs)
        try:
            data = path.read_bytes()
        except OSError as problem:
            raise SandtableError(f"cannot read the weights {path}: {problem.strerror}") from None
        try:
            self.session = OPENER.get()(data)
            found = self.run(np.ones((TRIED, *planes), dtype=np.float32))
        except (Forfeit, StopGame):  # whoever runs it knows better
            raise
        except Exception as problem:  # onnxruntime has a class for every kind of damage
            raise SandtableError(f"{path} is damaged or holds no network for {owner}") from problem
        for name, values in zip(self.names, found, strict=True):
            if values.shape != (TRIED, *outputs[name]):
                wanted = " x ".join(map(str, outputs[name])) or "one value"
                raise SandtableError(f"{path} holds a network whose '{name}' is not {wanted}")
        if not is_whole(data) or not all(np.isfinite(values).all() for values in found):
            raise SandtableError(f"{path} is damaged: its numbers are not those that were written")

    def run(self, planes: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Return the outputs for each position, in the order in which they were named."""
        return self.session.run(self.names, {"planes": planes})
