"""Games of OpenSpiel as text and pictures.

An action is written as its number in OpenSpiel, a position as all actions since the start, chance
included. What only one seat knows is written as packed cells, for machines.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from html import escape

import numpy as np

from sandtable.adapters.openspiel import rules
from sandtable.adapters.openspiel.native import native
from sandtable.errors import UnreadableAction, UnreadablePosition
from sandtable.types import OVER, Position

__all__ = ["NativeDrawing", "NativeNotation"]

AT_START = "start"
VIEW = "view "
MOST_DIGITS = 5  # of an action
LINE_HEIGHT, LETTER_WIDTH = 18, 9


class NativeNotation:
    """Actions are numbers, positions are histories: ``start``, ``4 0 8``."""

    def __init__(self, name: str) -> None:
        self.name = name  # as OpenSpiel writes it, with all parameters

    def action_name(self, action: int) -> str:
        """Return the number of an action as text."""
        return str(action)

    def parse_action(self, text: str) -> int:
        """Read the number of an action."""
        most = native(self.name).actions
        known = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
        if not known or int(text) >= most:
            raise UnreadableAction(f"'{text}' is not the number of an action, 0 to {most - 1}")
        return int(text)

    def position_line(self, position: Position) -> str:
        """Return the history, or the packed cells of a view."""
        if position[rules.KIND] == rules.WHOLE:
            return " ".join(map(str, rules.history_of(position))) or AT_START
        packed = base64.b64encode(zlib.compress(position.tobytes(), 9)).decode("ascii")
        return f"{VIEW}{packed}"

    def parse_position(self, text: str) -> Position:
        """Read what ``position_line`` has written."""
        if text.startswith(VIEW):
            return self.parse_view(text)
        position = np.zeros(rules.position_size(self.name), dtype=np.int16)
        position[: len(rules.blank(self.name))] = rules.blank(self.name)
        state = native(self.name).game.new_initial_state()
        for word in text.split() if text != AT_START else ():
            known = word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS
            if not known or state.is_terminal() or int(word) not in state.legal_actions():
                raise UnreadablePosition(f"'{word}' cannot be played in '{text[:60]}'")
            state.apply_action(int(word))
        if not text.split() or state.is_chance_node():
            raise UnreadablePosition(f"'{text[:60]}' is not '{AT_START}' or a list of actions")
        rules.write(position, state)
        return position

    def parse_view(self, text: str) -> Position:
        """Read the packed cells of a view."""
        size = rules.position_size(self.name)
        try:
            cells = zlib.decompress(base64.b64decode(text[len(VIEW) :], validate=True))
        except (binascii.Error, ValueError, zlib.error):
            cells = b""
        position = np.frombuffer(cells[: len(cells) // 2 * 2], dtype=np.int16).copy()
        begins = (len(self.name), *self.name.encode("ascii"))
        if len(position) != size or tuple(position[3 : 3 + len(begins)]) != begins:
            raise UnreadablePosition(f"'{text[:40]}...' is not a view of {self.name}")
        return position

    def reason(self, position: Position) -> str:
        """Say why a finished game is over."""
        return f"{rules.native_of(position).type.short_name} was played to its end"


class NativeDrawing:
    """What OpenSpiel prints, and what the numbers of the legal actions mean."""

    def text(self, position: Position) -> str:
        """Return a drawing for the terminal."""
        if position[rules.KIND] != rules.WHOLE:
            told: bytes = rules.view_of(position)["text"]
            return told.decode(errors="ignore") or f"seat {position[rules.TURN]} is to act"
        state, seat = rules.state_of(position), int(position[rules.TURN])
        choices = rules.native_of(position).choices(state, seat) if seat != OVER else ""
        return f"{state}{choices}"

    def svg(self, position: Position) -> str:
        """Return the same text as a picture."""
        lines = self.text(position).splitlines() or [""]
        width = (max(map(len, lines)) + 2) * LETTER_WIDTH
        height = (len(lines) + 1) * LINE_HEIGHT
        written = "".join(
            f'<text x="{LETTER_WIDTH}" y="{(row + 1) * LINE_HEIGHT}" xml:space="preserve">'
            f"{escape(printable(line))}</text>"
            for row, line in enumerate(lines)
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'font-family="monospace" font-size="14"><rect width="{width}" height="{height}" '
            f'fill="#ffffff"/>{written}</svg>'
        )

    def events(self, before: Position, action: int, after: Position) -> list[str]:
        """Tell what chance did between two whole positions."""
        if before[rules.KIND] != rules.WHOLE or after[rules.KIND] != rules.WHOLE:
            return []
        game, history = rules.native_of(after), rules.history_of(after)
        told = []
        for index in range(int(before[rules.LENGTH]) + 1, len(history)):
            state = game.state(history[:index])
            told.append(f"chance: {state.action_to_string(-1, history[index])}")
        return told


def printable(line: str) -> str:
    """Leave out what may not stand in a picture."""
    return "".join(letter if letter.isprintable() else " " for letter in line)
