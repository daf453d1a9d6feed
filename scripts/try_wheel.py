"""Install a wheel into an environment of its own, and try what a plain install promises.

    python scripts/try_wheel.py dist [--python PYTHON]

Every bundled agent plays, every command tells its help, and what needs an extra names it. It works
on every system, without make.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WINDOWS = os.name == "nt"
MEGABYTE = 2**20
LARGEST = 400  # of these; what a plain install may add
# These play only with something beside them: a person, a program, a service, weights.
NOT_ALONE = {"external", "human", "model", "network", "openspiel", "response", "table"}
LIST = """
import json
from sandtable.registry import agent_names, game_names
print(json.dumps({game: agent_names(game) for game in game_names()}))
"""
COMMANDS = "from sandtable.cli.main import COMMANDS; print(*COMMANDS)"
PLAY = """
import sys
from sandtable.arena.play.game_loop import play_game
from sandtable.errors import StopGame
from sandtable.registry import make_agent, make_game

def enough(before, seat, actions, after):
    seen.append(seat)
    if seen.count(tried) == 3:
        raise StopGame("enough")

game, spec = make_game(sys.argv[1]), sys.argv[2]
for tried in range(len(game.seats)):  # some agents play one seat only
    seen, specs = [], ["random"] * len(game.seats)
    specs[tried] = spec
    agents = [make_agent(each) for each in specs]
    outcome = play_game(game, agents, specs=specs, seed=1, number=0, watcher=enough).record.outcome
    if outcome is None or outcome.forfeited_by != tried:
        break
else:
    sys.exit(0 if "WrongSeats" in outcome.reason else outcome.reason)
print("played")
"""
# A command line that needs an extra, and its name.
EXTRAS = {
    "serve --port 0": "web",
    "mcp": "mcp",
    "train stratego/policy --out run": "learn",
    "match lucid random random --games 2 --cluster 127.0.0.1:1": "cluster",
    "match lucid random random --games 2 --archive games.db": "archive",
    "archive list games.db": "archive",
    "league new open skirmish": "archive",
    "league serve": "web",
    "show lucid --out board.png": "png",
    "match openspiel.tic_tac_toe random random --games 2": "interop",
    "match lucid model:any,url=http://127.0.0.1:9/v1 random --games 2": "models",
}


class Environment:
    """A virtual environment with the wheel in it."""

    def __init__(self, folder: Path, python: str, wheel: Path) -> None:
        self.folder = folder
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
        self.programs = folder / ("Scripts" if WINDOWS else "bin")
        before = self.size()
        self.run("python", "-m", "pip", "install", "--quiet", str(wheel))
        self.installed = self.size() - before

    def size(self) -> int:
        """Return how many bytes all its files have."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())

    def run(self, program: str, *words: str, good: bool = True) -> str:
        """Run a program of it away from the sources; return what it said."""
        settings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        settings |= {"SANDTABLE_CACHE": str(self.folder / "kernels"), "PYTHONUTF8": "1"}
        settings["RAY_AUTH_TOKEN"] = "x" * 64  # without one nothing of a cluster is tried
        done = subprocess.run(
            [str(self.programs / program), *words], cwd=self.folder, env=settings, check=False,
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace",
        )  # fmt: skip
        said = done.stdout + done.stderr
        if good and done.returncode:
            raise SystemExit(f"error: {program} {' '.join(words)[:200]}\n{said}")
        return said


def try_agents(installed: Environment) -> int:
    """Let every bundled agent play a part of a game; return how many those were."""
    tried: set[str] = set()
    played: set[str] = set()
    games = json.loads(installed.run("python", "-c", LIST))
    for game, agents in games.items():
        for agent in sorted(set(agents) - NOT_ALONE):
            began = time.monotonic()
            told = installed.run("python", "-c", PLAY, game, agent)
            tried.add(agent)
            if "played" not in told:
                continue  # it plays games of another kind
            played.add(agent)
            print(f"  {game}: {agent} ({time.monotonic() - began:.1f} s)", flush=True)
    if tried != played:
        raise SystemExit(f"error: these played no game: {', '.join(sorted(tried - played))}")
    return len(played)


def try_commands(installed: Environment) -> None:
    """See that every command tells its help, and names the extra that it needs."""
    for command in installed.run("python", "-c", COMMANDS).split():
        assert "Usage" in installed.run("sandtable", command, "--help"), command
    installed.run("sandtable", *["match", "lucid", "lucid/simple-blue", "lucid/axes-red"],
                  *["--games", "20", "--archive", "games.jsonl"])  # fmt: skip
    installed.run("sandtable", "league", "client")
    for line, extra in EXTRAS.items():
        said = installed.run("sandtable", *line.split(), good=False)
        wanted = f"sandtable-games[{extra}]"
        if wanted not in said or "Traceback" in said:
            raise SystemExit(f"error: sandtable {line}: no word of the extra {extra}\n{said}")


def main() -> None:
    """Install and try."""
    options = argparse.ArgumentParser(description="Install a wheel, and try it.")
    options.add_argument("folder", type=Path, help="where the wheel is")
    options.add_argument("--python", default=sys.executable)
    options.add_argument("--commands-only", action="store_true", help="without the agents")
    wanted = options.parse_args()
    (wheel,) = wanted.folder.resolve().glob("*.whl")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        installed = Environment(Path(name), wanted.python, wheel)
        print(installed.run("sandtable", "--version").strip(), "with", end=" ", flush=True)
        print(installed.run("python", "--version").strip(), flush=True)
        size = installed.installed / MEGABYTE
        print(f"{size:.0f} MB with compiled modules", flush=True)
        if size > LARGEST:
            raise SystemExit(f"error: a plain install adds more than {LARGEST} MB")
        try_commands(installed)
        print(f"every command works or names its extra ({len(EXTRAS)} do)", flush=True)
        if not wanted.commands_only:
            print(f"{try_agents(installed)} agents played", flush=True)


if __name__ == "__main__":
    main()
