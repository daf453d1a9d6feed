"""A person who goes through the moves of a file of expert games and corrects their labels."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.errors import SandtableError
from sandtable.games.lucid.commands.words import group_line, turn_lines

if TYPE_CHECKING:
    from sandtable.games.lucid.agents.expert.games import ExpertGame, ExpertTurn

__all__ = ["LabelEditor"]

KEYS = (
    "Enter: next move, p: back, q: quit; y: all labels here are right; '2 approach attack': these "
    "are the labels of group 2, '2 +attack -approach': add and remove, '2 none': no category"
)


class LabelEditor:
    """A person who goes through the moves of a file; each correction is kept at once."""

    def __init__(
        self,
        path: Path,
        games: Sequence[ExpertGame],
        sample: int | None = None,
        seed: int = 0,
        blind: bool = False,
    ) -> None:
        from sandtable.games.lucid.rules import BLUE_SEAT

        self.path = path
        self.blind = blind
        self.games = list(games)
        self.stops = [
            (place, turn.number)
            for place, game in enumerate(self.games)
            for turn in game.turns
            if turn.seat == BLUE_SEAT and turn.groups
        ]
        if not self.stops:
            raise SandtableError(f"{path} has no labels: its experts play Red")
        if sample is not None:
            drawn = random.Random(seed).sample(self.stops, min(sample, len(self.stops)))
            self.stops = sorted(drawn)

    def run(self, place: int, number: int) -> None:
        """Go through the moves until the person has had enough."""
        from sandtable.games.lucid.agents.categories import CATEGORIES

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
            if answer.lower() == "y":
                self.confirm(index)
                answer = ""
            step = {"": 1, "n": 1, "p": -1}.get(answer.lower())
            if step is None:
                self.edit(index, answer)
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
        typer.echo("\n".join(turn_lines(self.games[place], number, self.blind)))

    def confirm(self, index: int) -> None:
        """Take the labels of all groups as the person's, who has seen them."""
        if self.blind:
            typer.echo("Labels that are not shown cannot be right; write them.")
            return
        for group in self.turn(index).groups:
            self.keep(index, group.group.key, group.labels)

    def keep(self, index: int, key: str, labels: Iterable[str]) -> None:
        """Write the labels of a group as a person's."""
        from sandtable.games.lucid.agents.expert.games import corrected, expert_game
        from sandtable.games.lucid.learning.expert_database import write_games

        place, number = self.stops[index]
        self.games[place] = expert_game(
            corrected(self.games[place].record, number, key, list(labels))
        )
        write_games(self.path, [game.record for game in self.games])

    def edit(self, index: int, answer: str) -> None:
        """Correct the labels of a group as the person says, or say what was wrong."""
        groups = self.turn(index).groups
        first, *words = answer.replace(",", " ").split()
        if not (first.isdigit() and 1 <= int(first) <= len(groups)) or not words:
            typer.echo(f"{KEYS}. Groups here: 1 to {len(groups)}.")
            return
        group = groups[int(first) - 1]
        try:
            hidden = self.blind and not group.by_person
            known = frozenset[str]() if hidden else group.labels
            self.keep(index, group.group.key, edited_labels(known, words))
        except SandtableError as problem:
            typer.echo(str(problem))
            return
        typer.echo(f"  {first}. {group_line(self.turn(index).groups[int(first) - 1])}")


def edited_labels(before: frozenset[str], words: Sequence[str]) -> set[str]:
    """Return the labels a person means: named ones, or those before with some added or removed.

    >>> edited_labels(frozenset({"approach"}), ["+attack", "-approach"])
    {'attack'}
    """
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
