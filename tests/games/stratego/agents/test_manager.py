"""Programs of the contest of 2012 behind docs/examples/stratego_manager.py: what they are told."""

from __future__ import annotations

import json
import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from agents.programs import wait_until_gone
from sandtable.agents.external.agent import External
from sandtable.arena.play.game_loop import play_game
from sandtable.registry import make_agent, make_game

BRIDGE = Path(__file__).parents[4] / "docs/examples/stratego_manager.py"
RULES = "setup=choose,two_squares=0,more_squares=false"

# Keeps a board of its own from nothing but the results it is told, and logs it after each of them.
LITTLE = '''\
import json, os, random, sys
STEPS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
say, hear = (lambda text: print(text, flush=True)), (lambda: sys.stdin.readline().split())
colour, opponent, width, height = hear()
assert (opponent, width, height) == ("sandtable", "10", "10")
rows = ["9999999917", "2334445555", "666677788s", "8B8B8BBBBF"]
for row in rows if colour == "BLUE" else rows[::-1]:
    say(row)
dice, board, log = random.Random(int(sys.argv[2])), None, open(sys.argv[1], "a", buffering=1)

def record(told):
    log.write(json.dumps({"pid": os.getpid(), "told": told, "board": board}) + "\\n")

def update(words):
    """Play a move on the own board; own pieces are letters, others # until their rank is told."""
    x, y = int(words[0]), int(words[1])
    far = int(words[3]) if words[3].isdigit() else 1
    result = words[4:] if words[3].isdigit() else words[3:]
    across, down = STEPS[words[2]]
    target = x + far * across, y + far * down
    mover, board[y][x] = board[y][x], "."
    enemy = mover.startswith("#")
    if result[0] == "OK":
        board[target[1]][target[0]] = "#9" if enemy and far > 1 else mover
    elif result[0] == "KILLS":
        board[target[1]][target[0]] = "#" + result[1] if enemy else mover
    elif result[0] == "DIES":
        board[target[1]][target[0]] = result[2] if enemy else "#" + result[2]
    elif result[0] == "BOTHDIE":
        board[target[1]][target[0]] = "."
    record(words)
    return result[0] != "VICTORY_FLAG"

def moves():
    """List what this player may do; long ways too."""
    for y in range(10):
        for x in range(10):
            if board[y][x] in ".+BF" or board[y][x].startswith("#"):
                continue
            for name, (across, down) in STEPS.items():
                for far in range(1, 10 if board[y][x] == "9" else 2):
                    i, j = x + far * across, y + far * down
                    if not (0 <= i < 10 and 0 <= j < 10):
                        break
                    if board[j][i] == "." or board[j][i].startswith("#"):
                        text = f"{x} {y} {name}" + (f" {far}" if far > 1 else "")
                        yield board[j][i] != ".", text
                    if board[j][i] != ".":
                        break

while True:
    words = hear()
    if words[0] == "QUIT":
        break
    if board is not None and not update(words):
        break
    shown = [list(hear()[0]) for _ in range(10)]
    if board is None:  # the first move of the other side is on this board already
        board = shown
        record(words)
    assert shown == [[piece[0] for piece in row] for row in board], "the boards differ"
    attacks, quiet = ([text for fight, text in moves() if fight == kind] for kind in (True, False))
    say(dice.choice(attacks if attacks and dice.random() < 0.7 else quiet or attacks))
    words = hear()
    if words[0] == "QUIT" or not update(words):
        break
'''


