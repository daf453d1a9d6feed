"""Stratego written a second time, plainly: objects and dictionaries, nothing shared with ours.

Squares are names such as ``a4``. Everything follows the text of the rules: what was on the board
after every move of a chase is kept whole, and compared whole.
"""

from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

ARMIES = {
    "classic": {"F": 1, "B": 6, "S": 1, "2": 8, "3": 5, "4": 4, "5": 4, "6": 4, "7": 3, "8": 2,
                "9": 1, "T": 1},
    "mini": {"F": 1, "B": 2, "S": 1, "2": 2, "3": 2, "5": 1, "7": 1, "9": 1, "T": 1},
    "barrage": {"T": 1, "9": 1, "3": 1, "2": 2, "S": 1, "B": 1, "F": 1},
    "duel": {"T": 1, "9": 1, "3": 2, "2": 2, "S": 1, "B": 2, "F": 1},
}  # fmt: skip
COLUMNS = "abcdefghij"
LAKES = {"c5", "d5", "g5", "h5", "c6", "d6", "g6", "h6"}
STRENGTH = {"S": 1, "T": 10, **{str(rank): rank for rank in range(2, 10)}}
OTHER = {"red": "blue", "blue": "red"}
STEPS = ((-1, 0), (1, 0), (0, 1), (0, -1))  # columns to the right, rows up


def fight(attacker, defender):
    """Return who is left: 'attacker', 'defender' or nobody (None)."""
    if defender == "F":
        return "attacker"
    if defender == "B":
        return "attacker" if attacker == "3" else "defender"
    if attacker == "S" and defender == "T":
        return "attacker"
    if STRENGTH[attacker] == STRENGTH[defender]:
        return None
    return "attacker" if STRENGTH[attacker] > STRENGTH[defender] else "defender"


def enterable(side, square):
    column, row = square[0], int(square[1:])
    inside = column in COLUMNS[:side] and 1 <= row <= side
    return inside and not (side == 10 and square in LAKES)


@cache
def line(side, square, right, up):
    """List the squares from here on in one direction, up to the first that is barred."""
    found = []
    column, row = COLUMNS.index(square[0]), int(square[1:])
    while True:
        column, row = column + right, row + up
        if not 0 <= column < len(COLUMNS) or not enterable(side, f"{COLUMNS[column]}{row}"):
            return found
        found.append(f"{COLUMNS[column]}{row}")


@cache
def beside(side, square):
    lines = [line(side, square, *step) for step in STEPS]
    return [squares[0] for squares in lines if squares]


@dataclass(eq=False)
class Piece:
    owner: str
    rank: str
    moved: bool = False
    known: bool = False


def borders(start, target):
    """Return the borders between squares that a straight way crosses, each by its two squares."""
    columns = [COLUMNS.index(square[0]) for square in (start, target)]
    rows = [int(square[1:]) for square in (start, target)]
    way = [
        f"{COLUMNS[column]}{row}"
        for column in range(min(columns), max(columns) + 1)
        for row in range(min(rows), max(rows) + 1)
    ]
    return {frozenset(pair) for pair in pairwise(way)}


def look_alike(board, other):
    """Say whether the same pieces, or known ones of the same rank, stand on the same squares."""
    return board.keys() == other.keys() and all(
        piece is other[square]
        or (piece.known and other[square].known
            and (piece.owner, piece.rank) == (other[square].owner, other[square].rank))
        for square, piece in board.items()
    )  # fmt: skip


@dataclass
class Chase:
    """What a player's row of threats has been about."""

    boards: list  # after each move of either side, from the first threat on
    threatened: list  # pieces beside the one that has just moved there
    fled: set = field(default_factory=set)  # pieces that walked away from a threat


@dataclass
class SingleChase:
    """The same as version 1 of the rules saw it: the chase of one piece."""

    piece: Piece
    boards: list  # after each move of the chaser
    fled: set = field(default_factory=set)  # pieces that moved away


