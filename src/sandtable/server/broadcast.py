"""What a room tells each of its viewers, as text that is made once for all who see the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandtable.screens import BoardScreen
from sandtable.server.connections import encoded
from sandtable.server.table import EVERYTHING, Table
from sandtable.types import OVER, Outcome

if TYPE_CHECKING:
    from sandtable.server.room import Room

__all__ = ["Broadcast", "outcome_data", "told_outcome"]

LOG_LENGTH = 200  # entries that a state carries


def outcome_data(outcome: Outcome | None) -> dict[str, Any] | None:
    """Return an outcome as data."""
    if outcome is None:
        return None
    return {
        "scores": list(outcome.scores),
        "reason": outcome.reason,
        "forfeited_by": outcome.forfeited_by,
    }


def told_outcome(screen: BoardScreen, outcome: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return an outcome as people are told of it: seats as they call them."""
    return outcome and outcome | {"reason": screen.with_titles(outcome["reason"])}


class Broadcast:
    """Makes the messages of one room."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.entries: dict[int, dict[int, str]] = {}  # by kind of viewer, by ply: the log
        self.end_words: str | None = None
        self.states: dict[tuple[int, str, str], str] = {}  # what those who come now are told

    @property
    def table(self) -> Table:
        """The game."""
        return self.room.table

    def kind(self, viewer: int) -> int:
        """Return the viewer who sees the same board."""
        return self.table.kind_of_viewer(viewer, self.room.over)

    def cut(self, ply: int) -> None:
        """Forget what was told of actions that were taken back."""
        for log in self.entries.values():
            for late in [each for each in log if each > ply]:
                del log[late]

    def reveal(self) -> None:
        """Forget what was told with things hidden: the game is over."""
        self.entries = {kind: log for kind, log in self.entries.items() if kind == EVERYTHING}

    def log(self, kind: int, first: int, last: int) -> list[str]:
        """Return entries of the log from one ply to another, both included, as text."""
        log = self.entries.setdefault(kind, {})
        for ply in range(first, last + 1):
            if ply not in log:
                log[ply] = encoded(self.table.log_entry(ply, kind))
        found = [log[ply] for ply in range(first, last + 1)]
        if len(log) > 2 * LOG_LENGTH:  # what nobody asks for any more is made again if need be
            kept = range(self.table.ply - LOG_LENGTH + 1, self.table.ply + 1)
            self.entries[kind] = {ply: log[ply] for ply in kept if ply in log}
        return found

    def changed(self) -> None:
        """Forget states that were true until now."""
        self.states.clear()

    def state(self, viewer: int, role: str, why: str) -> str:
        """Return the whole state; without clocks it is the same for all who come."""
        key = viewer, role, why
        if key not in self.states or self.room.clocks.left is not None:
            self.states[key] = self.new_state(viewer, role, why)
        return self.states[key]

    def new_state(self, viewer: int, role: str, why: str) -> str:
        """Make the whole state."""
        ply = self.table.ply
        first = max(ply - LOG_LENGTH, 0)
        log = ",".join(self.log(self.kind(viewer), first + 1, ply))
        head = {
            "type": "state",
            "why": why,
            "room": self.room.facts(),
            "you": viewer if viewer >= 0 else None,
            "role": role,
        }
        now = self.now(viewer, encoded(self.table.board(ply, self.kind(viewer))))
        return f'{encoded(head)[:-1]},"now":{now},"log":[{log}],"log_first":{first}}}'

    def steps(self, viewer: int, first: int) -> str:
        """Return what was played from a ply on."""
        kind, ply = self.kind(viewer), self.table.ply
        board = encoded(self.table.board(ply, kind))
        steps = []
        for number, entry in enumerate(self.log(kind, first, ply), start=first):
            shown = board if number == ply else encoded(self.table.board(number, kind))
            steps.append(f'{entry[:-1]},"board":{shown}}}')
        now = self.now(viewer, board)
        return f'{{"type":"steps","steps":[{",".join(steps)}],"now":{now}}}'

    def now(self, viewer: int, board: str) -> str:
        """Return the present."""
        room, table = self.room, self.table
        turn = None if room.over or table.turn == OVER else table.turn
        to_act = turn is not None and turn == viewer
        data = {
            "ply": table.ply,
            "turn": turn,
            "status": room.status(),
            "progress": table.progress(self.kind(viewer)),
            "ending": self.ending(),
            "legal": table.legal_actions(viewer) if to_act else None,
            "barred": table.forbidden_moves(viewer) if to_act else None,
            "outcome": told_outcome(table.screen, outcome_data(room.outcome)),
            "clocks": room.clocks.shown(),
            "clock_runs": room.clocks.running,
            "thinking": turn is not None and not room.is_person(turn) and not room.paused,
            "preparing": turn is not None and not room.paused and room.programs.is_new(turn),
            "paused": room.paused,
            "pace": room.pace,
            "can": room.allowed(viewer),
            "rematch": self.rematch(viewer),
            "draw": self.draw(viewer),
            "archive": room.archive_id,
        }
        return f'{encoded(data)[:-1]},"board":{board}}}'

    def view(self, viewer: int) -> dict[str, Any]:
        """Return the position as text, as a viewer may see it."""
        game, ply = self.room.game, self.table.ply
        seen = self.table.shown(ply, self.kind(viewer))
        line = None if seen is None else game.notation.position_line(seen)
        text = None if seen is None else game.drawing.text(seen)
        return {"type": "view", "ply": ply, "line": line, "text": text}

    def ending(self) -> str:
        """Return what the screen says of the end, made once; empty: it is not there yet."""
        room = self.room
        if room.outcome is None or room.table.outcome is None:
            return ""  # it goes on, or ended before its rules said so
        if self.end_words is None:
            self.end_words = self.table.ending()
        return self.end_words

    def rematch(self, viewer: int) -> dict[str, Any]:
        """Return who wants another game, and the way there for this viewer."""
        found = self.room.rematch
        link = None
        if found.room is not None:
            token = found.tokens[viewer] if viewer >= 0 else None
            link = f"/room/{found.room}" + (f"#token={token}" if token else "")
        return {"offered_by": sorted(found.offered), "room": found.room, "link": link}

    def draw(self, viewer: int) -> dict[str, Any]:
        """Return how things stand with a draw, and whether this viewer may offer one."""
        room, ply, offers = self.room, self.table.ply, self.room.draws
        possible = viewer >= 0 and not room.over and room.game.draw_scores is not None
        return {
            "offered_by": None if room.over else offers.offered_by,
            "declined_by": None if room.over else offers.declined_by(ply),
            "may_offer": possible and offers.may_offer(ply, viewer),
        }
