"""A little race with kernels for two to four seats, whose results also have measures."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from types import SimpleNamespace

import numpy as np

from sandtable import registry
from sandtable.agent import CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.errors import UnreadableAction, UnreadablePosition
from sandtable.types import Game, Rules

SEATS, PLAYED, TILES, BOLD = 0, 1, 2, 6  # layout: how many play, steps so far, tiles, bold steps
POSITION_SIZE = 10
STEPS = 3  # of each seat
CAREFUL, BOLDLY = 0, 1  # one tile forward for sure, or zero to two by a die
OVER = -1
NUMBERS = [str(number) for number in range(STEPS * 4 + 1)]  # that a cell can hold


@kernel
def start(position, dice):
    for cell in range(PLAYED, POSITION_SIZE):
        position[cell] = 0


@kernel
def turn(position):
    if position[PLAYED] == STEPS * position[SEATS]:
        return OVER
    return np.int64(position[PLAYED] % position[SEATS])


@kernel
def legal(position, mask):
    for action in range(2):
        mask[action] = turn(position) != OVER
    return 2 if mask[0] else 0


@kernel
def apply(position, action, dice):
    seat = position[PLAYED] % position[SEATS]
    position[TILES + seat] += 1 if action == CAREFUL else below(dice, 3)
    position[BOLD + seat] += action == BOLDLY
    position[PLAYED] += 1


@kernel
def score(position, scores):
    """The furthest wins; those who are level share it."""
    best, sharing = -1, 0
    for seat in range(position[SEATS]):
        if position[TILES + seat] > best:
            best, sharing = position[TILES + seat], 0
        sharing += position[TILES + seat] == best
    for seat in range(position[SEATS]):
        scores[seat] = 1.0 / sharing if position[TILES + seat] == best else 0.0


@kernel
def measure(position, values):
    for seat in range(position[SEATS]):
        values[seat, 0] = position[TILES + seat]
        values[seat, 1] = position[BOLD + seat]


@kernel
def hide(position, seat):
    pass


@kernel
def guess(position, seat, dice):
    pass


@kernel
def encode(position, seat, planes):
    for cell in range(POSITION_SIZE):
        planes[0, 0, cell] = position[cell]


@kernel
def act_carefully(view, dice, memory, constants, actions):
    actions[0] = CAREFUL
    return 1


@kernel
def act_by_memory(view, dice, memory, constants, actions):
    """Be bold as often as the memory says, from the first step on."""
    actions[0] = BOLDLY if memory[0] > 0 else CAREFUL
    memory[0] -= 1
    return 1


class Careful(Scripted):
    """One tile at a time."""

    def policy(self, game):
        return CompiledPolicy(act_carefully)


class Bold(Scripted):
    """Throws the die for its first steps."""

    def __init__(self, steps: int = STEPS):
        self.steps = steps

    def policy(self, game):
        return CompiledPolicy(act_by_memory, memory=(self.steps,))


class Notation:
    def action_name(self, action):
        return ("careful", "bold")[action]

    def parse_action(self, text):
        if text in ("careful", "bold"):
            return ("careful", "bold").index(text)
        raise UnreadableAction(f"'{text}' is not careful or bold")

    def position_line(self, position):
        return " ".join(str(int(value)) for value in position)

    def parse_position(self, text):
        words = text.split(" ")
        known = len(words) == POSITION_SIZE and all(word in NUMBERS for word in words)
        if not known or int(words[SEATS]) not in (2, 3, 4):
            raise UnreadablePosition(f"'{text[:40]}' is not ten numbers")
        return np.array([int(word) for word in words], dtype=np.int16)

    def reason(self, position):
        return "the race is run"


class Drawing:
    def text(self, position):
        return Notation().position_line(position)

    def svg(self, position):
        return "<svg xmlns='http://www.w3.org/2000/svg'/>"

    def events(self, before, action, after):
        return []


KERNELS = SimpleNamespace(
    start=start, turn=turn, legal=legal, apply=apply, score=score, measure=measure, hide=hide,
    guess=guess,
)  # fmt: skip


def race(seats: int = 4) -> Game:
    """Three steps each, careful or bold; the furthest wins."""
    return Game(
        name="race",
        title="Race",
        version=1,
        seats=("red", "green", "blue", "white")[:seats],
        rules=Rules.of(KERNELS, encode),
        notation=Notation(),
        drawing=Drawing(),
        position_size=POSITION_SIZE,
        action_count=2,
        plane_names=("cells",),
        board_shape=(1, POSITION_SIZE),
        score_bounds=((0.0, 1.0),) * seats,
        max_actions=STEPS * seats,
        chance=True,
        hidden=False,
        zero_sum=False,
        has_winner=True,
        measures=("end tile", "bold steps"),
        options={} if seats == 4 else {"seats": seats},
        initial_cells=(seats,),
    )


def register(monkeypatch):
    """Install the race and its agents as if by entry points, until the test is over."""
    sound = registry.registered
    added = {
        registry.GAMES: {"race": "race"},
        registry.AGENTS: {"race/careful": "Careful", "race/bold": "Bold"},
    }

    def registered(group):
        points = {
            name: EntryPoint(name, f"{__name__}:{what}", group)
            for name, what in added.get(group, {}).items()
        }
        return {**sound(group), **points}

    monkeypatch.setattr(registry, "registered", registered)
    registry.make_game.cache_clear()
