"""A log that strangers cannot fill: so many lines a minute, and the rest is counted."""

from __future__ import annotations

import logging
import time

__all__ = ["LOGGERS", "Throttle", "bound_logs"]

LOGGERS = (
    "asyncio",
    "uvicorn.error",
    "sandtable.server.application",
    "sandtable.server.classes.storage",
    "sandtable.server.jobs",
    "sandtable.server.storage",
)
BURST = 20
SECONDS_PER_LINE = 6.0  # ten a minute in the long run
LONGEST = 4000  # characters of one line, or of one traceback
STRANGERS_MISTAKES = (  # said to whoever made them; they are not ours to read
    "Invalid HTTP request received.",
    "Unsupported upgrade request.",
    "Invalid UTF-8 sequence received from client.",
)


class Throttle(logging.Filter):
    """Lets lines pass at a pace; the first one after a gap tells how many were left out.

    >>> throttle = Throttle(burst=1)
    >>> line = logging.makeLogRecord({"msg": "again"})
    >>> throttle.filter(line), throttle.filter(line), throttle.left_out
    (True, False, 1)
    """

    def __init__(self, burst: int = BURST, seconds_per_line: float = SECONDS_PER_LINE) -> None:
        super().__init__()
        self.burst, self.seconds_per_line = burst, seconds_per_line
        self.level = float(burst)
        self.seen = time.monotonic()
        self.left_out = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether a line is written."""
        if str(record.msg).startswith(STRANGERS_MISTAKES):
            return False
        now = time.monotonic()
        self.level = min(self.burst, self.level + (now - self.seen) / self.seconds_per_line)
        self.seen = now
        if self.level < 1.0:
            self.left_out += 1
            return False
        self.level -= 1.0
        if record.exc_info:
            record.exc_text = logging.Formatter().formatException(record.exc_info)[-LONGEST:]
        message = record.getMessage()
        if len(message) > LONGEST or self.left_out:
            before = f" ({self.left_out} lines before this were left out)" if self.left_out else ""
            record.msg, record.args = f"{message[:LONGEST]}{before}", ()
            self.left_out = 0
        return True


def bound_logs() -> None:
    """Bound whatever a server writes about its troubles; once is enough."""
    throttle = Throttle()
    for name in LOGGERS:
        logger = logging.getLogger(name)
        for old in [each for each in logger.filters if isinstance(each, Throttle)]:
            logger.removeFilter(old)
        logger.addFilter(throttle)
