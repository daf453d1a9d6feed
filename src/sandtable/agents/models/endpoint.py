"""Asking an endpoint that speaks OpenAI's protocol, with the official client library.

Whatever the endpoint does, ``ask`` ends: with a Reply, or with Trouble that says why not. Every
request has a deadline that counts from its first to its last byte, so an endpoint that drips is no
better than one that says nothing. What may pass (a broken connection, a rate limit, half an answer)
is tried again, after the time the endpoint asks for. The key comes from the environment and goes
into the header of a request; it is struck out of everything that is said or kept.
"""

from __future__ import annotations

import asyncio
import email.utils
import os
import re
import threading
import time
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sandtable.agents.models.prompts import Message
from sandtable.agents.models.replies import (
    TOO_LONG,
    Reply,
    TooLong,
    limited_body,
    streamed,
    whole,
)
from sandtable.agents.models.slots import slot
from sandtable.errors import MissingExtra, SandtableError

__all__ = ["Endpoint", "Trouble", "key_from", "without"]

Result = TypeVar("Result")

USUAL_URL = "https://api.openai.com/v1"
URL_VARIABLE = "OPENAI_BASE_URL"  # as the client library has it
OWN_KEY_VARIABLE = "OPENAI_API_KEY"  # goes where the client library would send it, nowhere else
NO_KEY = "none"  # what a local server is told, which asks for none
FIRST_WAIT = 0.5  # seconds before a second try, where the endpoint does not say; then twice as long
LONGEST_WAIT = 20.0
LONGEST_DETAIL = 300
SOON_AGAIN = (408, 409, 425, 429)  # and all from 500 on
MEANINGS = {
    400: "it does not understand the request",
    401: "it wants another key",
    402: "it wants to be paid",
    403: "it does not allow this",
    404: "it knows no such model or address",
    413: "the prompt is too long for it",
    422: "it does not understand the request",
    429: "it has had too many requests",
}


class Trouble(SandtableError):
    """No answer could be had; the text tells nothing of prompt, answer or key."""

    def __init__(self, line: str, detail: str = "", retries: int = 0) -> None:
        super().__init__(line)
        self.detail = detail  # what the endpoint said; for the transcript alone
        self.retries = retries


class Passing(Exception):
    """Something went wrong that may go right the next time."""

    def __init__(self, line: str, detail: str = "", wait: float | None = None) -> None:
        super().__init__(line)
        self.detail, self.wait = detail, wait


@dataclass(frozen=True)
class Manners:
    """How an endpoint is asked, apart from what.

    >>> Manners().stream
    True
    """

    timeout: float = 120.0  # seconds for one request
    stream: bool = True
    retries: int = 4
    patience: float = 60.0  # the longest wait that an endpoint may ask for
    parallel: int = 4


