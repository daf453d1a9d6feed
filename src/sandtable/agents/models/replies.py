"""What comes back from an endpoint, whole or piece by piece, as a Reply; one without end is cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from sandtable.agents.models.answers import without_thoughts

__all__ = ["TOO_LONG", "Reply", "TooLong", "limited_body", "streamed", "whole"]

LONGEST_ANSWER = 400_000  # characters of answer and reasoning together
MOST_BYTES = 16 << 20  # of the body of one response
TOO_LONG = "too long"


class TooLong(Exception):
    """A response has no end."""


@dataclass(frozen=True)
class Reply:
    """What an endpoint answered.

    >>> Reply.from_data(Reply("MOVE: e4", seconds=1.5).as_data()).seconds
    1.5
    """

    answer: str
    reasoning: str = ""
    finish: str = ""
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    reasoning_tokens: int | None = None
    seconds: float = 0.0
    retries: int = 0

    def as_data(self) -> dict[str, Any]:
        """Return it as it is kept."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Reply:
        """Read one that was kept."""
        return cls(**{each.name: data[each.name] for each in fields(cls)})


def whole(completion: Any) -> Reply:
    """Return the reply of a response that came in one piece."""
    message = completion.choices[0].message
    finish = str(completion.choices[0].finish_reason or "")
    return finished(
        str(message.content or ""), thoughts_of(message), finish, getattr(completion, "usage", None)
    )


async def streamed(chunks: Any) -> Reply:
    """Return the reply of a response that comes piece by piece."""
    said: list[str] = []
    thought: list[str] = []
    finish, usage, length = "", None, 0
    async with chunks:
        async for chunk in chunks:
            usage = getattr(chunk, "usage", None) or usage
            for choice in chunk.choices or ():
                if choice.delta is not None:
                    said.append(str(choice.delta.content or ""))
                    thought.append(thoughts_of(choice.delta))
                    length += len(said[-1]) + len(thought[-1])
                finish = str(choice.finish_reason or finish)
            if length > LONGEST_ANSWER:
                finish = TOO_LONG
                break
    if not finish:
        raise ValueError("the stream ended before the answer did")
    return finished("".join(said), "".join(thought), finish, usage)


def thoughts_of(message: Any) -> str:
    """Return the reasoning of a message, for which endpoints have two names."""
    for name in ("reasoning_content", "reasoning"):
        found = getattr(message, name, None)
        if isinstance(found, str) and found:
            return found
    return ""


def finished(text: str, thoughts: str, finish: str, usage: Any) -> Reply:
    """Put a reply together; one without end is cut."""
    if len(text) + len(thoughts) > LONGEST_ANSWER:
        finish, text, thoughts = TOO_LONG, text[:LONGEST_ANSWER], thoughts[:LONGEST_ANSWER]
    answer, written = without_thoughts(text)
    details = getattr(usage, "completion_tokens_details", None)
    return Reply(
        answer=answer,
        reasoning="\n\n".join(part for part in (thoughts.strip(), written) if part),
        finish=finish,
        prompt_tokens=number_of(usage, "prompt_tokens"),
        answer_tokens=number_of(usage, "completion_tokens"),
        reasoning_tokens=number_of(details, "reasoning_tokens"),
    )


def number_of(usage: Any, name: str) -> int | None:
    """Return a count of tokens, if the endpoint told one."""
    found = getattr(usage, name, None)
    return found if isinstance(found, int) and found >= 0 else None


async def limited_body(response: Any) -> None:
    """See to it that the body of a response ends."""
    original = response.stream

    class Limited(type(original)):  # type: ignore[misc]
        def __init__(self) -> None:
            self.count = 0

        async def __aiter__(self) -> Any:
            async for part in original:
                self.count += len(part)
                if self.count > MOST_BYTES:
                    raise TooLong(f"more than {MOST_BYTES >> 20} MiB")
                yield part

        async def aclose(self) -> None:
            await original.aclose()

    response.stream = Limited()
