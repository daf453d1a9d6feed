"""Compiling a game's kernels for a page, in a process of its own, and keeping the result.

Numba has to be told before it is imported that nothing shall be optimised for the machine it runs
on: hence the process. What comes out depends on the sources of the kernels and on the programs'
constants alone, so it lies in the folder of compiled kernels, by a digest of these.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sandtable.agent import CompiledPolicy
from sandtable.compiled import ROOTS, cache_folder, identity, plain_function
from sandtable.errors import SandtableError, WrongSeats
from sandtable.files import write_whole
from sandtable.registry import make_agent, make_game
from sandtable.types import Game

__all__ = ["Programs", "compiled_game", "constants_digest", "policies_of", "rules_of"]

RULES = ("start", "turn", "legal", "apply", "score", "hide")
# Nothing for this machine: LLVM optimises for the browser afterwards.
PLAIN = {
    "NUMBA_OPT": "0",
    "NUMBA_LOOP_VECTORIZE": "0",
    "NUMBA_SLP_VECTORIZE": "0",
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
}

Programs = Sequence[Sequence[str]]  # specs of agents, those together that share a kernel


def compiled_game(game: Game, programs: Programs) -> bytes:
    """Return the WebAssembly module of a game and of programs for it.

    It exports the rules by their names, and ``choose_0`` and so on for each group of programs.
    The first time takes half a minute; after that it is read from where compiled kernels are kept.
    """
    kept = kept_path(game, programs)
    if not kept.is_file():
        write_whole(kept, compile_apart(game.spec, programs))
    return kept.read_bytes()


def policies_of(game: Game, specs: Iterable[str]) -> list[CompiledPolicy]:
    """Return the kernels by which agents play a game; WrongSeats names one that has none."""
    found = []
    for spec in specs:
        policy = make_agent(spec).policy(game)
        if policy is None:
            raise WrongSeats(
                f"'{spec}' plays with Python, which a page does not have; "
                "programs whose policy is a kernel can play there"
            )
        found.append(policy)
    return found


def rules_of(game: Game) -> list[Any]:
    """Return the kernels of a game's rules that a page needs."""
    return [getattr(game.rules, name) for name in RULES]


def kept_path(game: Game, programs: Programs) -> Path:
    """Return where the module is kept."""
    import llvmlite

    groups = [policies_of(game, specs) for specs in programs]
    kernels = [*rules_of(game), *(policy.act for group in groups for policy in group)]
    facts = [game.position_size, game.action_count, len(game.seats), llvmlite.__version__]
    digest = hashlib.blake2b(json.dumps(facts).encode(), digest_size=12)
    for own in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(own.read_bytes())
    for kernel in kernels:
        digest.update(identity(kernel).encode())
    for group in groups:
        for policy in group:
            digest.update(f"{policy.memory} {constants_digest(policy.constants)}".encode())
    roots = frozenset[Path]().union(*(ROOTS.get(plain_function(each), ()) for each in kernels))
    return cache_folder(roots) / f"page-{digest.hexdigest()}.wasm"


def constants_digest(constants: Any) -> str:
    """Return what tells constants of a policy apart from others.

    >>> constants_digest(np.zeros(2)) == constants_digest(np.zeros(3))
    False
    """
    digest = hashlib.blake2b(type(constants).__name__.encode(), digest_size=12)
    for each in constants if isinstance(constants, tuple) else (constants,):
        array = np.ascontiguousarray(each)
        digest.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()


def compile_apart(spec: str, programs: Programs) -> bytes:
    """Compile in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="sandtable-page-") as folder:
        out = Path(folder) / "game.wasm"
        asked = json.dumps([spec, programs, str(out)])
        done = subprocess.run(
            [sys.executable, "-m", "sandtable.pages.compiler"],
            input=asked,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **PLAIN, "SANDTABLE_CACHE": folder, "PYTHONWARNINGS": "ignore"},
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["no word why"]
            raise SandtableError(f"{spec} cannot be compiled for a page: {lines[-1]}")
        return out.read_bytes()


def main() -> None:
    """Compile what standard input asks for."""
    from sandtable.pages.entries import choice_entry, rules_entries
    from sandtable.pages.webassembly import webassembly

    spec, programs, out = json.load(sys.stdin)
    game = make_game(spec)
    entries = rules_entries(game)
    for number, specs in enumerate(programs):
        entries.append(choice_entry(f"choose_{number}", game, policies_of(game, specs)))
    Path(out).write_bytes(webassembly(entries))


if __name__ == "__main__":
    try:
        main()
    except SandtableError as problem:
        sys.exit(str(problem))
    except KeyboardInterrupt:
        sys.exit(130)
