"""The agent that is a language model behind an endpoint of OpenAI's protocol."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from sandtable.agent import Agent
from sandtable.agents.briefing import Chronicle
from sandtable.agents.models.answers import Judged, judged
from sandtable.agents.models.endpoint import Endpoint, Manners, Trouble
from sandtable.agents.models.kept_answers import KeptAnswers, key_of
from sandtable.agents.models.prompts import VIEWS, Message, asked, instructed, rethink
from sandtable.agents.models.replies import TOO_LONG, Reply
from sandtable.dice import Dice
from sandtable.errors import Forfeit, UnreadableSpec
from sandtable.specs import files_allowed
from sandtable.types import Game, State

__all__ = ["Model"]

SEEDS = 2**31
ANSWERS_VARIABLE = "SANDTABLE_MODEL_ANSWERS"  # a file of kept answers, where the spec names none
OFFLINE_VARIABLE = "SANDTABLE_MODEL_OFFLINE"  # if set, nothing is asked that was not kept
KEY_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*_(?:KEY|TOKEN)")
LETTERS_OF_A_TOKEN = 4  # about so many, where an endpoint does not count


class Model(Agent):
    """Any game; a language model behind an endpoint that speaks OpenAI's protocol."""

    meanings: ClassVar[Mapping[str, str]] = {
        "name": "of the model, as the endpoint knows it",
        "url": "of the endpoint, for example http://localhost:8080/v1; default OpenAI's own",
        "legal": "how many legal actions are listed at most; 0: none",
        "view": "how the position is shown: text, json or both",
        "rethinks": "after answers that cannot be played; then it forfeits",
        "temperature": "0 for the likeliest answer; without it the endpoint chooses",
        "tokens": "the most of one answer, reasoning included",
        "game_tokens": "the most of a whole game, prompts included; 0: any number",
        "timeout": "seconds for one request",
        "stream": "whether answers come piece by piece",
        "retries": "of a request after a broken connection or a rate limit",
        "patience": "seconds that the endpoint may ask to wait",
        "parallel": "requests to the endpoint at the same time, of all processes",
        "seeded": "whether each game sends a seed of its own",
        "key_variable": "the environment variable that holds the key",
        "answers": "a file of kept answers, which are not asked for again",
        "offline": "whether only kept answers are played",
    }

    def __init__(
        self,
        name: str,
        url: str = "",
        legal: int = 200,
        view: str = "both",
        rethinks: int = 2,
        temperature: float | None = None,
        tokens: int = 4096,
        game_tokens: int = 0,
        timeout: float = 120.0,
        stream: bool = True,
        retries: int = 4,
        patience: float = 60.0,
        parallel: int = 4,
        seeded: bool = True,
        key_variable: str = "SANDTABLE_MODEL_KEY",
        answers: str = "",
        offline: bool = False,
    ) -> None:
        check_address(url)
        if not KEY_VARIABLE.fullmatch(key_variable):  # it may be a key: it is not repeated
            raise UnreadableSpec(
                "model: key_variable is the name of an environment variable that holds the key, in "
                "capitals and ending in _KEY or _TOKEN; a key itself never stands in a spec"
            )
        if view not in VIEWS:
            raise ValueError(f"view is one of {', '.join(VIEWS)}, got '{view}'")
        least = {"legal": (legal, 0), "rethinks": (rethinks, 0), "retries": (retries, 0)}
        least |= {"tokens": (tokens, 1), "game_tokens": (game_tokens, 0), "parallel": (parallel, 1)}
        for option, (value, low) in least.items():
            if value < low:
                raise ValueError(f"{option} is at least {low}, got {value}")
        times = {"timeout": timeout, "patience": patience, "temperature": temperature or 0.0}
        for option, number in times.items():
            wrong = number < 0 or not math.isfinite(number) or (option == "timeout" and not number)
            if wrong:
                raise ValueError(f"{option} cannot be {number:g}")
        self.name, self.legal, self.view, self.rethinks = name, legal, view, rethinks
        self.temperature, self.tokens, self.game_tokens = temperature, tokens, game_tokens
        self.seeded = seeded
        self.offline = offline or bool(os.environ.get(OFFLINE_VARIABLE))
        manners = Manners(timeout, stream, retries, patience, parallel)
        self.endpoint = Endpoint(url, key_variable, manners)
        self.kept = kept_answers(answers)
        self._seed = 0
        self._spent = 0  # tokens in this game
        self._chronicle: Chronicle | None = None
        self._instructions: Message | None = None
        self._decisions: list[dict[str, Any]] = []

    def check(self) -> None:
        """Find out before the first game whether the client library and a key are there."""
        if not self.offline:
            self.endpoint.check()

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Get ready for a game in this seat."""
        self._seed = dice.below(SEEDS)
        self._spent = 0
        self._chronicle = Chronicle(game, seat)
        self._instructions = instructed(game, seat)
        self._decisions.clear()

    def watch(self, view: State, action: int | None) -> None:
        """Remember what happens, as far as the seat may know it."""
        if self._chronicle is not None:
            self._chronicle.note(view, action)

    def choose(self, view: State, dice: Dice) -> list[int]:
        """Ask the model, and let it rethink what cannot be played."""
        seat = view.turn if view.seat is None else view.seat
        known = self._chronicle
        if known is None or known.seat != seat or known.game.spec != view.game.spec:
            self.begin(view.game, seat, dice)
        assert self._chronicle is not None  # begin has made both
        assert self._instructions is not None
        self._chronicle.look(view)
        messages = [self._instructions, asked(view, self._chronicle, self.legal, self.view)]
        exchanges: list[dict[str, Any]] = []
        decision = {"model": self.name, "actions": 0, "seconds": 0.0, "exchanges": exchanges}
        self._decisions.append(decision)
        problems: Counter[str] = Counter()
        for _ in range(self.rethinks + 1):
            reply, verdict = self._exchange(view, messages, exchanges)
            decision["seconds"] = round(sum(each["seconds"] for each in exchanges), 3)
            if verdict.legal:
                decision["actions"] = len(verdict.actions)
                return list(verdict.actions)
            problems[verdict.kind] += 1
            messages += rethink(reply.answer, verdict.problem)
        counted = ", ".join(f"{count} {kind}" for kind, count in sorted(problems.items()))
        raise Forfeit(f"no answer that can be played: {counted}")

    def transcript(self) -> Sequence[Mapping[str, Any]]:
        """Return what was said about the decisions since this was asked last."""
        told, self._decisions = self._decisions, []
        return told

    def close(self) -> None:
        """Let go of the connections."""
        self.endpoint.close()

    def _exchange(
        self, view: State, messages: list[Message], exchanges: list[dict[str, Any]]
    ) -> tuple[Reply, Judged]:
        """Ask once, judge the answer, and note both."""
        prompt = [[message["role"], message["content"]] for message in messages]
        noted: dict[str, Any] = {"prompt": prompt, **Reply("").as_data()}
        noted |= {"problem": "the question was broken off", "kind": "endpoint"}
        exchanges.append(noted)
        try:
            reply = self._answer(messages)
        except Trouble as trouble:
            said = f"{trouble}: {trouble.detail}" if trouble.detail else str(trouble)
            noted |= {"problem": said, "retries": trouble.retries}
            raise Forfeit(str(trouble) if view.game.hidden else said) from None
        except Forfeit as problem:
            noted |= {"problem": str(problem)}
            raise
        verdict = verdict_on(view, reply)
        noted |= {**reply.as_data(), "problem": verdict.problem, "kind": verdict.kind}
        return reply, verdict

    def _answer(self, messages: list[Message]) -> Reply:
        """Return an answer that was kept, or one from the endpoint."""
        if self.game_tokens and self._spent >= self.game_tokens:
            raise Forfeit(f"it has spent its {self.game_tokens} tokens of this game")
        options: dict[str, Any] = {}
        if self.temperature is not None:
            options["temperature"] = self.temperature
        drawn = self.temperature != 0  # then other games get other answers, also kept ones
        bearing = {**options, "tokens": self.tokens, "seed": self._seed if drawn else 0}
        key = key_of(self.name, messages, bearing)
        reply = None if self.kept is None else self.kept.get(key)
        if reply is None:
            if self.offline:
                raise Forfeit("no answer was kept for this question, and it may not be asked")
            if self.seeded and drawn:
                options["seed"] = self._seed
            reply = self.endpoint.ask(self.name, messages, options, self.tokens)
            if self.kept is not None:
                reply = self.kept.add(key, reply)
        self._spent += spent(reply, messages)
        return reply


def check_address(url: str) -> None:
    """Raise an error for an address that cannot be one, or that holds a secret; it is not told."""
    parts = urlsplit(url)
    if url and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise UnreadableSpec("model: url begins with http:// or https:// and the name of a machine")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UnreadableSpec(
            "model: url holds a name, a password or a query; a key comes from the environment only"
        )


def kept_answers(path: str) -> KeptAnswers | None:
    """Return the file of kept answers that a spec or the environment names."""
    if path and not files_allowed():
        raise UnreadableSpec("model: files cannot be named here")
    named = path or os.environ.get(ANSWERS_VARIABLE, "")
    return KeptAnswers(Path(named).expanduser()) if named else None


def verdict_on(view: State, reply: Reply) -> Judged:
    """Judge a reply: its actions, or what is wrong with it."""
    if reply.finish == TOO_LONG:
        return Judged((), "the answer is far too long", "unreadable")
    verdict = judged(view, reply.answer)
    if not verdict.legal and reply.finish == "length":
        line = "the answer was cut off, because all tokens it may have were spent before MOVE:"
        return Judged((), line, "unreadable")
    return verdict


def spent(reply: Reply, messages: Sequence[Message]) -> int:
    """Return the tokens of an exchange; where the endpoint does not count, about so many."""
    written = len(reply.answer) + len(reply.reasoning)
    read = sum(len(message["content"]) for message in messages)
    prompt, answer = reply.prompt_tokens, reply.answer_tokens
    return (read // LETTERS_OF_A_TOKEN if prompt is None else prompt) + (
        written // LETTERS_OF_A_TOKEN if answer is None else answer
    )
