"""Kuhn poker as text and pictures, and the facts."""

import numpy as np

from sandtable import Game, Rules, UnreadableAction, UnreadablePosition
from sandtable_kuhn import rules

CARD_LETTERS = "?JQK"  # by the number of the card
ACTION_NAMES = ("pass", "bet")
HISTORIES = ("-", "p", "b", "pp", "pb", "bp", "bb", "pbp", "pbb")


class KuhnNotation:
    """A position is the two cards and what was played: ``KJ pb``, or ``K? pb`` in a view."""

    def action_name(self, action):
        return ACTION_NAMES[action]

    def parse_action(self, text):
        if text not in ACTION_NAMES:
            raise UnreadableAction(f"'{text}' is not pass or bet")
        return ACTION_NAMES.index(text)

    def position_line(self, position):
        cards = "".join(CARD_LETTERS[card] for card in position[:2])
        history = "".join(" pb"[mark] for mark in position[2:]).strip()
        return f"{cards} {history or '-'}"

    def parse_position(self, text):
        cards, _, history = text.partition(" ")
        known = len(cards) == 2 and cards[0] != cards[1] and set(cards) <= set(CARD_LETTERS)
        if not known or history not in HISTORIES:
            raise UnreadablePosition(f"'{text}' is not like 'KJ pb', 'K? b' or 'QJ -'")
        position = np.zeros(rules.POSITION_SIZE, dtype=np.int16)
        position[:2] = [CARD_LETTERS.index(card) for card in cards]
        for index, letter in enumerate(history.strip("-")):
            position[rules.HISTORY + index] = " pb".index(letter)
        return position

    def reason(self, position):
        return "the cards were shown" if rules.showdown(position) else "somebody folded"


class KuhnDrawing:
    """The two cards side by side, and the actions under them."""

    def text(self, position):
        cards, history = KuhnNotation().position_line(position).split()
        return f"[{cards[0]}] [{cards[1]}]  {history}"

    def svg(self, position):
        cards, history = KuhnNotation().position_line(position).split()
        signs = "".join(
            f'<text x="{x}" y="30">{sign}</text>' for x, sign in ((10, cards[0]), (50, cards[1]))
        )
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 60">'
            f'{signs}<text x="10" y="55">{history}</text></svg>'
        )

    def events(self, before, action, after):
        return []  # after the deal no dice are thrown


def kuhn() -> Game:
    """Kuhn poker: three cards, one bet, and a reason to bluff."""
    return Game(
        name="kuhn",
        title="Kuhn poker",
        version=1,
        seats=("first", "second"),
        rules=Rules.of(rules, rules.encode),
        notation=KuhnNotation(),
        drawing=KuhnDrawing(),
        position_size=rules.POSITION_SIZE,
        action_count=rules.ACTIONS,
        plane_names=("own card", "passes so far", "bets so far", "the view is the second seat's"),
        board_shape=(1, 3),
        score_bounds=((-2.0, 2.0), (-2.0, 2.0)),
        max_actions=3,
        chance=True,
        hidden=True,
        zero_sum=True,
        has_winner=False,
    )
