"""The contract of games in one page: Game, Rules, State, Outcome.

A position is one small array of integers and nothing else holds the state of a game. The rules
are kernels on positions. ``State`` is the same thing for people: immutable, with names, pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice
from sandtable.errors import IllegalAction, SandtableError, UnreadableAction
from sandtable.legal_actions import draws_by_mask, random_action_by_mask

__all__ = [
    "OVER",
    "Drawing",
    "Game",
    "Notation",
    "Outcome",
    "Position",
    "Rules",
    "SizeTable",
    "State",
    "TurnCounts",
]

Position: TypeAlias = NDArray[np.int16]
Action: TypeAlias = int

OVER = -1  # what turn(position) says when nobody is to act any more


@dataclass(frozen=True)
class Rules:
    """The kernels of a game; positions are int16 arrays, dice uint64 arrays of four.

    ``apply_with_luck`` is for games with dice that can say how lucky each throw was: it does what
    ``apply`` does and adds terms with mean zero to an array, one for each name in ``Game.luck``.
    ``random_action`` is given by games that can draw a legal action faster than by marking them
    all; the others get one from their Game, so the rules of a game always have it.
    ``measure`` is for facts about a finished game besides its score, named in ``Game.measures``.

    >>> from sandtable.registry import make_game
    >>> make_game("lucid").rules.measure is None
    True
    """

    start: Callable[..., Any]  # start(position, dice): from game.initial_cells to a start
    turn: Callable[..., Any]  # turn(position) -> seat to act, or OVER
    legal: Callable[..., Any]  # legal(position, mask) -> how many; mask is bool [action_count]
    apply: Callable[..., Any]  # apply(position, action, dice): play a legal action in place
    score: Callable[..., Any]  # score(position, scores): result of every seat, float64 [seats]
    hide: Callable[..., Any]  # hide(position, seat): remove what the seat may not know
    guess: Callable[..., Any]  # guess(position, seat, dice): fill a view, uniformly
    encode: Callable[..., Any]  # encode(position, seat, planes): float32 [planes, height, width]
    apply_with_luck: Callable[..., Any] | None = None  # (position, action, dice, luck)
    random_action: Callable[..., Any] | None = None  # (position, dice) -> a legal action
    measure: Callable[..., Any] | None = None  # (position, values): float64 [seats, measures]

    @classmethod
    def of(cls, module: Any, encode: Callable[..., Any]) -> Rules:
        """Collect the kernels of a module by their names; ``encode`` often lives in another."""
        names = ("start", "turn", "legal", "apply", "score", "hide", "guess")
        kernels = {name: getattr(module, name) for name in names}
        return cls(
            **kernels,
            encode=encode,
            apply_with_luck=getattr(module, "apply_with_luck", None),
            random_action=getattr(module, "random_action", None),
            measure=getattr(module, "measure", None),
        )


class Notation(Protocol):
    """Positions and actions as text, both ways.

    Optional: ``why_illegal(position, action)`` names in a few words the rule that forbids an action
    of the mover, from nothing but what the mover may know.

    >>> from sandtable.registry import make_game
    >>> notation = make_game("lucid").notation
    >>> notation.action_name(notation.parse_action("a1-a2"))
    'a1-a2'
    """

    def action_name(self, action: int) -> str:
        """Return the text of an action, one word without spaces."""
        ...

    def parse_action(self, text: str) -> int:
        """Return the action a word means, or raise UnreadableAction."""
        ...

    def position_line(self, position: Position) -> str:
        """Return the position in one line of text."""
        ...

    def parse_position(self, text: str) -> Position:
        """Return the position of such a line, or raise UnreadablePosition."""
        ...

    def reason(self, position: Position) -> str:
        """Say why a finished game is over."""
        ...


class Drawing(Protocol):
    """Pictures of a position or view.

    >>> from sandtable.registry import make_game
    >>> game = make_game("lucid")
    >>> game.drawing.svg(game.start(Dice(1)).position)[:4]
    '<svg'
    """

    def text(self, position: Position) -> str:
        """Return a drawing for the terminal."""
        ...

    def svg(self, position: Position) -> str:
        """Return a drawing as a whole SVG document."""
        ...

    def events(self, before: Position, action: int, after: Position) -> list[str]:
        """Tell in words what the dice did between two positions (an empty list: nothing)."""
        ...


@dataclass(frozen=True)
class TurnCounts:
    """How many whole turns a position allows (see ``sandtable perft``)."""

    results: int  # distinct positions a turn can lead to before dice are thrown
    actions: int  # distinct multisets of actions that make up a turn


@dataclass(frozen=True)
class SizeTable:
    """How large a game is by counting or by formulas (see ``sandtable perft``).

    >>> SizeTable(("2 players",), {"boards": (148826,)}).rows["boards"]
    (148826,)
    """

    columns: tuple[str, ...]
    rows: Mapping[str, tuple[int, ...]]  # what is counted: a number for each column
    svg: Callable[[], str] | None = None  # a drawing that belongs to it


def same_line(line: str) -> str:
    """Return a position line as it is."""
    return line


@dataclass(frozen=True)
class EarlierRules:
    """How a game is played today by the rules of an earlier version, so that its records replay.

    >>> EarlierRules({"repetition": "version-1"}).options["repetition"]
    'version-1'
    """

    options: Mapping[str, str] = field(default_factory=dict)  # with which the rules are those
    line: Callable[[str], str] = same_line  # makes a position line of then one of today


@dataclass(frozen=True, kw_only=True)
class Game:
    """The facts of a game. The conformance kit checks that every one of them is true."""

    name: str
    title: str
    version: int  # of the rules; a record of another version replays by ``earlier_rules`` or not
    seats: tuple[str, ...]  # names of the seats in order of their numbers
    rules: Rules
    notation: Notation
    drawing: Drawing
    position_size: int
    action_count: int
    plane_names: tuple[str, ...]  # what each plane of encode means
    board_shape: tuple[int, int]  # height and width of a plane
    score_bounds: tuple[tuple[float, float], ...]  # lowest and highest score of each seat
    max_actions: int  # no game has more actions than this
    chance: bool  # dice are thrown
    hidden: bool  # some seat may not see everything
    zero_sum: bool  # the scores of a finished game add up to zero
    has_winner: bool  # the highest score wins; False: only the score itself counts
    # (position, action, seat): does the seat learn which action was played there? None: everybody
    # sees every action
    action_visible_to: Callable[[Position, int, int], bool] | None = None
    turn_ending_actions: frozenset[int] | None = None  # None: every action ends a turn
    score_unit: str = "points"  # what scores count, in the plural
    luck: tuple[str, ...] = ()  # names of the terms of apply_with_luck
    measures: tuple[str, ...] = ()  # names of what measure tells of every seat of a finished game
    options: Mapping[str, Any] = field(default_factory=dict)  # those that differ from the default
    initial_cells: tuple[int, ...] = ()  # what start() finds in the array (options, a map) or zeros
    count_turns: Callable[[Position], TurnCounts] | None = None  # a fast way, where there is one
    sizes: Callable[[], SizeTable] | None = None  # how large the game is, where that is known
    earlier_rules: Mapping[int, EarlierRules] = field(default_factory=dict)  # by their version
    # [seat, action as the seat sees the board] -> action; None: planes show every seat the board
    # as the actions are numbered (see ``seat_mask``)
    action_frames: NDArray[np.int64] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        own = self.rules.random_action
        if own is None or draws_by_mask(own):  # also after replace() with other rules
            drawing = random_action_by_mask(self.name, self.rules.legal, self.action_count)
            object.__setattr__(self, "rules", replace(self.rules, random_action=drawing))

    @property
    def spec(self) -> str:
        """The spec string that builds this game again.

        >>> from sandtable.registry import make_game
        >>> make_game("skirmish:level=2").spec
        'skirmish:level=2'
        """
        from sandtable.specs import Spec

        return str(Spec(self.name, None, {key: str(value) for key, value in self.options.items()}))

    @property
    def draw_scores(self) -> tuple[float, ...] | None:
        """What everybody gets who agrees on a draw; None: that makes no sense in this game.

        It does where two sides play for a win, one gets what the other loses, and both have the
        same to win: then half the way is fair to both.

        >>> from sandtable.registry import make_game
        >>> make_game("skirmish").draw_scores, make_game("lucid").draw_scores
        ((0.0, 0.0), None)
        """
        alike = len(set(self.score_bounds)) == 1
        fair = len(self.seats) == 2 and self.has_winner and self.zero_sum and alike
        return (0.0, 0.0) if fair else None

    @property
    def plane_shape(self) -> tuple[int, int, int]:
        """The shape of the array that ``encode`` fills.

        >>> from sandtable.registry import make_game
        >>> make_game("skirmish").plane_shape[1:]
        (8, 8)
        """
        return (len(self.plane_names), *self.board_shape)

    def empty_position(self) -> Position:
        """Return the array as ``start`` wants to find it."""
        position = np.zeros(self.position_size, dtype=np.int16)
        position[: len(self.initial_cells)] = self.initial_cells
        return position

    def start(self, dice: Dice | None = None) -> State:
        """Return a starting position, drawn with these dice or with fresh ones.

        >>> from sandtable.registry import make_game
        >>> make_game("lucid").start(Dice(1)).line
        'r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -'
        """
        position = self.empty_position()
        self.rules.start(position, (dice or Dice.fresh()).array)
        return State(self, position)

    def parse(self, line: str) -> State:
        """Return the state written in one line of text.

        >>> from sandtable.registry import make_game
        >>> make_game("lucid").parse("r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -").turn
        0
        """
        return State(self, self.notation.parse_position(line))

    def parse_actions(self, text: str | Iterable[str]) -> list[int]:
        """Read actions from words separated by spaces or commas.

        >>> from sandtable.registry import make_game
        >>> game = make_game("lucid")
        >>> game.parse_actions("a1-a2 b1-b2") == game.parse_actions(["a1-a2", "b1-b2"])
        True
        """
        words = text.replace(",", " ").split() if isinstance(text, str) else text
        return [self.notation.parse_action(word) for word in words]

    def has_action(self, action: object) -> bool:
        """Say whether something is the number of an action.

        >>> from sandtable.registry import make_game
        >>> [make_game("lucid").has_action(each) for each in (0, -1, 0.5, "end")]
        [True, False, False, False]
        """
        return isinstance(action, (int, np.integer)) and 0 <= int(action) < self.action_count

    def board_action(self, seat: int, action: int) -> int:
        """Return the action that a seat means by one in its own frame.

        Planes may show a seat the board turned, so that its own side is always below. What a
        learner then takes for the move up there is another one in the rules, records and notation,
        which know one board only. Numbers beyond the actions stay as they are.

        >>> from sandtable.registry import make_game
        >>> game = make_game("skirmish")
        >>> game.board_action(0, 5), game.board_action(1, game.seat_action(1, 5))
        (5, 5)
        """
        if self.action_frames is None or not self.has_action(action):
            return action
        return int(self.action_frames[seat, action])

    def seat_action(self, seat: int, action: int) -> int:
        """Return an action as a seat sees it: the inverse of ``board_action``."""
        if self.action_frames is None or not self.has_action(action):
            return action
        return int(np.flatnonzero(self.action_frames[seat] == action)[0])

    def seat_mask(self, seat: int, mask: NDArray[Any]) -> NDArray[Any]:
        """Return a mask of actions in the frame of a seat, the one its planes are in.

        >>> from sandtable.registry import make_game
        >>> state = make_game("lucid").start()  # Lucid shows both sides the same board
        >>> bool((state.game.seat_mask(1, state.mask) == state.mask).all())
        True
        """
        return mask if self.action_frames is None else mask[self.action_frames[seat]]

    def seen_actions(self) -> NDArray[np.int64]:
        """Return all actions as each seat sees them [seat, action]: ``seat_action`` of each.

        >>> from sandtable.registry import make_game
        >>> game = make_game("skirmish")
        >>> int(game.seen_actions()[1, 5]) == game.seat_action(1, 5)
        True
        """
        if self.action_frames is None:
            return np.tile(np.arange(self.action_count), (len(self.seats), 1))
        return np.argsort(np.asarray(self.action_frames), axis=1)

    def seat_number(self, name: str) -> int:
        """Return the number of the seat with this name or number.

        >>> from sandtable.registry import make_game
        >>> make_game("lucid").seat_number("Red"), make_game("lucid").seat_number("0")
        (1, 0)
        """
        lowered = name.strip().lower()
        if lowered in self.seats:
            return self.seats.index(lowered)
        if lowered.isdigit() and int(lowered) < len(self.seats):
            return int(lowered)
        raise SandtableError(
            f"{self.name} has no seat '{name}'; its seats: {', '.join(self.seats)}"
        )


@dataclass(frozen=True)
class Outcome:
    """How a game ended: the score of every seat, and why it is over."""

    scores: tuple[float, ...]
    reason: str
    forfeited_by: int | None = None  # the seat whose agent could not go on

    @classmethod
    def forfeit(cls, game: Game, seat: int, reason: str) -> Outcome:
        """Return how a game ends when a seat gives up or cannot go on.

        It gets its lowest score and all others their highest.

        >>> from sandtable.registry import make_game
        >>> Outcome.forfeit(make_game("skirmish"), 0, "first resigns").scores
        (-1.0, 1.0)
        """
        scores = tuple(
            low if other == seat else high for other, (low, high) in enumerate(game.score_bounds)
        )
        return cls(scores, reason, forfeited_by=seat)

    @classmethod
    def agreed_draw(cls, game: Game) -> Outcome | None:
        """Return how a game ends when its players agree on a draw; None: they cannot.

        >>> from sandtable.registry import make_game
        >>> Outcome.agreed_draw(make_game("skirmish"))
        Outcome(scores=(0.0, 0.0), reason='a draw was agreed', forfeited_by=None)
        """
        scores = game.draw_scores
        return None if scores is None else cls(scores, "a draw was agreed")


class State:
    """A position, or the view of one seat, as an immutable object.

    It holds no dice: ``play`` takes them as an argument and throws fresh ones if it gets none, so
    a planner that looks ahead can never see what the real dice will show.

    >>> from sandtable.registry import make_game
    >>> state = make_game("lucid").start(Dice(1))
    >>> state.legal_names[:3]
    ('a1-a2', 'b1-b2', 'c1-c2')
    >>> state.play("a1-a2").line
    'r2,r2,r2,r2,r2/5/5/b1,4/b2,b3,b3,b3,b3 b 1 0 a2:1'
    >>> state.outcome is None
    True
    """

    __slots__ = ("_position", "game", "seat")

    _position: Position
    game: Game
    seat: int | None  # whose view this is; None: the whole position

    def __init__(self, game: Game, position: Position, seat: int | None = None) -> None:
        # Kept writable inside, since Numba would compile every kernel twice for read-only arrays.
        own = np.array(position, dtype=np.int16)
        for name, value in (("game", game), ("seat", seat), ("_position", own)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a State cannot be changed; play() returns a new one")

    @property
    def position(self) -> Position:
        """The array itself, read-only."""
        shown = self._position.view()
        shown.flags.writeable = False
        return shown

    @property
    def turn(self) -> int:
        """The seat to act, or OVER."""
        return int(self.game.rules.turn(self._position))

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Which actions are legal, one truth value for each action."""
        mask = np.zeros(self.game.action_count, dtype=np.bool_)
        self.game.rules.legal(self._position, mask)
        return mask

    @property
    def legal(self) -> tuple[int, ...]:
        """The legal actions, in ascending order."""
        return tuple(int(action) for action in np.flatnonzero(self.mask))

    @property
    def legal_names(self) -> tuple[str, ...]:
        """The legal actions as text."""
        return tuple(self.game.notation.action_name(action) for action in self.legal)

    @property
    def outcome(self) -> Outcome | None:
        """The result, or None while the game goes on."""
        if self.turn != OVER:
            return None
        scores = np.zeros(len(self.game.seats))
        self.game.rules.score(self._position, scores)
        return Outcome(
            tuple(float(score) for score in scores), self.game.notation.reason(self.position)
        )

    def play(self, action: int | str | Sequence[int], dice: Dice | None = None) -> State:
        """Return the state after an action: a number, its text, or several of either in a row."""
        if isinstance(action, str):
            actions = self.game.parse_actions(action)
        elif isinstance(action, (int, np.integer)):
            actions = [int(action)]
        else:
            actions = list(action)
        if not actions:
            raise UnreadableAction("no action given")
        roll = (dice or Dice.fresh()).array
        position = np.array(self.position)
        mask = np.zeros(self.game.action_count, dtype=np.bool_)
        for each in actions:
            check_legal(self.game, position, each, mask)
            self.game.rules.apply(position, each, roll)
        return State(self.game, position, self.seat)

    def view(self, seat: int) -> State:
        """Return what this seat may know."""
        if not 0 <= seat < len(self.game.seats):
            raise SandtableError(f"{self.game.name} has no seat {seat}")
        position = np.array(self.position)
        self.game.rules.hide(position, seat)
        return State(self.game, position, seat)

    def guess(self, dice: Dice | None = None) -> State:
        """Return a whole position drawn uniformly from those this view allows."""
        if self.seat is None:
            return self
        position = np.array(self.position)
        self.game.rules.guess(position, self.seat, (dice or Dice.fresh()).array)
        return State(self.game, position)

    def planes(self, seat: int | None = None) -> NDArray[np.float32]:
        """Return the network input as seen by a seat (by default the one to act).

        It is in the frame of the seat; ``game.seat_mask(seat, state.mask)`` is the mask in it.
        """
        if seat is None:
            seat = self.seat if self.seat is not None else max(self.turn, 0)
        planes = np.zeros(self.game.plane_shape, dtype=np.float32)
        self.game.rules.encode(self.view(seat)._position, seat, planes)
        return planes

    @property
    def line(self) -> str:
        """The position in one line of text; ``game.parse`` reads it back."""
        return self.game.notation.position_line(self.position)

    def __str__(self) -> str:
        return self.game.drawing.text(self.position)

    def _repr_svg_(self) -> str:
        return self.game.drawing.svg(self.position)

    def __repr__(self) -> str:
        seen = "" if self.seat is None else f" seen by {self.game.seats[self.seat]}"
        return f"<State of {self.game.spec}{seen}: {self.line}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return (
            self.game.spec == other.game.spec
            and self.seat == other.seat
            and np.array_equal(self.position, other.position)
        )

    def __hash__(self) -> int:
        return hash((self.game.spec, self.seat, self.position.tobytes()))


