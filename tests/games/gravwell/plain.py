"""Gravwell written a second time, plainly: names and sets, and nothing shared with ours.

A game is a generator that asks one seat after the other: it yields who is to act and what it may
do, and is sent the answer. It knows what everybody has seen, so it can also write down what a seat
may know, in the notation of ours.
"""

from collections import Counter

NORMAL = {
    "Ar": 1, "B": 2, "C": 3, "Dy": 5, "Es": 2, "F": 6, "Ga": 5, "H": 4, "Ir": 6, "Li": 4,
    "Mg": 10, "O": 7, "Pu": 5, "Ra": 9, "Si": 9, "Th": 2, "V": 7, "W": 8, "Y": 8, "Zr": 7,
}  # fmt: skip
REPULSOR = {"Kr": 2, "Ne": 6, "U": 5, "Xe": 3}
TRACTOR = {"Jo": 2, "Qt": 3}
DECK = sorted([*NORMAL, *REPULSOR, *TRACTOR])
SEATS = ("first", "second", "third", "fourth")


class PlainGravwell:
    def __init__(self, players, dice, inert=False):
        self.seats = SEATS[:players]
        self.dice, self.inert = dice, inert
        self.ships = dict.fromkeys(self.seats, 0) | {"hulk36": 36}
        if players > 2:
            self.ships["hulk26"] = 26
        self.before = {}  # the cards of the turn before
        self.winner = None
        self.over = False
        self.noted = Counter()  # how often each kind of event came up

    def course(self):
        """Run the whole game; yields (seat, words it may answer)."""
        for self.round in range(1, 7):
            self.turn = 0
            self.marked = None
            self.table = {}
            yield from self.draft()
            for self.turn in range(1, 7):
                yield from self.one_turn()
                if self.winner:
                    return
        self.over = True
        best = max(self.ships[seat] for seat in self.seats)
        self.winner = (
            next(seat for seat in self.seats if self.ships[seat] == best) if best else None
        )
        self.noted["furthest wins" if best else "nobody left"] += 1

    def draft(self):
        self.stopped = set()
        self.order = self.shuffled([seat for seat in self.seats if self.ships[seat] == 0])
        self.order += sorted(
            (seat for seat in self.seats if self.ships[seat]), key=lambda seat: self.ships[seat]
        )
        deck, count = list(DECK), 6 * len(self.seats)
        for place in range(count):
            other = place + self.dice.below(26 - place)
            deck[place], deck[other] = deck[other], deck[place]
        self.stacks = dict(enumerate(zip(deck[:count:2], deck[1:count:2], strict=True)))
        self.undealt = set(deck[count:])
        self.open = {seat: set() for seat in self.seats}
        self.secret = {seat: set() for seat in self.seats}
        self.played = {seat: set() for seat in self.seats}
        for seat in self.order * 3:
            shown = {visible: number for number, (visible, _) in self.stacks.items()}
            answer = yield seat, {f"take-{card}" for card in shown}
            visible, hidden = self.stacks.pop(shown[answer.removeprefix("take-")])
            self.open[seat].add(visible)
            self.secret[seat].add(hidden)

    def shuffled(self, names):
        """Draw them one by one; a single one needs no dice."""
        left, drawn = list(names), []
        while left:
            drawn.append(left.pop(self.dice.below(len(left)) if len(left) > 1 else 0))
        return drawn

    def one_turn(self):
        chosen = {}
        self.table = chosen  # face down
        for seat in self.seats:
            chosen[seat] = yield seat, self.open[seat] | self.secret[seat]
        for seat, card in chosen.items():
            self.open[seat].discard(card)
            self.secret[seat].discard(card)
            self.played[seat].add(card)
        for card, seat in sorted((card, seat) for seat, card in chosen.items()):
            self.marked = card
            stuck = self.target(seat) is None
            self.noted["a stuck ship"] += stuck
            if seat not in self.stopped and (not stuck or card in TRACTOR):
                if (yield seat, {"go", "stop"}) == "stop":
                    self.stopped.add(seat)
                else:
                    self.effect(seat, card)
            else:
                self.effect(seat, card)
            if self.ships[seat] == 54:
                self.winner, self.over = seat, True
                self.noted["the gate is reached"] += 1
                return
        self.marked = None
        if self.round < 6 or self.turn < 6:
            self.before, self.table = chosen, {}

    def target(self, ship):
        """Return the ship this one is drawn to, or None."""
        here = self.ships[ship]
        others = {name: tile for name, tile in self.ships.items() if name != ship and tile > 0}
        ahead = sorted((tile - here, name) for name, tile in others.items() if tile > here)
        behind = sorted((here - tile, name) for name, tile in others.items() if tile < here)
        near = [side for side in (ahead, behind) if side]
        if len(near) == 2 and ahead[0][0] == behind[0][0]:
            self.noted["as near ahead as behind"] += 1
            if len(ahead) == len(behind):
                return None
            return max(near, key=len)[0][1]
        return min(side[0] for side in near)[1] if near else None

    def effect(self, seat, card):
        if card in TRACTOR:
            if not self.inert:
                self.drag(seat, TRACTOR[card])
            return
        target = self.target(seat)
        if target is None:
            return
        forwards = self.ships[target] > self.ships[seat]
        if card in NORMAL:
            self.fly(seat, NORMAL[card], forwards)
        else:
            self.fly(seat, REPULSOR[card], not forwards)

    def drag(self, seat, tiles):
        """Pull all other ships: the nearest first, behind before ahead, out of 0 by dice."""
        here = self.ships[seat]
        apart = {name: tile for name, tile in self.ships.items() if tile != here}
        for distance in range(1, 55):
            behind = [name for name, tile in apart.items() if tile == here - distance]
            for name in self.shuffled(behind):  # more than one only in the Singularity
                self.fly(name, tiles, True)
            for name, tile in apart.items():
                if tile == here + distance:
                    self.fly(name, tiles, False)
            self.noted["pulled out of the Singularity together"] += len(behind) > 1

    def fly(self, ship, tiles, forwards):
        """Move a ship; on an occupied tile it goes on, at the end of the board it stays before."""
        taken = {tile for name, tile in self.ships.items() if name != ship and tile}
        step = 1 if forwards else -1
        end = self.ships[ship] + step * tiles
        if not 0 <= end <= 54:
            self.noted["an end of the board"] += 1
        end = min(max(end, 0), 54)
        while end in taken:
            self.noted["an occupied tile"] += 1
            end += step
        if end > 54:
            self.noted["no free tile before the end"] += 1
            end = max(tile for tile in range(55) if tile not in taken)
        self.ships[ship] = end

    def line(self, viewer=None):
        """Write what a seat may know (None: everything, "nobody": a spectator)."""
        covered = viewer is not None
        seats = self.seats
        hulks = ",".join(str(tile) for name, tile in self.ships.items() if name not in seats)
        stacks = [
            self.stacks[number][0] + ("?" if covered else self.stacks[number][1])
            if number in self.stacks
            else "-"
            for number in range(3 * len(seats))
        ]
        hands = [
            joined(self.open[seat])
            + "+"
            + ("?" * len(self.secret[seat]) if covered and seat != viewer else
               joined(self.secret[seat]))
            for seat in seats
        ]  # fmt: skip
        return " ".join(
            [
                ",".join(str(self.ships[seat]) for seat in seats) + "+" + hulks,
                f"{self.round}.{self.turn}",
                "".join(str(1 + seats.index(seat)) for seat in self.order),
                "".join(str(1 + seats.index(s)) for s in seats if s not in self.stopped) or "-",
                ",".join(stacks) if self.stacks else "-",
                "/".join(hands),
                "/".join(joined(self.played[s]) for s in seats) if any(self.played.values())
                else "-",
                ",".join(self.on_table(seat, covered and seat != viewer) for seat in seats),
                ",".join(self.before[seat] for seat in seats) if self.before else "-",
                ("?" * len(self.undealt) if covered else joined(self.undealt)) or "-",
                "over" if self.over else "-",
                "tractor=inert" if self.inert else "-",
            ]
        )  # fmt: skip

    def on_table(self, seat, covered):
        card = self.table.get(seat, "-")
        if card == "-" or card in self.played[seat]:
            return card + ("!" if card == self.marked else "")
        return "?" if covered else card


def joined(cards):
    return "".join(sorted(cards))
