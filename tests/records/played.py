"""Games for the tests of this folder."""

import dataclasses
import functools

from sandtable.arena.play.game_loop import play_game
from sandtable.errors import StopGame
from sandtable.registry import make_agent, make_game

PUBLISHED = ("lucid/simple-blue", "lucid/axes-red")
RANDOM = ("random", "random")


def played(specs=PUBLISHED, seed=7, number=0, start=None):
    """Return the record of a game of Lucid; the same call, the same record with its times."""
    return play(specs, seed, number, start)


@functools.cache
def play(specs, seed, number, start):
    game = make_game("lucid")
    return play_game(
        game,
        [make_agent(spec) for spec in specs],
        specs=specs,
        seed=seed,
        number=number,
        start=None if start is None else game.parse(start),
    ).record


def several(count, specs=PUBLISHED, seed=7):
    """Return the records of the first games of an experiment."""
    return [played(specs, seed, number) for number in range(count)]


def renumbered(record, number):
    """Return the same game under another number; it does not replay, but it can be stored."""
    return dataclasses.replace(record, number=number)


def broken_off(record, actions):
    """Return the record of a game that was left after so many actions."""
    game = make_game(record.game)
    agents = [Leaving(record.actions[:actions]) for _ in record.seats]
    played_again = play_game(
        game, agents, specs=record.seats, seed=record.seed, number=record.number
    )
    assert len(played_again.record.actions) == actions
    return played_again.record


class Leaving:
    """Plays a list of actions, then leaves."""

    def __init__(self, actions):
        self.actions = actions
        self.count = 0

    def choose(self, view, dice):
        if self.count == len(self.actions):
            raise StopGame("enough")
        return self.actions[self.count]

    def watch(self, view, action):
        self.count += 1