def check_legal(game: Game, position: Position, action: int, mask: NDArray[np.bool_]) -> int:
    """Return the seat to act if it may play an action, or raise IllegalAction.

    Whoever plays a game asks here and nowhere else. ``mask`` is room for a mask of all actions.
    """
    seat = int(game.rules.turn(position))
    if seat != OVER and game.has_action(action):
        game.rules.legal(position, mask)
        if mask[action]:
            return seat
    raise illegal_action(game, position, action)


def illegal_action(game: Game, position: Position, action: int) -> IllegalAction:
    """Return the error of an action: what was asked for, where, and which rule forbids it.

    >>> from sandtable.registry import make_game
    >>> state = make_game("lucid").start()
    >>> illegal_action(state.game, state.position, 1000).name
    'action 1000'
    """
    known = game.has_action(action)
    name = f"'{game.notation.action_name(int(action))}'" if known else f"action {action!r}"
    seen = np.array(position)  # writable, or kernels are compiled again
    seat = int(game.rules.turn(seen))
    if seat == OVER:
        reason = game.notation.reason(position)
        return IllegalAction(f"{name} cannot be played: the game is over ({reason})", name)
    game.rules.hide(seen, seat)  # the line is for whoever wanted to act
    where = game.notation.position_line(seen)
    tell = getattr(game.notation, "why_illegal", None)
    rule = str(tell(position, int(action))) if known and tell is not None else ""
    if rule:
        return IllegalAction(f"{name} is not legal: {rule} (in {where})", name, rule)
    return IllegalAction(f"{name} is not legal in {where}", name, rule)