@dataclass
class PlainStratego:
    side: int
    board: dict  # square: Piece
    long_scouts: bool = True
    two_squares: int = 3
    more_squares: bool = True
    no_attack: int = 200
    max_plies: int = 4000
    paper_ends: bool = False
    as_in_version_1: bool = False  # the rules against repetition
    mover: str = "red"
    plies: int = 0
    quiet: int = 0
    over: str = ""
    winner: str = ""
    moves_made: dict = field(default_factory=lambda: {"red": [], "blue": []})  # piece, from, to
    chases: dict = field(default_factory=lambda: {"red": None, "blue": None})
    lost: dict = field(default_factory=lambda: {"red": [], "blue": []})
    seen: dict = field(default_factory=dict)  # how often each kind of event came up

    def note(self, what):
        self.seen[what] = self.seen.get(what, 0) + 1

    def beside(self, square):
        return beside(self.side, square)

    def steps(self, player):
        """List all moves but for the rules against repetition."""
        found = []
        for square, piece in self.board.items():
            if piece.owner != player or piece.rank in "BF":
                continue
            for step in STEPS:
                for distance, target in enumerate(line(self.side, square, *step), start=1):
                    if distance > 1 and not (piece.rank == "2" and self.long_scouts):
                        break
                    there = self.board.get(target)
                    if there is None or there.owner != player:
                        found.append((square, target))
                    if there is not None:
                        break
        return found

    def moves(self):
        return [move for move in self.steps(self.mover) if not self.repetition(*move)]

    def repetition(self, start, target):
        """Name the rule against repetition that forbids a move, if one does."""
        if self.as_in_version_1:
            return self.repetition_of_version_1(start, target)
        piece = self.board[start]
        made = self.moves_made[self.mover]
        limit = self.two_squares
        last = made[-limit:] if limit and len(made) >= limit else []
        crossed = [borders(*ends) for moved, *ends in last if moved is piece]
        if last and len(crossed) == limit and borders(start, target).intersection(*crossed):
            return "two squares"
        chase = self.chases[self.mover]
        if not self.more_squares or not chase or target in self.board:
            return ""
        if limit and made[-1] == (piece, target, start):
            return ""  # straight back: two squares is enough
        if not chase.fled.intersection(self.enemies_beside(target, self.mover)):
            return ""
        after = {**self.board, target: piece}
        del after[start]
        return "more squares" if any(look_alike(after, board) for board in chase.boards) else ""

    def repetition_of_version_1(self, start, target):
        piece = self.board[start]
        made = self.moves_made[self.mover]
        limit = self.two_squares
        if limit and len(made) >= limit:
            last = [{move[1], move[2]} if move[0] is piece else None for move in made[-limit:]]
            if all(squares == {start, target} for squares in last):
                return "two squares"
        chase = self.chases[self.mover]
        if not self.more_squares or not chase or chase.piece is not piece or target in self.board:
            return ""
        straight_back = limit and target == made[-1][1]
        if straight_back or not chase.fled.intersection(self.enemies_beside(target, self.mover)):
            return ""
        after = {**self.board, target: piece}
        del after[start]
        return "more squares" if after in chase.boards else ""

    def enemies_beside(self, square, player):
        around = [self.board[each] for each in self.beside(square) if each in self.board]
        return [piece for piece in around if piece.owner != player]

    def play(self, start, target):
        player, piece = self.mover, self.board.pop(start)
        there = self.board.get(target)
        self.plies += 1
        if there is None:
            self.quiet += 1
            self.board[target] = piece
            piece.moved = True
            if target not in self.beside(start):
                self.note("a long scout move")
                piece.known = True
            if self.as_in_version_1:
                self.follow_single_chases(player, piece, start, target)
            else:
                self.follow_chases(player, piece, target)
        else:
            self.quiet = 0
            self.chases = {"red": None, "blue": None}
            self.attack(player, piece, there, target)
            if not self.as_in_version_1 and self.board.get(target) is piece:
                self.begin_chase(player, target)
        self.moves_made[player].append((piece, start, target))
        if not self.over:
            self.mover = OTHER[player]
            self.look_for_end()

    def attack(self, player, piece, there, target):
        piece.known = there.known = True
        left = fight(piece.rank, there.rank)
        self.note(f"{piece.rank} attacks {there.rank}")
        if left != "defender":
            del self.board[target]
            self.lost[there.owner].append(there.rank)
        if left == "attacker":
            piece.moved = True
            self.board[target] = piece
        else:
            self.lost[player].append(piece.rank)
        if there.rank == "F":
            self.over, self.winner = "flag", player
            self.note("over: flag")

    def begin_chase(self, player, square):
        threatened = self.enemies_beside(square, player)
        self.chases[player] = Chase([dict(self.board)], threatened) if threatened else None
        if threatened and self.quiet == 0:
            self.note("a fight begins a chase")

    def follow_chases(self, player, piece, target):
        theirs, own = self.chases[OTHER[player]], self.chases[player]
        if theirs and piece in theirs.threatened:
            theirs.fled.add(piece)
            theirs.boards.append(dict(self.board))
        else:
            self.chases[OTHER[player]] = None
        if own and self.enemies_beside(target, player):
            if self.moves_made[player][-1][0] is not piece:
                self.note("a second chaser")
            own.threatened = self.enemies_beside(target, player)
            if len(own.fled) > 1:
                self.note("a second evader")
            own.boards.append(dict(self.board))
            self.note("a chase goes on")
        else:
            self.begin_chase(player, target)

    def follow_single_chases(self, player, piece, start, target):
        theirs, own = self.chases[OTHER[player]], self.chases[player]
        if theirs:
            chaser = next(square for square, who in self.board.items() if who is theirs.piece)
            if start in self.beside(chaser):
                theirs.fled.add(piece)
            else:
                self.chases[OTHER[player]] = None
        enemies = self.enemies_beside(target, player)
        if own and own.piece is piece and any(each in own.fled for each in enemies):
            own.boards.append(dict(self.board))
            self.note("a chase goes on")
        elif enemies:
            self.chases[player] = SingleChase(piece, [dict(self.board)])
        else:
            self.chases[player] = None

    def look_for_end(self):
        if not self.moves():
            if self.paper_ends or self.steps(OTHER[self.mover]):
                self.over, self.winner = "stuck", OTHER[self.mover]
                self.note("stuck by repetition" if self.steps(self.mover) else "stuck")
            else:
                self.over = "both stuck"
        elif self.no_attack and self.quiet >= self.no_attack:
            self.over = "quiet"
        elif self.plies >= self.max_plies:
            self.over = "long"
        if self.over:
            self.note(f"over: {self.over}")
