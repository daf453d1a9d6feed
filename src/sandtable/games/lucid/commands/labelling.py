"""What ``sandtable label`` shows, and how labels are corrected in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from sandtable.agents.human.turn import compact
from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.categories import CATEGORIES
from sandtable.games.lucid.agents.expert.games import (
    ExpertGame,
    ExpertTurn,
    LabelledGroup,
    corrected,
    expert_game,
)
from sandtable.games.lucid.learning.expert_database import counts, write_games
from sandtable.games.lucid.rules import BLUE_SEAT
from sandtable.registry import make_game

__all__ = ["Correcting", "game_lines", "summary_lines", "turn_lines"]

KEYS = (
    "Enter: next move, p: back, q: quit; '2 approach attack': these are the labels of group 2, "
    "'2 +attack -approach': add and remove, '2 none': no category"
)


def summary_lines(path: Path, games: Sequence[ExpertGame]) -> list[str]:
    """Say what is in a file: its games, and how often each category comes up."""
    scores = [game.record.outcome.scores[game.seat] for game in games if game.record.outcome]
    turns = sum(turn.seat == game.seat for game in games for turn in game.turns)
    experts = sorted({game.record.seats[game.seat] for game in games})
    lines = [
        f"{path}: {len(games)} games by {', '.join(experts)}, mean score "
        f"{sum(scores) / len(scores):.2f}",
        f"{turns} turns of the experts, {2 * turns} entries with left-right mirroring",
    ]
    return lines + [f"  {name:22} {count:6}" for name, count in counts(games).items()]


def game_lines(game: ExpertGame) -> list[str]:
    """List the labels of a game, turn by turn."""
    lines = [f"Game {game.record.identity}: {', '.join(game.record.seats)}"]
    for turn in game.turns:
        for group in turn.groups:
            lines.append(f"turn {turn.number:2}  {group_line(group)}")
    return lines


def group_line(group: LabelledGroup) -> str:
    """Write a group with its labels."""
    marked = "  (corrected)" if group.by_person else ""
    return f"{group.group.key:30} {', '.join(group.names) or 'none'}{marked}"


def turn_lines(game: ExpertGame, number: int) -> list[str]:
    """Draw a turn: the position, the move, and the groups with their labels."""
    turn = next((turn for turn in game.turns if turn.number == number), None)
    if turn is None:
        raise SandtableError(f"game {game.record.identity} has no turn {number}")
    rules = make_game("lucid")
    seat = rules.seats[turn.seat]
    lines = [f"Game {game.record.identity}, turn {turn.number}", ""]
    lines += [rules.drawing.text(turn.before), ""]
    lines.append(f"{seat}: {compact(rules, turn.actions) or 'nobody moves'}")
    for place, group in enumerate(turn.groups, start=1):
        lines.append(f"  {place}. {group_line(group)}")
    return lines


class Correcting:
    """A person who goes through the moves of a file; each correction is kept at once."""

    def __init__(self, path: Path, games: Sequence[ExpertGame]) -> None:
        self.path = path
        self.games = list(games)
        self.stops = [
            (place, turn.number)
            for place, game in enumerate(self.games)
            for turn in game.turns
            if turn.seat == BLUE_SEAT and turn.groups
        ]
        if not self.stops:
            raise SandtableError(f"{path} has no labels: its experts play Red")

    def run(self, place: int, number: int) -> None:
        """Go through the moves until the person has had enough."""
        typer.echo(f"Categories: {', '.join(CATEGORIES)}.\n{KEYS}.\n")
        after = [index for index, stop in enumerate(self.stops) if stop >= (place, number)]
        index = after[0] if after else len(self.stops) - 1
        self.show(index)
        while True:
            try:
                answer = input(f"move {index + 1} of {len(self.stops)} > ").strip()
            except (EOFError, KeyboardInterrupt):
                typer.echo()
                return
            if answer.lower() in ("q", "quit"):
                return
            step = {"": 1, "n": 1, "p": -1}.get(answer.lower())
            if step is None:
                self.answer(index, answer)
            elif 0 <= index + step < len(self.stops):
                index += step
                self.show(index)
            else:
                typer.echo("There are no more moves; q quits.")

    def turn(self, index: int) -> ExpertTurn:
        """Return a turn with its labels as they are now."""
        place, number = self.stops[index]
        return next(turn for turn in self.games[place].turns if turn.number == number)

    def show(self, index: int) -> None:
        """Draw a turn."""
        place, number = self.stops[index]
        typer.echo("\n".join(turn_lines(self.games[place], number)))

    def answer(self, index: int, answer: str) -> None:
        """Correct the labels of a group as the person says, or say what was wrong."""
        place, number = self.stops[index]
        groups = self.turn(index).groups
        first, *words = answer.replace(",", " ").split()
        if not (first.isdigit() and 1 <= int(first) <= len(groups)) or not words:
            typer.echo(f"{KEYS}. Groups here: 1 to {len(groups)}.")
            return
        group = groups[int(first) - 1]
        try:
            labels = meant(group.labels, words)
            record = corrected(self.games[place].record, number, group.group.key, labels)
        except SandtableError as problem:
            typer.echo(str(problem))
            return
        self.games[place] = expert_game(record)
        write_games(self.path, [game.record for game in self.games])
        typer.echo(f"  {first}. {group_line(self.turn(index).groups[int(first) - 1])}")


def meant(before: frozenset[str], words: Sequence[str]) -> set[str]:
    """Return the labels a person means: named ones, or those before with some added or removed."""
    if list(words) == ["none"]:
        return set()
    if not all(word[0] in "+-" for word in words):
        return set(words)
    labels = set(before)
    for word in words:
        if word[0] == "+":
            labels.add(word[1:])
        else:
            labels.discard(word[1:])
    return labels
