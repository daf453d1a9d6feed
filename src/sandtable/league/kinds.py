"""What kinds of bots there are, and the digests that files and tokens are known by.

Workers need this and no database.
"""

from __future__ import annotations

import hashlib

__all__ = ["AGENT", "KINDS", "PROGRAM", "REMOTE", "SANDBOXED", "WEIGHTS", "digest_of"]

AGENT, WEIGHTS, PROGRAM, REMOTE = KINDS = ("agent", "weights", "program", "remote")
SANDBOXED = (WEIGHTS, PROGRAM)  # kinds that run what strangers wrote


def digest_of(secret: str | bytes) -> str:
    """Return what is kept of a secret: it is long and random, so a plain digest is enough.

    >>> len(digest_of("a secret"))
    64
    """
    data = secret.encode("utf-8", "surrogatepass") if isinstance(secret, str) else secret
    return hashlib.sha256(data).hexdigest()
