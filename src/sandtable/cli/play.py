"""``sandtable play``: one game in the terminal, between people and agents as you like."""

from __future__ import annotations

import secrets
import shlex
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_FORFEIT, complete_agent, complete_game, new_command
from sandtable.cli.played import KeptGame, newest_unfinished
from sandtable.cli.text import counted, write
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
    game: str | None = typer.Argument(
        None,
        help="The game, for example lucid.",
        autocompletion=complete_game,
        show_default=False,
    ),
    agents: list[str] | None = typer.Argument(
        None,
        help="One agent for each seat, in seat order; 'human' is you.",
        autocompletion=complete_agent,
        show_default=False,
    ),
    resume: bool = typer.Option(
        False, "--resume", help="Go on with the game that was broken off last."
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

    A game that a person plays is kept from its first turn on: 'play --resume' goes on with it,
    also after a closed window. Exit code 3: an agent forfeited, or you resigned.

    Examples:

      sandtable play lucid human lucid/axes-red

      sandtable play --resume

      sandtable play lucid human:hints=lucid/one-axis-blue lucid/axes-red --record games.jsonl

      sandtable play lucid external:./bot lucid/axes-red --delay 0.5
    """
    if resume:
        seated = SeatedGame.resumed(record, other=bool(agents or position or seed is not None))
    elif not game or not agents:
        raise SandtableError(what_is_missing(game))
    else:
        seated = SeatedGame.prepare(game, agents, seed=seed, record=record, position=position)
    outcome = seated.play(move_time=move_time or None, delay=delay, quiet=quiet)
    if outcome is not None and outcome.forfeited_by is not None:
        raise typer.Exit(EXIT_FORFEIT)


def what_is_missing(game: str | None) -> str:
    """Say what to type after 'sandtable play', or after it and the name of a game."""
    from sandtable.agents.level.ladder import EASY, LEVEL_AGENT
    from sandtable.registry import make_game

    or_else = "or go on with your last game: sandtable play --resume"
    if not game:
        return (
            "name a game and an agent for each seat (sandtable play GAME human AGENT), " + or_else
        )
    seats = make_game(game).seats
    example = " ".join(["human", *[f"{LEVEL_AGENT}:{EASY}"] * (len(seats) - 1)])
    return (
        f"name an agent for each seat of {game} ({', '.join(seats)}); against an easy opponent: "
        f"sandtable play {game} {example}; {or_else}"
    )


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
    kept: KeptGame = field(default_factory=KeptGame)
    played: list[int] = field(default_factory=list)  # actions that are only repeated

    @classmethod
    def resumed(cls, record: str | None, *, other: bool) -> SeatedGame:
        """Take up the game that was broken off last, with its dice and all that was played."""
        from sandtable.records.replay import check
        from sandtable.records.store import open_store
        from sandtable.registry import make_agent, make_game

        if other:
            raise SandtableError(
                "--resume goes on with a game as it was: give it no agents or dice"
            )
        path, begun = newest_unfinished()
        check(begun)  # rules that have changed since are told before the first move
        game = make_game(begun.game)
        agents = [make_agent(spec) for spec in begun.seats]
        for agent in agents:
            agent.check()
        start = None if begun.start is None else game.parse(begun.start)
        store = open_store(record) if record else None
        seated = cls(
            game, list(begun.seats), agents, begun.seed, begun.number, start, store, record
        )
        seated.kept, seated.played = KeptGame(path), list(begun.actions)
        return seated

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
        from sandtable.agents.continued import Continued
        from sandtable.arena.play.game_loop import play_game
        from sandtable.cli.screen import Screen, result_line

        humans = [seat for seat, agent in enumerate(self.agents) if is_person(agent)]
        screen = Screen(self.game, humans, delay=delay, quiet=quiet)
        screen.show_players(self.specs, self.seed, self.number)
        if self.played and not quiet:
            typer.echo(f"Going on after {counted(len(self.played), 'action')}.")
        actions: list[int] = []
        known = len(self.played)

        def watch(before: State, seat: int, turn: list[int], after: State) -> None:
            repeated = len(actions) < known
            actions.extend(turn)
            if repeated:  # what was shown before is not shown again
                screen.skip_turn(before, seat, turn, after)
                return
            if humans:
                self.kept.save(self.unfinished(actions, after))
            screen.show_turn(before, seat, turn, after)

        players = [
            awaited(agent, spec, move_time, quiet=quiet)
            for agent, spec in zip(self.agents, self.specs, strict=True)
        ]
        try:
            with interrupt_breaks_off():
                played = play_game(
                    self.game,
                    [Continued(each, self.played) for each in players] if self.played else players,
                    specs=self.specs,
                    seed=self.seed,
                    number=self.number,
                    start=self.start,
                    watcher=watch,
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
            write(f"{result_line(self.game, outcome)}{seed}", indent="  ")
        self.keep(played.record)
        return outcome

    def unfinished(self, actions: Sequence[int], state: State) -> Record:
        """Return the game as it stands."""
        from sandtable.records.record import Record

        return Record(
            game=self.game.spec,
            version=self.game.version,
            seats=tuple(self.specs),
            seed=self.seed,
            number=self.number,
            actions=tuple(actions),
            outcome=None,
            final=state.line,
            start=self.start.line if self.start else None,
        )

    def keep(self, record: Record) -> None:
        """Store the game, and say where it is or how to go on with it."""
        person = any(map(is_person, self.agents))
        kept = person and self.kept.save(record)
        if self.store is not None:
            self.store.add([record])
            self.store.close()
            write(f"The game is kept in {self.record} as {record.identity}")
        if kept and record.outcome is None:
            write("To go on with it: sandtable play --resume")
        elif kept and self.store is None:
            # In one line however long: a command that is broken cannot be copied.
            typer.echo(f"To look at it again: sandtable replay {shlex.quote(str(self.kept.path))}")


def awaited(agent: Agent, spec: str, seconds: float | None, *, quiet: bool = False) -> Agent:
    """Put a program on the clock, if there is one; people at the same table have none."""
    from sandtable.cli.waiting import Awaited

    return agent if is_person(agent) else Awaited(agent, spec, seconds, quiet=quiet)


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
