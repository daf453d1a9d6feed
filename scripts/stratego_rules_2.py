"""Carry the kept games of Stratego from version 1 of the rules over to version 2; used once.

Every line of ``results/stratego.games.jsonl`` names its game and, as ``program``, how rules and
agents behaved. Under the paper's rules nothing has changed, since they have no rule against
repetition: those lines keep their game. All others get ``repetition=version-1``, which plays what
they were played by. A line is carried over only if the words for its rules and agents can be made
again from what is installed: from the same random games, with the same legal actions, texts and
scores, on the old reading, and the same decisions of the agents in them.

    python scripts/stratego_rules_2.py results/stratego.games.jsonl

Puzzles are carried over too, if the position has the same moves under both versions:

    python scripts/stratego_rules_2.py src/sandtable/games/stratego/puzzles.jsonl
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from sandtable.arena.play import behaviour
from sandtable.arena.play.behaviour import agent_behaviour, probed_behaviour, rules_behaviour
from sandtable.arena.play.kept_games import compact
from sandtable.games.stratego.game import line_of_version_1
from sandtable.registry import make_game
from sandtable.types import State

OLD_VERSION = 1
OPTION = "repetition=version-1"


def carried(game: str) -> str:
    """Return the spec of a game of version 1 as it is played today."""
    if "ends=paper" in game:
        return game
    return make_game(f"{game}{',' if ':' in game else ':'}{OPTION}").spec


def old_line(state: State) -> str:
    """Return a position as version 1 wrote it, which had no word for how it read its rules."""
    return state.line.replace(f",{OPTION}", "").replace(f" {OPTION}", " -")


@functools.cache
def old_rules_word(game: str) -> str:
    """Return what ``rules_behaviour`` said of a game in version 1, made of today's rules."""
    digest = hashlib.blake2b(digest_size=behaviour.WORD_BYTES)
    digest.update(f"version {OLD_VERSION}".encode())
    for number in range(behaviour.RANDOM_GAMES):
        *states, last = behaviour.random_game(carried(game), number)
        for step, state in enumerate(states):
            digest.update(np.array([state.turn, *state.legal], dtype="<i4").tobytes())
            if step % behaviour.ACTIONS_BETWEEN_TEXTS == 0:
                view = old_line(state.view(state.turn))
                digest.update(f"{old_line(state)}\n{view}\n".encode())
        digest.update(old_line(last).encode())
        if last.outcome is not None:
            digest.update(np.array(last.outcome.scores, dtype="<f8").tobytes())
    return digest.hexdigest()


def carry_over(line: str) -> str:
    """Return a line as it is kept under version 2, or raise a ValueError that says what differs."""
    data = json.loads(line)
    game, agents = data["game"], data["agents"]
    # agents were tried on the game with default options, which were those of version 1
    words = [probed_behaviour(f"stratego:{OPTION}", agent) for agent in agents]
    found = "-".join([old_rules_word(game), *words])
    if found != data["program"]:
        raise ValueError(f"{game}, {' - '.join(agents)}: kept {data['program']}, found {found}")
    data["game"] = carried(game)
    today = [agent_behaviour(data["game"], agent) for agent in agents]
    data["program"] = "-".join([rules_behaviour(data["game"]), *today])
    return compact(data)


def carry_puzzle(line: str) -> str:
    """Return a puzzle as one of version 2, or raise a ValueError if it has other moves there."""
    data = json.loads(line)
    if data["version"] != OLD_VERSION:
        return line
    before = make_game(carried(data["game"])).parse(line_of_version_1(data["position"]))
    now = make_game(data["game"]).parse(data["position"])
    if set(before.legal_names) != set(now.legal_names) or not set(data["values"]) <= set(
        now.legal_names
    ):
        raise ValueError(f"{data['game']}, {data['position']}: other moves under version 2")
    return compact(data | {"version": 2})


def main() -> None:
    """Carry a whole file over, or leave it as it was."""
    path = Path(sys.argv[1])
    lines = path.read_text("utf-8").splitlines()
    puzzles = '"format":"sandtable-puzzle"' in lines[0]
    carried_lines = [carry_puzzle(line) if puzzles else carry_over(line) for line in lines]
    path.write_text("".join(f"{line}\n" for line in carried_lines), "utf-8")
    print(f"{len(lines)} lines carried over")


if __name__ == "__main__":
    main()
