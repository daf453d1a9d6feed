"""Which program plays: what must be the same for games of before to count as games of today.

There are two answers, for two purposes.

**By behaviour** (``behaviour_key``), for games that are kept for good. The key of a match is a word
for the rules of its game and one for each agent, joined by dashes:

- rules: the version, and two games at random on the very game that is played: all legal actions
  of all positions, the text of some positions and of what their movers see of them, and the scores;
- an agent: its spec string, the bytes of the files of weights it says it plays with, and what it
  does in four positions out of such games on the game with its default options: the actions, and
  how many dice it threw for them.

So sources can be moved, renamed, commented and written anew. Noticed are other weights, options and
defaults, and any change of rules or agents that shows in those games and positions. Not noticed is
a change that shows nowhere there: a rule that random games never meet, what an agent does only in
rare positions, in set-ups of its own, on other boards or after a long game that it remembers. After
such an edit take a higher version of the rules, or remove the kept lines of the agent. An agent
with a clock has no fixed behaviour, and one that waits for people or other programs none at all.

**By sources** (``source_key``), for runs that were stopped and for workers elsewhere. Whoever
writes an agent edits it between two runs, so here every byte of every source counts.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from sandtable import registry
from sandtable.arena.play.plan import MatchPlan
from sandtable.compiled import PACKAGE_FOLDER
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.specs import parse_spec
from sandtable.types import OVER, State

__all__ = ["agent_behaviour", "behaviour_key", "rules_behaviour", "source_key"]

SEED = 0
PURPOSE = "behaviour"
RANDOM_GAMES = 2
MOST_ACTIONS = 2000  # of a random game; few last longer
ACTIONS_BETWEEN_TEXTS = 25
PLACES = (0.35, 0.7)  # in each game: early positions are alike, and the last ones decide nothing
WORD_BYTES = 6

# Of this package: what decides results.
PROGRAM_PARTS = (
    "adapters",
    "games",
    "agents",
    "*.py",
    *(f"arena/play/{name}.py" for name in ("plan", "game_loop", "compiled_games")),
)
COMPUTED_WITH = ("numpy", "numba", "onnxruntime", "open_spiel")
NEVER_TRIED = ("human", "external", "model")  # people, and programs that may take long
NOT_PROGRAM = ("__pycache__", ".md")  # folders and endings


def behaviour_key(plan: MatchPlan) -> str:
    """Return how the rules and the agents of a plan behave, as ``rules-agent-agent``.

    The words are hexadecimal digits: ``41d07a1c9e02-5b0c...``. An agent has the same word in all
    plans of a game.
    """
    agents = [agent_behaviour(plan.game, agent) for agent in plan.agents]
    return "-".join([rules_behaviour(plan.game), *agents])


@functools.cache
def rules_behaviour(game: str) -> str:
    """Return a word for how the rules of a game behave, given its spec string."""
    digest = hashlib.blake2b(digest_size=WORD_BYTES)
    digest.update(f"version {registry.make_game(game).version}".encode())
    for number in range(RANDOM_GAMES):
        *states, last = random_game(game, number)
        for step, state in enumerate(states):
            digest.update(np.array([state.turn, *state.legal], dtype="<i4").tobytes())
            if step % ACTIONS_BETWEEN_TEXTS == 0:
                digest.update(f"{state.line}\n{state.view(state.turn).line}\n".encode())
        digest.update(last.line.encode())
        if last.outcome is not None:
            digest.update(np.array(last.outcome.scores, dtype="<f8").tobytes())
    return digest.hexdigest()


def random_game(game: str, number: int) -> list[State]:
    """Return the positions of a game at random that is the same at all times and everywhere."""
    dice = Dice(SEED, PURPOSE, number)
    states = [registry.make_game(game).start(dice)]
    while states[-1].turn != OVER and len(states) < MOST_ACTIONS:
        legal = states[-1].legal
        states.append(states[-1].play(legal[dice.below(len(legal))], dice))
    return states


def agent_behaviour(game: str, agent: str) -> str:
    """Return a word for how an agent behaves in a game, given their spec strings."""
    return probed_behaviour(probe_of(game, agent), str(parse_spec(agent)))


def probe_of(game: str, agent: str) -> str:
    """Return the game on which an agent is tried: with default options, if it plays that."""
    plain = parse_spec(game).name
    try:
        factory, _ = registry.resolved(parse_spec(agent))
        getattr(factory, "suits", lambda game: None)(registry.make_game(plain))
    except SandtableError:
        return game
    return plain


@functools.cache
def probed_behaviour(probe: str, agent: str) -> str:
    """Return a word for what an agent is made of and does in a few positions of a game."""
    digest = hashlib.blake2b(agent.encode(), digest_size=WORD_BYTES)
    player = registry.make_agent(agent)
    try:
        for path in player.weight_files():
            digest.update(hashlib.blake2b(path.read_bytes()).digest())
        for number, state in enumerate(probe_positions(probe, player.seats)):
            dice = Dice(SEED, PURPOSE, RANDOM_GAMES + number)
            player.begin(state.game, state.turn, dice)
            chosen = player.choose(state.view(state.turn), dice)
            actions = [chosen] if isinstance(chosen, (int, np.integer)) else list(chosen)
            digest.update(np.array([len(actions), *actions], dtype="<i4").tobytes())
            digest.update(f"draws {dice.draws}".encode())
    finally:
        player.close()
    return digest.hexdigest()


@functools.cache
def throws_dice(game: str, agent: str) -> bool:
    """Say whether an agent throws dice in a few positions of a game, given their spec strings.

    Of people, outside programs and agents that cannot be tried nothing is known: they may.

    >>> throws_dice("lucid", "random"), throws_dice("lucid", "lucid/simple-blue")
    (True, False)
    """
    if parse_spec(agent).name in NEVER_TRIED:
        return True
    player = registry.make_agent(agent)
    try:
        for number, state in enumerate(probe_positions(game, player.seats)):
            dice = Dice(SEED, PURPOSE, RANDOM_GAMES + number)
            player.begin(state.game, state.turn, dice)
            player.choose(state.view(state.turn), dice)
            if dice.draws:
                return True
    except Exception:  # whatever an agent's code raises: that it repeats itself is not known
        return True
    finally:
        player.close()
    return False


def probe_positions(game: str, seats: Sequence[str]) -> list[State]:
    """Return some positions of random games, of these seats if an agent plays only some."""
    found = []
    for number in range(RANDOM_GAMES):
        states = [state for state in random_game(game, number) if state.turn != OVER]
        own = [state for state in states if not seats or state.game.seats[state.turn] in seats]
        found += [own[int(place * len(own))] for place in PLACES if own]
    return found


def source_key(games: Iterable[str], agents: Iterable[str]) -> str:
    """Return a digest of whatever decides the moves of these agents, as far as it can be known.

    These are the sources and weights of this package and of the packages the agents and games come
    from, files that are named in their options, and the versions of what they compute with. So a
    run never goes on with games that another version of an agent has played.
    """
    digest = hashlib.blake2b(digest_size=12)
    numbers = " ".join(f"{name} {version_of(name)}" for name in COMPUTED_WITH)
    digest.update(f"{sys.version_info[:2]} {numbers}".encode())
    roots = {PACKAGE_FOLDER}
    for group, specs in ((registry.GAMES, games), (registry.AGENTS, agents)):
        for text in specs:
            spec = parse_spec(text)
            if group == registry.AGENTS and spec.name == registry.FILE:
                for path in sorted(registry.file_parts(spec)[0].parent.glob("*.py")):
                    digest.update(path.name.encode() + path.read_bytes())
                continue
            roots |= package_of(registry.module_of(group, spec.name))
            for word in " ".join([spec.argument or "", *spec.options.values()]).split():
                if Path(word).is_file():
                    digest.update(word.encode() + Path(word).read_bytes())
    for part in sorted(map(folder_digest, roots)):  # in no order of paths: a key fits elsewhere too
        digest.update(part)
    return digest.hexdigest()


def version_of(package: str) -> str:
    """Return the version of a package, if it is installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def package_of(module: str) -> set[Path]:
    """Return the folder of the outermost package of a module, or its file."""
    found = importlib.util.find_spec(module.partition(".")[0])
    if found is None or found.origin is None:
        return set()
    path = Path(found.origin).resolve()
    return {path.parent if path.name == "__init__.py" else path}


@functools.cache
def folder_digest(root: Path) -> bytes:
    """Hash the files of a package that can decide games."""
    patterns = PROGRAM_PARTS if root == PACKAGE_FOLDER else ("*",)
    digest = hashlib.blake2b(digest_size=16)
    found = {path for pattern in patterns for path in root.glob(pattern)} or {root}
    files = {file for path in found for file in (path.rglob("*") if path.is_dir() else [path])}
    for file in sorted(files):
        if file.is_file() and not set(NOT_PROGRAM) & {*file.parts, file.suffix}:
            digest.update(str(file.relative_to(root.parent)).encode())
            digest.update(hashlib.blake2b(file.read_bytes()).digest())
    return digest.digest()
