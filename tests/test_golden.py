"""Golden playthroughs: games whose every position is written down, so that a change is seen.

A difference is either a mistake or a change of the rules, of a notation or of an agent that was
meant. If it was meant, look at the difference and renew the files with

    SANDTABLE_UPDATE_GOLDEN=1 pytest tests/test_golden.py

and raise the version of the game if the same actions and dice now lead elsewhere.
"""

import os
from importlib.metadata import distribution
from pathlib import Path

import pytest

from sandtable.arena.play.game_loop import play_game
from sandtable.dice import Dice
from sandtable.errors import DISTRIBUTION
from sandtable.registry import GAMES, make_agent, make_game
from sandtable.types import Game, State

FOLDER = Path(__file__).parent / "games"
SEED = 1
BUILT_IN = sorted(
    point.name for point in distribution(DISTRIBUTION).entry_points if point.group == GAMES
)
# Who plays; a game that is not named here is played by random agents only.
PAIRINGS = {"lucid": [["lucid/simple-blue", "lucid/axes-red"]]}
# With which options, where games with none are too long to be read.
SPECS = {"stratego": ["stratego:variant=mini,setup=choose", "stratego:max_plies=60"]}


def playthrough(game: Game, specs: list[str], number: int) -> list[str]:
    """Play a game and tell it: who played what, and the position after each turn."""
    agents = [make_agent(spec) for spec in specs]
    record = play_game(game, agents, specs=specs, seed=SEED, number=number).record
    dice = Dice(SEED, "game", number)
    state = game.start(dice)
    which = f" of {game.spec}" if game.options else ""
    lines = [f"# {' against '.join(specs)}{which}: seed {SEED}, game {number}", state.line]
    turn: list[str] = []
    for action in record.actions:
        turn.append(game.notation.action_name(action))
        before, state = state, state.play(action, dice)
        if (
            game.turn_ending_actions is None
            or action in game.turn_ending_actions
            or state.turn != before.turn
        ):
            lines += told(game, before, turn), *shown(state)
            turn = []
    assert state.line == record.final
    return [*lines, f"{state.outcome.scores} {state.outcome.reason}", ""]


def told(game: Game, before: State, turn: list[str]) -> str:
    return f"{game.seats[before.turn]}: {' '.join(turn)}"


def shown(state: State) -> list[str]:
    """Return the position, and the views that show less of it."""
    views = [state.view(seat).line for seat in range(len(state.game.seats))]
    hidden = zip(state.game.seats, views, strict=True) if state.game.hidden else ()
    return [state.line, *(f"  {name} sees {view}" for name, view in hidden)]


def whole_text(name: str) -> str:
    games = [make_game(spec) for spec in SPECS.get(name, [name])]
    facts = f"{games[0].title}, version {games[0].version} of the rules"
    pairings = [*PAIRINGS.get(name, []), ["random"] * len(games[0].seats)]
    told = [
        playthrough(game, specs, number) for game in games for number, specs in enumerate(pairings)
    ]
    return "\n".join([facts, "", *(line for lines in told for line in lines)])


@pytest.mark.parametrize("name", BUILT_IN)
def test_games_are_played_as_they_are_written_down(name):
    path = FOLDER / name / "golden.txt"
    text = whole_text(name)
    if os.environ.get("SANDTABLE_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"{name} has no golden playthrough; see the top of this file"
    assert text.splitlines() == path.read_text(encoding="utf-8").splitlines()


def test_every_golden_file_belongs_to_a_game():
    assert sorted(path.parent.name for path in FOLDER.glob("*/golden.txt")) == BUILT_IN


def test_a_playthrough_says_how_it_ends():
    text = (FOLDER / "lucid" / "golden.txt").read_text(encoding="utf-8")
    assert text.count("# ") == 2
    assert text.count("turns played") + text.count("no Blue unit") == 2
