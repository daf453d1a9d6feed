"""Answers of language models that are kept in a file, so that nobody has to ask twice.

A line of JSON for each answer, found by a key: a hash of the model, the prompt and the options that
bear on the answer. Lines are only ever added, by any number of processes at a time. Of two answers
under one key the first counts, for everybody: whoever comes second gets it instead of its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sandtable.agents.models.prompts import Message
from sandtable.agents.models.replies import Reply
from sandtable.errors import SandtableError
from sandtable.files import write_at_end
from sandtable.system.locks import lock_file

__all__ = ["KeptAnswers", "key_of"]


def key_of(model: str, messages: Sequence[Message], options: Mapping[str, Any]) -> str:
    """Return the key of a question: whatever bears on the answer, and nothing else.

    >>> messages = [{"role": "user", "content": "Your move?"}]
    >>> key_of("small", messages, {"temperature": 0.0})
    '884f5a53c529445999aa35a3e4fbb0b1'
    """
    asked = {"model": model, "messages": list(messages), "options": dict(sorted(options.items()))}
    text = json.dumps(asked, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class KeptAnswers:
    """A file of answers.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     kept = KeptAnswers(Path(folder) / "answers.jsonl")
    ...     kept.add("k", Reply("MOVE: e4")).answer
    ...     KeptAnswers(Path(folder) / "answers.jsonl").get("k").answer
    'MOVE: e4'
    'MOVE: e4'
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.replies: dict[str, Reply] = {}
        self.read_up_to = 0  # bytes of the file that are known

    def get(self, key: str) -> Reply | None:
        """Return the answer under a key, also one that another process has just written."""
        if key not in self.replies:
            self.look()
        return self.replies.get(key)

    def add(self, key: str, reply: Reply) -> Reply:
        """Keep an answer; return the one that counts: this, or the one that was there before."""
        try:
            with self.path.open("ab", buffering=0) as handle:
                lock_file(handle, wait=True)  # let go when the file is closed
                self.look()
                if key not in self.replies:
                    data = {"key": key, **reply.as_data()}
                    line = json.dumps(data, separators=(",", ":")).encode() + b"\n"
                    half = handle.tell() > self.read_up_to  # a line that somebody could not finish
                    write_at_end(handle.fileno(), b"\n" + line if half else line)
                    self.replies[key] = reply
        except OSError as problem:
            raise SandtableError(f"cannot write {self.path}: {problem.strerror}") from problem
        return self.replies[key]

    def look(self) -> None:
        """Read what has been added to the file; lines that make no sense are left out."""
        try:
            with self.path.open("rb") as handle:
                handle.seek(self.read_up_to)
                added = handle.read()
        except FileNotFoundError:
            return
        except OSError as problem:
            raise SandtableError(f"cannot read {self.path}: {problem.strerror}") from problem
        whole = added[: added.rfind(b"\n") + 1]
        self.read_up_to += len(whole)
        for line in whole.splitlines():
            try:
                data = json.loads(line)
                self.replies.setdefault(str(data["key"]), Reply.from_data(data))
            except (ValueError, KeyError, TypeError):
                continue
