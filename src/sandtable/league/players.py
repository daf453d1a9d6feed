"""The bots of a deal as agents, in the process of a worker.

Agents are made once and kept: a game depends on nothing but its dice. Programs and networks are
others' code, which may remember: each game has a new process of them. What a remote bot remembers
nobody can prevent: so the games of its deals have dice of their own (see ``results``).
"""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sandtable.agent import Agent, adopted
from sandtable.agents.external.agent import External
from sandtable.arena.play.plan import MatchPlan, PlanPlayer
from sandtable.arena.play.rehearsal import rehearse
from sandtable.dice import Dice
from sandtable.errors import Forfeit, SandtableError, StopGame, failure_line
from sandtable.files import make_folder, write_whole
from sandtable.league.kinds import AGENT, PROGRAM, REMOTE, WEIGHTS, digest_of
from sandtable.league.link import Link, NotAccepted, Unreachable
from sandtable.league.results import deal_plan, game_plan, own_dice, without_traces
from sandtable.league.sandbox.networks import GuardedWeights
from sandtable.league.sandbox.programs import (
    ForgetfulProgram,
    SandboxedProgram,
    SandboxLimits,
)
from sandtable.records.lines import record_to_line
from sandtable.records.record import Record
from sandtable.registry import make_agent, make_game
from sandtable.specs import Spec, parse_spec
from sandtable.types import Game, State

__all__ = ["DealLost", "DealPlayer", "FileCache", "RemoteBot", "Unready"]

MOST_KEPT = 64  # agents of a worker
SECONDS_FOR_THE_WAY = 20.0  # of a question to a remote bot, beside its own time
DIGEST_LENGTH = 64
NOT_STARTED = "there was no sandbox for a program or a network"
NOT_REACHED = "a remote bot could not be asked through the server"


IN_SANDBOX = (SandboxedProgram, GuardedWeights)


class DealLost(Exception):
    """A deal could not be played here, through no fault of its bots."""

    def __init__(self, reason: str, *, sandbox: bool = False) -> None:
        super().__init__(reason)
        self.sandbox = sandbox  # whether that is what was missing


class Unready(Agent):
    """A bot that cannot be made: it forfeits, and says why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Forfeit."""
        raise Forfeit(self.reason)

    def choose(self, view: State, dice: Dice) -> int:
        """Forfeit."""
        raise Forfeit(self.reason)


