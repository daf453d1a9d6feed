"""A worker: leases deals, plays them, brings them back; it may come, go and die at any time."""

from __future__ import annotations

import contextlib
import math
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandtable.errors import SandtableError
from sandtable.league.kinds import REMOTE
from sandtable.league.link import Link, NotAccepted, ServerFault, Unreachable, patiently
from sandtable.league.players import DealLost, DealPlayer
from sandtable.league.sandbox.programs import SandboxLimits, sandbox_problem
from sandtable.registry import game_names, make_game

__all__ = ["Worked", "WorkerOptions", "work", "worker_name"]

SECONDS_OF_A_LEASE = 4.0  # of play that a worker asks for at once
MOST_AT_ONCE = 32
IDLE_SECONDS = 2.0
RENEWALS = 3  # in the time of a lease
LONGEST_LEASE = 4 * 3600.0  # seconds; who needs more for a few deals hangs
MOST_FAULTS = 4  # of the server, at one result
MOST_WITHOUT_SANDBOX = 3  # deals in a row that were lost so, before nothing for one is asked for


@dataclass(frozen=True)
class WorkerOptions:
    """How a worker works."""

    folder: Path  # for files of bots
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    unprotected: bool = False  # run programs and networks without a sandbox
    deals: int | None = None  # stop after so many
    until_idle: bool = False  # stop when nothing is played or to be played
    idle_seconds: float = IDLE_SECONDS
    seconds: float | None = None  # begin nothing new after so long


@dataclass
class Worked:
    """What a worker has done."""

    deals: int = 0
    games: int = 0
    lost: int = 0  # deals that were given back
    without_sandbox: int = 0  # of those, for want of a sandbox, since a deal was last played


def worker_name() -> str:
    """Return a name for a worker: its machine, and something of its own."""
    host = "".join(each for each in socket.gethostname() if each.isalnum() or each in "-.")[:24]
    return f"{host or 'worker'}-{secrets.token_hex(3)}"


def games_here() -> dict[str, int]:
    """Return the installed games with the versions of their rules; broken plug-ins are left out."""
    found = {}
    for name in game_names():
        with contextlib.suppress(SandtableError):
            found[name] = make_game(name).version
    return found


def work(
    link: Link,
    options: WorkerOptions,
    tell: Callable[[str], None],
    progress: Callable[[Worked], None] = lambda done: None,
) -> Worked:
    """Work until Ctrl-C, or until what the options say; what is begun at Ctrl-C is given back."""
    player = DealPlayer(link, options.folder, options.limits, unprotected=options.unprotected)
    asked: dict[str, Any] = {
        "worker": worker_name(),
        "sandbox": options.unprotected or not sandbox_problem(),
        "games": games_here(),
    }
    done, pace = Worked(), 1
    until = time.monotonic() + (math.inf if options.seconds is None else options.seconds)
    try:
        while time.monotonic() < until and (options.deals is None or done.deals < options.deals):
            asked["most"] = pace if options.deals is None else min(pace, options.deals - done.deals)
            lease = patiently(lambda: link.post("/api/work/lease", asked), tell)
            if not lease["deals"]:
                if options.until_idle and not lease["elsewhere"]:
                    break
                time.sleep(options.idle_seconds)
                continue
            began = time.monotonic()
            before, lost = done.deals, done.lost
            play_lease(link, player, lease, asked, done, tell, progress)
            if done.without_sandbox >= MOST_WITHOUT_SANDBOX and asked["sandbox"]:
                tell("there is no sandbox here any more; programs and weights are left to others")
                asked["sandbox"] = False
            if done.lost > lost:  # whatever it was, it may be over by then
                time.sleep(options.idle_seconds)
            seconds = (time.monotonic() - began) / max(done.deals - before, 1)
            pace = max(1, min(2 * pace, int(SECONDS_OF_A_LEASE / max(seconds, 1e-3)), MOST_AT_ONCE))
    finally:
        player.close()
    return done


def play_lease(
    link: Link,
    player: DealPlayer,
    lease: Mapping[str, Any],
    asked: Mapping[str, Any],
    done: Worked,
    tell: Callable[[str], None],
    progress: Callable[[Worked], None],
) -> None:
    """Play the deals of a lease one after the other, and bring each back when it is over."""
    token, left, lost = str(lease["lease"]), list(lease["deals"]), []
    about = {"lease": token, "worker": asked["worker"], "sandbox": asked["sandbox"]}
    try:
        with renewed(link, about, float(lease["seconds"])):
            while left:
                try:
                    lines = player.play(token, left[0])
                    bring(link, {"lease": token, "deal": left[0]["deal"], "records": lines}, tell)
                except DealLost as problem:
                    tell(f"deal {left[0]['deal']} is given back: {problem}")
                    lost.append(int(left[0]["deal"]))
                    done.lost += 1
                    done.without_sandbox += problem.sandbox
                    break
                except BaseException:
                    if has_remote_bot(left[0]):  # who saw something of it gets other dice next time
                        lost.append(int(left[0]["deal"]))
                    raise
                del left[0]
                done.deals += 1
                done.games += len(lines)
                done.without_sandbox = 0
                progress(done)
    finally:
        if left:  # others may have what is not played
            with contextlib.suppress(Unreachable, NotAccepted):
                link.post("/api/work/release", {"lease": token, "lost": lost}, 5.0)


def has_remote_bot(deal: Mapping[str, Any]) -> bool:
    """Say whether somebody plays who may remember a game that was broken off."""
    return any(bot["kind"] == REMOTE for bot in deal["bots"])


def bring(link: Link, result: Mapping[str, Any], tell: Callable[[str], None]) -> None:
    """Bring the records of a deal; one that the server does not take is lost, and no other."""
    try:
        patiently(lambda: link.post("/api/work/result", result), tell, faults=MOST_FAULTS)
    except (NotAccepted, ServerFault) as problem:
        raise DealLost(f"the server does not take its result: {problem}") from None


@contextlib.contextmanager
def renewed(link: Link, about: Mapping[str, Any], seconds: float) -> Iterator[None]:
    """Renew a lease from time to time, beside the play."""
    ended = threading.Event()

    def renew() -> None:
        until = time.monotonic() + LONGEST_LEASE
        while not ended.wait(seconds / RENEWALS) and time.monotonic() < until:
            with contextlib.suppress(Unreachable, NotAccepted):
                link.post("/api/work/renew", about, seconds)

    beside = threading.Thread(target=renew, daemon=True)
    beside.start()
    try:
        yield
    finally:
        ended.set()
