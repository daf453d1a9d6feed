"""Labels of expert games in words, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.games.lucid.agents.expert.games import ExpertGame, LabelledGroup
    from sandtable.games.lucid.learning.label_agreement import LabelAgreement

__all__ = ["agreement_lines", "game_lines", "group_line", "summary_lines", "turn_lines"]


def summary_lines(path: Path, games: Sequence[ExpertGame]) -> list[str]:
    """Say what is in a file: its games, and how often each category comes up."""
    from sandtable.games.lucid.learning.expert_database import counts

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


def agreement_lines(found: LabelAgreement, names: tuple[str, str]) -> list[str]:
    """Write how far two sources of labels agree."""
    same = found.same
    lines = [
        f"{len(found.pairs)} moves of force groups, labelled by {names[0]} and by {names[1]}",
        f"exactly the same labels: {same.mean:.3f} ({same.low:.3f} to {same.high:.3f}); the same "
        f"yes or no, all categories: {found.share:.3f}",
        f"  {'category':22} {'both':>6} {'first':>6} {'second':>6} {'agree':>6} {'kappa':>6}",
    ]
    for each in found.categories:
        kappa = "-" if each.kappa != each.kappa else f"{each.kappa:.3f}"
        counts = f"{each.both:6} {each.first:6} {each.second:6}"
        lines.append(f"  {each.name:22} {counts} {each.share:6.3f} {kappa:>6}")
    return lines


def turn_lines(game: ExpertGame, number: int, blind: bool = False) -> list[str]:
    """Draw a turn: the position, the move, and the groups with their labels."""
    from sandtable.agents.human.turn import compact
    from sandtable.registry import make_game

    turn = next((turn for turn in game.turns if turn.number == number), None)
    if turn is None:
        raise SandtableError(f"game {game.record.identity} has no turn {number}")
    rules = make_game("lucid")
    seat = rules.seats[turn.seat]
    lines = [f"Game {game.record.identity}, turn {turn.number}", ""]
    lines += [rules.drawing.text(turn.before), ""]
    lines.append(f"{seat}: {compact(rules, turn.actions) or 'nobody moves'}")
    for place, group in enumerate(turn.groups, start=1):
        hidden = blind and not group.by_person
        lines.append(f"  {place}. {group.group.key if hidden else group_line(group)}")
    return lines
