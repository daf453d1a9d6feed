"""Bots that are weights of strangers: the agent plays here, its ONNX graphs run in the sandbox.

A graph is a program: it can hold loops that never end and ask for all memory there is. So each has
a process of its own with numpy and onnxruntime alone (``network_program.py``), a clock for every
answer, and the limits of programs. Other files of weights are rows of numbers and are read here.
The agent and its processes are made anew for each game, as programs are.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, CompiledPolicy
from sandtable.agents.external.agent import EXIT_PRIORITY
from sandtable.agents.external.program import Program, shortened
from sandtable.agents.onnx_files import OnnxSession, sessions_opened_by
from sandtable.dice import Dice
from sandtable.errors import Forfeit, SandtableError, StopGame
from sandtable.league.sandbox.programs import NO_SANDBOX, SandboxLimits, launch_words
from sandtable.types import Game, Outcome, State

__all__ = ["GuardedWeights", "SandboxedNetwork"]

PROGRAM = Path(__file__).with_name("network_program.py")
PACKAGES = ("numpy", "onnxruntime")
LONGEST_ANSWER = 16_000_000  # bytes
SECONDS_TO_OPEN = 20.0


def network_words(limits: SandboxLimits) -> list[str]:
    """Return the command that starts a process for a graph."""
    folders = tuple(sorted({package_folder(name) for name in PACKAGES}))
    python = str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
    return launch_words(
        PROGRAM, replace(limits, shown=folders), folders, (python, "-I", "-S", "-B")
    )


def package_folder(name: str) -> str:
    """Return the folder from which a package is imported.

    >>> Path(package_folder("numpy"), "numpy").is_dir()
    True
    """
    found = find_spec(name)
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).resolve().parents[1])


class GraphFailed(Exception):
    """What onnxruntime has said of a graph."""


class SandboxedNetwork:
    """A graph in a process of its own; the first mistake ends it."""

    def __init__(self, data: bytes, limits: SandboxLimits, seconds: float) -> None:
        self.seconds = seconds
        self.program = Program(network_words(limits))
        self.ended = Finalize(self, self.program.stop, exitpriority=EXIT_PRIORITY)
        answer = self.ask(base64.b64encode(data), SECONDS_TO_OPEN)
        self._notes = {str(name): str(text) for name, text in dict(answer["notes"]).items()}

    @property
    def notes(self) -> Mapping[str, str]:
        """What its file says about it."""
        return self._notes

    def run(
        self, names: Sequence[str], inputs: Mapping[str, NDArray[np.float32]]
    ) -> list[NDArray[np.float32]]:
        """Return the outputs of these names."""
        packed = {name: written(values) for name, values in inputs.items()}
        question = json.dumps({"names": list(names), "inputs": packed})
        answer = self.ask(question.encode(), self.seconds)
        try:
            found = [read(shape, text) for shape, text in answer["outputs"]]
        except (ValueError, TypeError, KeyError):
            self.close()
            raise Forfeit("its network answered with what are no numbers") from None
        return found

    def ask(self, line: bytes, seconds: float) -> dict[str, Any]:
        """Ask the process; GraphFailed is what the graph itself cannot do."""
        try:
            if not self.program.usable:
                raise Forfeit("its network does not run any more")
            text = self.program.ask(line, seconds, LONGEST_ANSWER)
            answer: dict[str, Any] = json.loads(text)
            if "error" in answer:
                raise GraphFailed(f"its network failed: {shortened(str(answer['error']), 200)}")
        except Forfeit as problem:
            code = self.program.process.poll()
            self.close()
            if code == NO_SANDBOX:
                raise StopGame from None
            raise Forfeit(f"its network: {problem}") from None
        except BaseException:  # also when a clock outside breaks in
            self.close()
            raise
        return answer

    def close(self) -> None:
        """End the process."""
        self.ended.cancel()
        self.program.stop()


def written(values: NDArray[np.float32]) -> tuple[list[int], str]:
    """Write an array for the process."""
    array = np.ascontiguousarray(values, dtype="<f4")
    return list(array.shape), base64.b64encode(array.tobytes()).decode()


def read(shape: Any, text: Any) -> NDArray[np.float32]:
    """Read an array of the process; a ValueError or TypeError says that it is none.

    >>> read(*written(np.ones((1, 2), dtype=np.float32))).tolist()
    [[1.0, 1.0]]
    """
    return np.frombuffer(base64.b64decode(text), "<f4").astype(np.float32).reshape(shape)


class GuardedWeights(Agent):
    """An agent that plays with a stranger's weights; ``make`` makes it anew for each game."""

    def __init__(self, make: Callable[[], Agent], limits: SandboxLimits, seconds: float) -> None:
        self.make, self.limits, self.seconds = make, limits, seconds
        self.agent: Agent | None = None
        self.networks: list[SandboxedNetwork] = []
        self.lost = False  # there was no sandbox: that is not the bot's fault

    def opened(self, data: bytes) -> OnnxSession:
        """Open a graph in the sandbox."""
        network = SandboxedNetwork(data, self.limits, self.seconds)
        self.networks.append(network)
        return network

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Let all graphs that are opened inside run in the sandbox."""
        try:
            with sessions_opened_by(self.opened):
                yield
        except StopGame:
            self.lost = True
            raise
        except Forfeit:
            raise
        except SandtableError as problem:
            inside = problem.__cause__
            more = f" ({inside})" if isinstance(inside, GraphFailed) else ""
            raise Forfeit(f"{problem}{more}") from None

    def made(self) -> Agent:
        """Return the agent of this game."""
        if self.agent is None:
            self.agent = self.make()
            self.agent.check()
        return self.agent

    def policy(self, game: Game) -> CompiledPolicy | None:
        """Return the way to act inside kernels, for agents whose weights are rows of numbers."""
        try:
            with self.guarded():
                return self.made().policy(game)
        except Exception:  # whatever it is: the first game says what is wrong, and blames the bot
            return None

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Make the agent anew, and let it get ready."""
        self.close()
        with self.guarded():
            self.made().begin(game, seat, dice)

    def choose(self, view: State, dice: Dice) -> int | Sequence[int]:
        """Let the agent choose."""
        with self.guarded():
            return self.made().choose(view, dice)

    def watch(self, view: State, action: int | None) -> None:
        """Let the agent look on."""
        with self.guarded():
            self.made().watch(view, action)

    def finish(self, outcome: Outcome | None) -> None:
        """Let the agent hear how the game ended, and end what it has running."""
        if self.agent is not None:
            with self.guarded():
                self.agent.finish(outcome)
        self.close()

    def close(self) -> None:
        """End what is running."""
        agent, self.agent = self.agent, None
        if agent is not None:
            agent.close()
        for network in self.networks:
            network.close()
        self.networks.clear()