@pytest.fixture(scope="module")
def bridge():
    spec = spec_from_file_location("stratego_manager", BRIDGE)
    module = module_from_spec(spec)
    sys.modules["stratego_manager"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def manager(tmp_path):
    """Return a maker of agents: the bridge with a program of the contest behind it."""
    made = []

    def make(source: str, *words: object, seconds: float = 20.0) -> External:
        path = tmp_path / "little.py"
        path.write_text(source)
        python = f"'{sys.executable}' -S -E"
        arguments = " ".join(f"'{word}'" for word in words)
        made.append(External(f"{python} {BRIDGE} {python} '{path}' {arguments}", seconds))
        return made[-1]

    yield make
    for agent in made:
        agent.close()


def contest_board(line: str, seat: int) -> list[list[str]]:
    """Return a whole position as the contest's player of a seat may know it."""
    ranks = dict(zip("T98765432SBF", "123456789sBF", strict=True))
    board = []
    for row in reversed(line.split(maxsplit=1)[0].split("/")):
        cells: list[str] = []
        for owner, rank, known, empty, lake in re.findall(r"([rb])(.)(!?)'?|([0-9]+)|(~)", row):
            if owner == "rb"[seat]:
                cells.append(ranks[rank])
            elif owner:
                cells.append("#" + (ranks[rank] if known else ""))
            else:
                cells += ["+"] if lake else ["."] * int(empty)
        board.append(cells[::-1])
    return board


@pytest.mark.parametrize("seat", [0, 1])
def test_what_a_program_is_told_agrees_with_the_game(manager, tmp_path, seat):
    game = make_game(f"stratego:{RULES},max_plies=500")
    log = tmp_path / "log"
    agents = [make_agent("random"), make_agent("random")]
    agents[seat] = manager(LITTLE, log, 7)
    after = []
    played = play_game(
        game,
        agents,
        specs=["a", "b"],
        seed=3,
        number=0,
        watcher=lambda before, who, actions, state: after.append(state.line),
    )
    agents[seat].close()  # the last lines are read by then
    outcome = played.record.outcome
    assert outcome.forfeited_by is None, outcome.reason
    told = [json.loads(line) for line in log.read_text().splitlines()]
    boards = [contest_board(line, seat) for line in after if "setup" not in line]
    del boards[:seat]  # Red is shown the start, Blue the board after the first move
    assert len(told) == len(boards) > 80
    assert told[0]["told"][0] == "START" if seat == 0 else told[0]["told"][-1] == "OK"
    last = len(told) - ("#flag" in after[-1])
    for number, (mine, true) in enumerate(zip(told[:last], boards[:last], strict=True)):
        assert mine["board"] == true, f"after {' '.join(mine['told'])}, move {number}"
    words = {word for each in told for word in each["told"]}
    assert {"OK", "KILLS", "DIES", "BOTHDIE"} <= words
    assert any(each["told"][3:4] > ["1"] and each["told"][3].isdigit() for each in told)
    wait_until_gone(told[0]["pid"])


SETS_UP = LITTLE.split("dice, board", maxsplit=1)[0]
FAULTS = {
    "it dies at once": ("raise SystemExit('no licence')", "the program ended with 1: no licence"),
    "a set-up of other pieces": (
        "print('F' * 10 + '\\n' + '\\n'.join(['9' * 10] * 3))",
        f"not a set-up of all 40 pieces: {' '.join(['F' * 10] + ['9' * 10] * 3)}",
    ),
    "it dies in the game": (SETS_UP + "hear(); 1 / 0", "the program ended with 1: ZeroDivision"),
    "nonsense": (SETS_UP + "say('NO_MOVE')", "not a move such as 3 6 UP: NO_MOVE"),
    "surrender": (SETS_UP + "say('SURRENDER')", "it surrenders"),
    "out of the board": (SETS_UP + "say('0 3 LEFT')", "a move that leaves the board: 0 3 LEFT"),
    "an illegal move": (SETS_UP + "say('0 0 DOWN 2')", "an illegal move: 0 0 DOWN 2 (j1-j3)"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_program_that_fails_forfeits_with_one_reason(manager, fault):
    source, reason = FAULTS[fault]
    game = make_game(f"stratego:{RULES}")
    agents = [manager(source), make_agent("random")]
    outcome = play_game(game, agents, specs=["a", "b"], seed=1, number=0).record.outcome
    assert outcome.forfeited_by == 0
    assert reason in outcome.reason
    assert "\n" not in outcome.reason


def test_a_program_that_hangs_is_killed(manager, tmp_path):
    pid = tmp_path / "pid"
    write = f"\nimport os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    game = make_game(f"stratego:{RULES}")
    agents = [manager(SETS_UP + write, seconds=1.0), make_agent("random")]
    outcome = play_game(game, agents, specs=["a", "b"], seed=1, number=0).record.outcome
    assert outcome.reason == "red forfeits: no answer within 1 s"
    wait_until_gone(int(pid.read_text()))


@pytest.mark.parametrize(
    ("spec", "reason"),
    [("stratego", "setup=choose"), ("stratego:variant=mini,setup=choose", "the large board")],
)
def test_games_that_do_not_fit_are_refused(manager, spec, reason):
    agents = [manager(LITTLE), make_agent("random")]
    outcome = play_game(make_game(spec), agents, specs=["a", "b"], seed=1, number=0).record.outcome
    assert outcome.forfeited_by == 0
    assert reason in outcome.reason


def test_moves_and_results_in_the_words_of_the_contest(bridge):
    for text in ("0 0 DOWN", "9 3 DOWN 6", "4 9 UP 9", "2 6 LEFT 2", "2 6 RIGHT"):
        ends = bridge.squares_of(bridge.read_move(text))
        assert bridge.written_move(*ends) == text
    assert bridge.read_move("9 3 DOWN 6") == "a4-a10"
    rest = "10/10/2~~2~~2/2~~2~~2/10/10/10/10"
    before = bridge.View(f"bFb?8/rS9/{rest} r 8/0 -/- -/- - -")
    after = bridge.View(f"rSb?8/10/{rest} r#flag 9/0 -/F -/- - -")
    assert bridge.result(before, after, (9, 8), (9, 9)) == "VICTORY_FLAG"
    assert before.drawing("r").splitlines()[-2:] == [".........s", "........##"]