class Relay:
    """A conversation with a bot on its author's machine, through the server."""

    def __init__(self, link: Link, lease: str, deal: int, bot: int) -> None:
        self.link, self.usable = link, True
        self.about = {"lease": lease, "deal": deal, "bot": bot}

    def send(self, line: bytes) -> None:
        """Send a line that needs no answer."""
        self.exchange(line, None)

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Send a line and return the answer."""
        return self.exchange(line, seconds)

    def exchange(self, line: bytes, seconds: float | None) -> bytes:
        """Let the server pass a line on."""
        message = {**self.about, "line": line.decode(), "seconds": seconds}
        try:
            found = self.link.post("/api/work/ask", message, (seconds or 0) + SECONDS_FOR_THE_WAY)
        except (Unreachable, NotAccepted):
            raise StopGame from None
        if "forfeit" in found:
            raise Forfeit(str(found["forfeit"]))
        return str(found.get("answer", "")).encode()

    def stop(self, farewell: bytes = b"", grace: float = 0.0) -> None:
        """End the conversation; the bot stays for others."""
        self.usable = False


class RemoteBot(External):
    """A bot on its author's machine."""

    def __init__(self, link: Link, lease: str, deal: int, bot: int, seconds: float) -> None:
        super().__init__("remote", seconds)
        self.where = link, lease, deal, bot
        self.lost = False  # the server was not reached: that is not the bot's fault

    def _launched(self) -> Relay:
        return Relay(*self.where)

    def _ask(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            return super()._ask(message, seconds)
        except StopGame:
            self.lost = True
            raise

    def watch(self, view: State, action: int | None) -> None:
        """Tell the bot what was played; where that cannot be, the next question will show it."""
        try:
            super().watch(view, action)
        except (StopGame, Forfeit):
            return

    def finish(self, outcome: Any) -> None:
        """Tell the bot how the game ended."""
        try:
            super().finish(outcome)
        except (StopGame, Forfeit):
            return


def with_own_dice(plan: MatchPlan, agents: list[Agent], attempt: int) -> list[Record]:
    """Play the rotations of a deal, no two games with the same dice."""
    records: list[Record] = []
    pool = {(name, 0): agent for name, agent in zip(plan.agents, agents, strict=True)}
    for rotation in range(plan.games):
        number = own_dice(attempt, plan.games, rotation)
        player = PlanPlayer(game_plan(plan, rotation), pool)
        records += player.play(number, 1, keep_records=True).records
    return records


@dataclass
class FileCache:
    """Files of bots on the disk of a worker, by their digests."""

    link: Link
    folder: Path

    def path(self, digest: str, *, program: bool = False) -> Path:
        """Return where a file lies; it is fetched when it is first wanted, and checked."""
        if len(digest) != DIGEST_LENGTH or not digest.isalnum():
            raise SandtableError("the server has named a file by what is no digest")
        found = self.folder / digest
        if not found.exists() or digest_of(found.read_bytes()) != digest:
            data = self.link.download(digest)
            if digest_of(data) != digest:
                raise SandtableError("a file came damaged from the server")
            make_folder(self.folder)
            write_whole(found, data)
        os.chmod(found, 0o700 if program else 0o600)  # noqa: PTH101
        return found


class DealPlayer:
    """Plays the deals that a worker has leased."""

    def __init__(
        self,
        link: Link,
        folder: Path,
        limits: SandboxLimits | None = None,
        *,
        unprotected: bool = False,
    ) -> None:
        self.link, self.files = link, FileCache(link, folder.absolute())
        self.limits, self.unprotected = limits or SandboxLimits(), unprotected
        self.kept: OrderedDict[int, Agent] = OrderedDict()  # by bot
        self.rehearsed: set[tuple[int, str, int]] = set()  # bot, game, seat

    def play(self, lease: str, deal: Mapping[str, Any]) -> list[str]:
        """Play a deal, and return the lines of its records."""
        game = make_game(deal["game"])
        names = [bot["name"] for bot in deal["bots"]]
        plan = deal_plan(game, names, int(deal["seed"]), float(deal["move_time"]))
        agents = [self.agent(lease, deal, bot) for bot in deal["bots"]]
        player = PlanPlayer(
            plan, {(name, 0): agent for name, agent in zip(names, agents, strict=True)}
        )
        try:
            if player.policies is None:
                self.rehearse(game, deal, agents)
            if any(bot["kind"] == REMOTE for bot in deal["bots"]):
                records = with_own_dice(plan, agents, int(deal["attempt"]))
            else:
                records = player.play(0, plan.games, keep_records=True).records
        except KeyboardInterrupt:
            if any(getattr(agent, "lost", False) for agent in agents):
                shut = any(isinstance(each, IN_SANDBOX) and each.lost for each in agents)
                raise DealLost(NOT_STARTED if shut else NOT_REACHED, sandbox=shut) from None
            raise
        finally:
            for bot, agent in zip(deal["bots"], agents, strict=True):
                if bot["id"] not in self.kept:
                    agent.close()
        return [record_to_line(self.without_paths(record)) for record in records]

    def without_paths(self, record: Record) -> Record:
        """Return what everybody may see of a game: where files lie here is told nobody."""
        record, outcome = without_traces(record), record.outcome
        if outcome is None or outcome.forfeited_by is None:
            return record
        return replace(record, outcome=replace(outcome, reason=self.hidden(outcome.reason)))

    def hidden(self, text: str) -> str:
        """Return a text without the folder of files."""
        for folder in {self.files.folder.resolve(), self.files.folder.absolute()}:
            text = re.sub(rf"{re.escape(str(folder))}/[0-9a-f]+", "its file", text)
        return text

    def rehearse(self, game: Game, deal: Mapping[str, Any], agents: list[Agent]) -> None:
        """Let agents that are new here make one move that does not count, before the clock."""
        for bot, agent in zip(deal["bots"], agents, strict=True):
            for seat in range(len(game.seats)):
                known = bot["id"], game.spec, seat
                if bot["kind"] in (AGENT, WEIGHTS) and known not in self.rehearsed:
                    self.rehearsed.add(known)
                    rehearse(game, bot["spec"], agent, seat, float(deal["move_time"]))

    def agent(self, lease: str, deal: Mapping[str, Any], bot: Mapping[str, Any]) -> Agent:
        """Return the agent that plays for a bot."""
        seconds = float(deal["move_time"])
        if bot["kind"] == REMOTE:
            return RemoteBot(self.link, lease, int(deal["deal"]), int(bot["id"]), seconds)
        if bot["kind"] == PROGRAM:
            path = self.fetched(bot, program=True)
            if self.unprotected:
                return ForgetfulProgram(f"'{path}'", seconds)
            return SandboxedProgram(path, self.limits, seconds)
        if bot["kind"] == WEIGHTS and not self.unprotected:
            spec = self.weights_spec(bot)
            return GuardedWeights(lambda: adopted(make_agent(spec)), self.limits, seconds)
        number = int(bot["id"])
        if number not in self.kept:
            self.kept[number] = self.made(bot)
            if len(self.kept) > MOST_KEPT:
                _, old = self.kept.popitem(last=False)
                old.close()
        self.kept.move_to_end(number)
        return self.kept[number]

    def fetched(self, bot: Mapping[str, Any], *, program: bool = False) -> Path:
        """Return the file of a bot."""
        try:
            return self.files.path(str(bot["file"]), program=program)
        except SandtableError as problem:
            raise DealLost(str(problem)) from None

    def weights_spec(self, bot: Mapping[str, Any]) -> str:
        """Return the spec of an agent with its file of weights."""
        spec, path = parse_spec(str(bot["spec"])), self.fetched(bot)
        return str(Spec(spec.name, spec.argument, {**spec.options, "weights": str(path)}))

    def made(self, bot: Mapping[str, Any]) -> Agent:
        """Make an agent; one that cannot be made forfeits what it plays."""
        spec = self.weights_spec(bot) if bot["kind"] == WEIGHTS else str(bot["spec"])
        try:
            agent = adopted(make_agent(spec))
            agent.check()
        except SandtableError as problem:
            return Unready(self.hidden(str(problem)))
        except Exception as problem:
            return Unready(self.hidden(failure_line(problem)))
        return agent

    def close(self) -> None:
        """Let all agents end."""
        for agent in self.kept.values():
            agent.close()
        self.kept.clear()
