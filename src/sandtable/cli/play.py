"""``sandtable play``: one game in the terminal, between people and agents as you like."""

from __future__ import annotations

import secrets
import shlex
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_FORFEIT, complete_agent, complete_game, new_command
from sandtable.errors import SandtableError, StopGame

if TYPE_CHECKING:
    from sandtable.agent import Agent
    from sandtable.records.record import Record
    from sandtable.records.store import Store
    from sandtable.types import Game, Outcome, State

__all__ = ["SeatedGame", "command"]

command = new_command()

SEED_BITS = 31


@command.command()
def play(
    game: str = typer.Argument(
        ..., help="The game, for example lucid.", autocompletion=complete_game
    ),
    agents: list[str] = typer.Argument(
        ...,
        help="One agent for each seat, in seat order; 'human' is you.",
        autocompletion=complete_agent,
    ),
    seed: int | None = typer.Option(
        None, "--seed", "-s", help="Same seed, same dice. Default: a fresh one, which is shown."
    ),
    record: str | None = typer.Option(
        None,
        "--record",
        help="Keep the game, also when it is broken off: a .jsonl file, or a database file.",
    ),
    position: str | None = typer.Option(
        None, "--position", help="Start from this position, one line of text in quotes."
    ),
    move_time: float = typer.Option(
        60.0,
        "--move-time",
        min=0.0,
        help="Seconds a program may think (people have no clock); 0: no limit.",
    ),
    delay: float = typer.Option(
        0.0, "--delay", min=0.0, help="Seconds to wait after each turn of a program."
    ),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Show the result only."),
) -> None:
    """Play one game in the terminal, against an agent or between agents.

    Your game can be recorded and repeated. Exit code 3: an agent forfeited, or you resigned.

    Examples:

      sandtable play lucid human lucid/axes-red

      sandtable play lucid human:hints=lucid/one-axis-blue lucid/axes-red --record games.jsonl

      sandtable play lucid external:./bot lucid/axes-red --delay 0.5
    """
    seated = SeatedGame.prepare(game, agents, seed=seed, record=record, position=position)
    outcome = seated.play(move_time=move_time or None, delay=delay, quiet=quiet)
    if outcome is not None and outcome.forfeited_by is not None:
        raise typer.Exit(EXIT_FORFEIT)


@dataclass
class SeatedGame:
    """A game with its agents seated, ready to be played once."""

    game: Game
    specs: list[str]
    agents: list[Agent]
    seed: int
    number: int  # of the game: the dice are those of this game of the seed
    start: State | None
    store: Store | None
    record: str | None

    @classmethod
    def prepare(
        cls,
        game_text: str,
        agent_texts: Sequence[str],
        *,
        seed: int | None,
        record: str | None,
        position: str | None,
    ) -> SeatedGame:
        """Check everything that can be wrong before the first move is made."""
        from sandtable.records.record import experiment_name
        from sandtable.records.store import open_store
        from sandtable.registry import check_seats, make_agent, make_game

        game = make_game(game_text)
        specs = check_seats(game, list(agent_texts))
        start = None if position is None else game.parse(position)
        agents = [make_agent(spec) for spec in specs]
        for agent in agents:
            agent.check()
        if game.hidden and sum(map(is_person, agents)) > 1:
            raise SandtableError(
                f"the seats of {game.name} hide things from each other, so only one person can "
                "play it at one terminal"
            )
        chosen = secrets.randbits(SEED_BITS) if seed is None else seed
        store = open_store(record) if record else None
        number = 0
        if store is not None:
            store.check_writable()
            line = start.line if start else None
            name = experiment_name(game.spec, game.version, tuple(specs), chosen, line)
            number = unused_number(store, name)
        return cls(game, specs, agents, chosen, number, start, store, record)

    def play(self, *, move_time: float | None, delay: float, quiet: bool) -> Outcome | None:
        """Play the game, show it, keep it; return how it ended (None: it was broken off)."""
        from sandtable.arena.play.game_loop import play_game
        from sandtable.cli.screen import Screen, result_line

        humans = [seat for seat, agent in enumerate(self.agents) if is_person(agent)]
        screen = Screen(self.game, humans, delay=delay, quiet=quiet)
        screen.show_players(self.specs, self.seed, self.number)
        try:
            with interrupt_breaks_off():
                played = play_game(
                    self.game,
                    [clocked(agent, move_time) for agent in self.agents],
                    specs=self.specs,
                    seed=self.seed,
                    number=self.number,
                    start=self.start,
                    watcher=screen.show_turn,
                )
        finally:
            for agent in self.agents:
                getattr(agent, "close", lambda: None)()
        outcome = played.record.outcome
        if outcome is None:
            typer.echo("The game is broken off.")
        else:
            screen.show_end(played.record.final)
            seed = f" Seed {self.seed}." if quiet else ""  # otherwise it stands at the top
            typer.echo(f"{result_line(self.game, outcome)}{seed}")
        self.keep(played.record)
        return outcome

    def keep(self, record: Record) -> None:
        """Store the game, and say where it is or how to go on with it."""
        if self.store is not None:
            self.store.add([record])
            self.store.close()
            typer.echo(f"The game is kept in {self.record} as {record.identity}")
        if record.outcome is None and not self.game.hidden:  # a whole position would tell secrets
            words = ["sandtable", "play", record.game, *self.specs, "--position", record.final]
            typer.echo(f"To go on from here: {shlex.join(words)}")


def clocked(agent: Agent, seconds: float | None) -> Agent:
    """Put a program on the clock, if there is one; people at the same table have none."""
    from sandtable.arena.play.game_loop import Clocked

    return agent if seconds is None or is_person(agent) else Clocked(agent, seconds)


def is_person(agent: Agent) -> bool:
    """Say whether a person plays at this terminal."""
    from sandtable.agents.human.agent import Human

    return isinstance(agent, Human)


def unused_number(store: Store, experiment: str) -> int:
    """Return the first number free in an experiment, so that no kept game is ever in the way.

    People play the same dice differently: a second game of a seed becomes its game 1.
    """
    split = (identity.rpartition("-") for identity in store.identities())
    used = {int(number) for name, _, number in split if name == experiment}
    return next(number for number in range(len(used) + 1) if number not in used)


@contextmanager
def interrupt_breaks_off() -> Iterator[None]:
    """Let Ctrl-C end the game like 'quit' does, whoever is thinking: what was played is kept."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise StopGame("interrupted")

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    except StopGame:  # it came after the last move, when there was nothing left to break off
        raise KeyboardInterrupt from None
    finally:
        with suppress(ValueError):
            signal.signal(signal.SIGINT, before)
