"""Games of the authors' own program: ours must see the same tiles, targets, questions and winners.

The traces tell what was dealt and in which order was drafted, which in ours are matters of dice; so
both are written into the position at the beginning of every round, after a look that ours could
have come to the same.

One thing differs on purpose: where a tractor pulls several ships out of the Singularity, theirs go
in the order of the seats and ours by the dice. There every throw that matters is tried, and one of
them has to lead to what the trace shows.
"""

import numpy as np
import pytest

from games.recorded import recorded
from sandtable.dice import Dice
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.cards import KIND, NAMES, TRACTOR, VALUE
from sandtable.games.gravwell.layout import (
    CURRENT,
    GO,
    MOVER,
    NOTHING,
    OPEN_STACK,
    ORDER,
    OVER,
    PHASE,
    PLAYED,
    ROUND,
    SHIPS,
    STOP,
    STOPPING,
    STOPS,
    TABLE,
    TAKE,
    TURN,
    UNDEALT,
    UNDER_STACK,
    WHERE,
    WINNER,
)
from sandtable.games.gravwell.rules import kernels as rules
from sandtable.games.gravwell.rules.movement import destination, pull_others, target_of
from sandtable.registry import make_game

CARD = {name: card for card, name in enumerate(NAMES)}
HULKS = {"hulk36": layout.FIRST_HULK, "hulk26": layout.FIRST_HULK + 1}
THROWS = 200  # tried for ships that leave the Singularity together


