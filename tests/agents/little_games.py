"""A little game in plain Python whose every action closes a turn, open or with a secret."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from sandtable.errors import UnreadableAction
from sandtable.types import OVER, Game, Rules

STONES, MOVER, SECRET = 0, 1, 2  # layout of a position


def start(position, dice):
    position[:] = (7, 0, 42)


def turn(position):
    return int(position[MOVER]) if position[STONES] > 0 else OVER


def legal(position, mask):
    mask[:] = False
    mask[: min(3, position[STONES])] = True
    return int(mask.sum())


def apply(position, action, dice):
    position[STONES] -= action + 1
    position[MOVER] = 1 - position[MOVER]


def score(position, scores):
    scores[:] = (-1.0, 1.0) if position[MOVER] == 0 else (1.0, -1.0)


def hide(position, seat):
    if seat == 1:
        position[SECRET] = 0


def nothing(*arguments):
    return None


class Notation:
    def action_name(self, action):
        return f"take{action + 1}"

    def parse_action(self, text):
        if text in ("take1", "take2", "take3"):
            return int(text[4]) - 1
        raise UnreadableAction(f"'{text}' is not like take2")

    def position_line(self, position):
        return " ".join(str(int(value)) for value in position)

    def parse_position(self, text):
        return np.array([int(word) for word in text.split()], dtype=np.int16)

    def reason(self, position):
        return "no stone is left"


class Drawing:
    def text(self, position):
        secret = f", secret {position[SECRET]}" if position[SECRET] else ""
        return f"{position[STONES]} stones{secret}"

    def svg(self, position):
        return "<svg xmlns='http://www.w3.org/2000/svg'/>"

    def events(self, before, action, after):
        return [f"{before[STONES]} stones became {after[STONES]}"]


def nim(*, hidden: bool = False) -> Game:
    """Take one to three of seven stones; whoever takes the last one wins."""
    kernels = SimpleNamespace(
        start=start, turn=turn, legal=legal, apply=apply, score=score, hide=hide, guess=nothing
    )
    return Game(
        name="nim",
        title="Nim",
        version=1,
        seats=("first", "second"),
        rules=Rules.of(kernels, nothing),
        notation=Notation(),
        drawing=Drawing(),
        position_size=3,
        action_count=3,
        plane_names=("stones",),
        board_shape=(1, 1),
        score_bounds=((-1.0, 1.0), (-1.0, 1.0)),
        max_actions=7,
        chance=False,
        hidden=hidden,
        zero_sum=True,
        has_winner=True,
    )
