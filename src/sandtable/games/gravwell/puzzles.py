"""How the puzzles of Gravwell are made: the champion plays and screens, and is the second judge.

The first judge are the bred networks, which play a game in a tenth of a millisecond. Values are
means over deals of all cards that the seat does not know.
"""

from __future__ import annotations

from sandtable.games.gravwell import layout
from sandtable.puzzles.judge import Judge
from sandtable.puzzles.plan import PuzzlePlan
from sandtable.puzzles.rollouts import PolicyJudge
from sandtable.types import Game, State

__all__ = ["PLAN"]

KEPT_OF_GO = 6  # one in so many is asked, or nobody would have to think
TASKS = {
    layout.DRAFTING: "choose the stack to take",
    layout.PLAYING: "choose the card to play",
    layout.STOPPING: "let your card take effect, or use the Emergency Stop",
}


def judge(game: Game) -> Judge:
    """Let networks play on that were bred."""
    return PolicyJudge(game, {"": "gravwell/neuro-evolution"})


def second(game: Game) -> Judge:
    """Let the champion play on, looking at few deals a turn."""
    return PolicyJudge(game, {"": "gravwell/champion:samples=2,weights=first"})


def words(state: State) -> str:
    """Say what is asked for in this phase."""
    return TASKS[int(state.position[layout.PHASE])]


def obvious(state: State, action: int) -> bool:
    """Leave out most questions whose answer is to let the card take effect: it nearly always is."""
    return action == layout.GO and int(state.position.sum()) % KEPT_OF_GO != 0


PLAN = PuzzlePlan(
    players={"": "gravwell/champion:samples=100,weights=first"},
    judge=judge,
    second=second,
    games=("gravwell:players=2", "gravwell:players=3", "gravwell:players=4"),
    slips=0.1,
    margin=0.12,
    samples=1024,
    second_samples=320,
    first_samples=48,
    screen="gravwell/champion:samples=400,weights=first",
    screen_margin=0.1,
    share=1.0,
    apart=8,
    obvious=obvious,
    words=words,
)