class Replay:
    """One game of a trace, played again card by card."""

    def __init__(self, trace, tractor):
        self.trace = trace
        self.seat = {name: seat for seat, name in enumerate(trace["names"])}
        self.ship = {**self.seat, **HULKS}
        self.game = make_game(f"gravwell:players={trace['players']},tractor={tractor}")
        self.position = self.game.empty_position()
        self.dice = Dice(0, "traces", trace["id"]).array
        self.cards = self.ordered_by_dice = 0
        rules.start(self.position, self.dice)

    def play(self):
        assert self.tiles(self.position) == self.trace["start"]
        for number, played in enumerate(self.trace["rounds"]):
            assert self.position[ROUND] == number
            self.draft(played)
            for turn, cards in enumerate(played["turns"]):
                assert self.position[TURN] == turn
                self.play_turn(cards)
        assert rules.turn(self.position) == OVER
        assert self.tiles(self.position) == self.trace["end"]
        self.check_winner()

    def check_winner(self):
        winner = self.seat[self.trace["winner"]]
        reached = self.position[CURRENT] != NOTHING
        assert reached == self.trace["reached_gate"]
        if self.position[WINNER] != NOTHING:
            assert self.position[WINNER] == winner
        else:  # nobody left the Singularity: theirs drew a winner, ours shares
            assert not any(self.trace["end"][name] for name in self.seat)

    def tiles(self, position):
        """Return the tiles as the authors write them."""
        return {
            name: int(position[SHIPS + ship])
            for name, ship in self.ship.items()
            if position[SHIPS + ship] != NOTHING
        }

    def draft(self, played):
        position = self.position
        order = [self.seat[name] for name in played["order"]]
        tiles = position[SHIPS : SHIPS + len(order)]
        ours = list(position[ORDER : ORDER + len(order)])
        assert [tiles[seat] for seat in order] == [tiles[seat] for seat in ours]
        assert [s for s in order if tiles[s]] == [s for s in ours if tiles[s]]
        position[ORDER : ORDER + len(order)] = order
        position[MOVER] = order[0]
        position[WHERE : WHERE + 26] = UNDEALT
        for stack, (visible, hidden) in enumerate(played["field"]):
            position[WHERE + CARD[visible]] = OPEN_STACK + stack
            position[WHERE + CARD[hidden]] = UNDER_STACK + stack
        for name, stack in played["drafts"]:
            assert rules.turn(position) == self.seat[name]
            self.apply(TAKE + CARD[played["field"][stack][0]])

    def apply(self, action):
        mask = np.zeros(self.game.action_count, dtype=bool)
        rules.legal(self.position, mask)
        assert mask[action]
        rules.apply(self.position, action, self.dice)

    def play_turn(self, turn):
        """Play the cards; where the dice order ships, throw until they do it as in the trace."""
        before, resolved = self.position.copy(), turn["resolve"]
        for throw in range(THROWS):
            self.position, dice = before.copy(), Dice(0, "turn", throw)
            for name, seat in self.seat.items():
                assert rules.turn(self.position) == seat
                if seat + 1 < len(self.seat):
                    self.apply(CARD[turn["plays"][name]])
            shown = self.turned_over(turn["plays"])
            again = Dice(0, "turn", throw)
            if self.look_at_cards(shown, resolved, dice):
                break
            assert dice.array[2] > 0, "no dice were thrown, but the ships went elsewhere"
        else:
            raise AssertionError("no throw leads to what the trace shows")
        self.cards += len(resolved)
        self.ordered_by_dice += bool(dice.array[2])
        self.dice = again.array
        self.apply(CARD[turn["plays"][name]])
        self.answer(resolved)
        assert (self.position[SHIPS:WHERE] == shown[SHIPS:WHERE]).all()

    def turned_over(self, plays):
        """Return the position with the cards of all seats on the table, for all to see."""
        position = self.position.copy()
        for name, seat in self.seat.items():
            position[TABLE + seat] = CARD[plays[name]]
            position[WHERE + CARD[plays[name]]] = PLAYED + seat
        return position

    def look_at_cards(self, position, resolved, dice):
        """Resolve card by card; say whether all ships go where they do in the trace."""
        card = NOTHING
        for told in resolved:
            card, seat = rules.next_card(position, card), self.seat[told["player"]]
            assert (NAMES[card], rules.owner_of(position, card)) == (told["card"], seat)
            target = target_of(position, seat)
            assert target == (NOTHING if told["target"] is None else self.ship[told["target"]])
            assert position[STOPS + seat] == told["es_available"]
            assert rules.may_stop(position, seat, card, target) == told["es_polled"]
            if told["es_used"]:
                position[STOPS + seat] = 0
            elif KIND[card] == TRACTOR:
                pull_others(position, seat, VALUE[card], dice.array)
            else:
                position[SHIPS + seat] = destination(position, seat, card)
            if self.tiles(position) != told["pos"]:
                return False
            assert (position[SHIPS + seat] == layout.GATE) == told["won"]
        return True

    def answer(self, resolved):
        """Answer the questions as in the trace; all others have been resolved without one."""
        for told in resolved:
            if told["es_polled"]:
                assert self.position[PHASE] == STOPPING
                assert NAMES[self.position[CURRENT]] == told["card"]
                assert rules.turn(self.position) == self.seat[told["player"]]
                self.apply(STOP if told["es_used"] else GO)
        assert self.position[PHASE] != STOPPING


def replay_all(name, which, tractor):
    traces = recorded("gravwell", f"games_{name}_tractor", which)
    games = [Replay(trace, tractor) for trace in traces]
    for game in games:
        game.play()
    assert {len(game.seat) for game in games} == {2, 3, 4}
    return len(games), sum(g.cards for g in games), sum(g.ordered_by_dice for g in games)


@pytest.mark.parametrize(
    ("which", "totals"), [("carried", (22, 2_905, 0)), ("complete", (150, 19_570, 0))]
)
def test_games_with_inert_tractors_replay_exactly(which, totals):
    assert replay_all("inert", which, "inert") == totals


@pytest.mark.parametrize(
    ("which", "totals"), [("carried", (22, 2_852, 2)), ("complete", (150, 19_804, 9))]
)
def test_games_with_working_tractors_replay_exactly(which, totals):
    assert replay_all("working", which, "true") == totals