class Endpoint:
    """One place where a model is asked."""

    def __init__(self, url: str, key_variable: str, manners: Manners) -> None:
        self.url = url or os.environ.get(URL_VARIABLE, "") or USUAL_URL
        self.own_url = bool(url)
        self.key_variable, self.manners = key_variable, manners
        self.token_field = "max_tokens"  # the one that all know but the newest models of one house
        self._client: Any = None

    @property
    def key(self) -> str:
        """The key, as it is in the environment now."""
        return key_from(self.key_variable, self.own_url)

    def check(self) -> None:
        """Raise an error if the client library is not there, or a key that is surely needed."""
        try:
            import openai  # noqa: F401
        except ImportError:
            raise MissingExtra("asking a language model", "models") from None
        if self.url == USUAL_URL and not self.key:
            raise SandtableError(
                f"model: {USUAL_URL} wants a key; set {OWN_KEY_VARIABLE}, or name another endpoint "
                "with url=..."
            )

    def ask(
        self, model: str, messages: Sequence[Message], options: Mapping[str, Any], tokens: int
    ) -> Reply:
        """Return the answer to some messages, or raise Trouble."""
        self.check()
        began = time.perf_counter()
        with slot(self.url, self.manners.parallel):
            reply = run(self.tries(model, messages, options, tokens))
        key = self.key
        return replace(
            reply,
            answer=proper(without(reply.answer, key)),
            reasoning=proper(without(reply.reasoning, key)),
            seconds=round(time.perf_counter() - began, 3),
        )

    async def tries(
        self, model: str, messages: Sequence[Message], options: Mapping[str, Any], tokens: int
    ) -> Reply:
        """Ask until there is an answer, or no hope."""
        for number in range(self.manners.retries + 1):
            request = {"model": model, "messages": list(messages), **options}
            try:
                limited = {**request, self.token_field: tokens}
                reply = await asyncio.wait_for(self.once(limited), self.manners.timeout)
                return replace(reply, retries=number)
            except TimeoutError:
                passing = Passing(f"no answer within {self.manners.timeout:g} s")
            except Exception as problem:
                if isinstance(problem, TooLong) or isinstance(problem.__cause__, TooLong):
                    return Reply("", finish=TOO_LONG, retries=number)
                passing = self.passing(problem, number)
            if number < self.manners.retries:
                usual = min(FIRST_WAIT * 2**number, LONGEST_WAIT)
                await asyncio.sleep(usual if passing.wait is None else passing.wait)
        times = f" ({self.manners.retries + 1} times asked)" if self.manners.retries else ""
        raise Trouble(f"{passing}{times}", passing.detail, self.manners.retries)

    async def once(self, request: dict[str, Any]) -> Reply:
        """Ask once."""
        client = self.client()
        if self.manners.stream:
            streaming = {"stream": True, "stream_options": {"include_usage": True}}
            return await streamed(await client.chat.completions.create(**request, **streaming))
        return whole(await client.chat.completions.create(**request))

    def client(self) -> Any:
        """Return the client of the library; its connections live in the loop that asks."""
        import openai

        if self._client is None:
            kept = openai.DefaultAsyncHttpxClient(event_hooks={"response": [limited_body]})
            self._client = openai.AsyncOpenAI(
                api_key=self.key or NO_KEY,
                base_url=self.url,
                timeout=self.manners.timeout,
                max_retries=0,  # tries() does that, within its deadline and counted
                default_headers={"Accept-Encoding": "identity"},
                http_client=kept,
            )
        return self._client

    def passing(self, problem: Exception, number: int) -> Passing:
        """Say what may pass by itself; raise Trouble for all else."""
        import openai

        detail = shortened(without(str(problem), self.key))
        if isinstance(problem, openai.APITimeoutError):
            return Passing(f"no answer within {self.manners.timeout:g} s")
        if isinstance(problem, openai.APIConnectionError):
            return Passing("the endpoint cannot be reached, or broke the connection", detail)
        if not isinstance(problem, openai.APIStatusError):
            return Passing("the endpoint's answer is broken", f"{type(problem).__name__}: {detail}")
        status = problem.status_code
        if status == 400 and "max_completion_tokens" in str(problem):
            self.token_field = "max_completion_tokens"
            return Passing("the endpoint counts tokens in another way", detail, 0.0)
        meaning = MEANINGS.get(status, "")
        line = f"the endpoint answered {status}" + (f": {meaning}" if meaning else "")
        if status not in SOON_AGAIN and status < 500:
            raise Trouble(line, detail, number)
        wait = asked_wait(problem.response.headers)
        if wait is not None and wait > self.manners.patience:
            raise Trouble(f"{line}, and asks to wait {wait:.0f} s", detail, number)
        return Passing(line, detail, wait)

    def close(self) -> None:
        """Let go of the connections."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                run(client.close())


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds an endpoint wants us to wait, if it says so.

    >>> asked_wait({"retry-after": "2"}), asked_wait({"retry-after-ms": "250"}), asked_wait({})
    (2.0, 0.25, None)
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        with suppress(ValueError):
            return max(float(headers.get(name, "")) / unit, 0.0)
    with suppress(ValueError, TypeError, OverflowError):
        until = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
        return max(until.timestamp() - time.time(), 0.0)
    return None


# --- keys -----------------------------------------------------------------------------------------


def key_from(variable: str, own_url: bool) -> str:
    """Return the key for an endpoint, from the environment; empty: there is none.

    OpenAI's own key goes where its client library would send it, never to a ``url`` of a spec.
    """
    key = os.environ.get(variable, "")
    return key or ("" if own_url else os.environ.get(OWN_KEY_VARIABLE, ""))


def without(text: str, key: str) -> str:
    """Strike a key out of a text, which an endpoint may have sent back.

    >>> without("wrong key: sk-12345", "sk-12345")
    'wrong key: [key]'
    """
    return text.replace(key, "[key]") if key else text


def proper(text: str) -> str:
    """Return text that a file can keep: half characters are replaced."""
    return text.encode("utf-8", "replace").decode()


def shortened(text: str) -> str:
    """Return what an endpoint said in one line."""
    line = re.sub(r"\s+", " ", proper(text)).strip()
    return line if len(line) <= LONGEST_DETAIL else f"{line[:LONGEST_DETAIL]}..."


# --- the loop that asks ---------------------------------------------------------------------------

LOOPS: dict[int, asyncio.AbstractEventLoop] = {}  # by process: a fork has none of its own
STARTING = threading.Lock()


def loop_of_process() -> asyncio.AbstractEventLoop:
    """Return the event loop in which all requests of this process are made, in its own thread."""
    with STARTING:
        process = os.getpid()
        if process not in LOOPS:
            LOOPS.clear()
            LOOPS[process] = loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="models", daemon=True).start()
        return LOOPS[process]


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Wait for something that is done in the loop; a clock that breaks in ends it there too."""
    future = asyncio.run_coroutine_threadsafe(work, loop_of_process())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise
