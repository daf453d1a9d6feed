"""What the conformance kit found: which promises were looked at how often, and which are broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from sandtable.errors import SandtableError
from sandtable.types import Game, Position

__all__ = ["BrokenContract", "Problem", "Report"]

MOST_OF_A_KIND = 3  # problems of one check that are told one by one; the others are counted


class BrokenContract(SandtableError):
    """A game or an agent does not do what it promises."""


@dataclass(frozen=True)
class Problem:
    """One broken promise, and where it was seen."""

    check: str
    message: str
    number: int | None = None  # of the game
    line: str = ""  # the position in one line

    def __str__(self) -> str:
        where = [] if self.number is None else [f"game {self.number}"]
        where += [f"in {self.line}"] if self.line else []
        return f"{self.check}: {self.message}" + (f" ({', '.join(where)})" if where else "")


class Report:
    """Collects what was checked and what is wrong; ``problems`` is empty if all is well."""

    def __init__(self, subject: str, promises: Mapping[str, str]) -> None:
        self.subject = subject
        self.promises = dict(promises)  # what each check is about, in words
        self.checked: Counter[str] = Counter()  # how often each check was made
        self.found: Counter[str] = Counter()  # how often each failed
        self.problems: list[Problem] = []
        self.games = 0
        self.actions = 0
        self._number: int | None = None
        self._line: Callable[[], str] | None = None

    def at(self, number: int | None, game: Game | None, position: Position | None) -> None:
        """Say where the checks that follow are made; the array may go on changing."""
        self._number = number
        self._line = None
        if game is not None and position is not None:
            self._line = lambda: game.notation.position_line(position)

    def expect(self, check: str, true: bool, message: str | Callable[[], str]) -> bool:
        """Note that a check was made, and a problem if what it expects is not true."""
        self.checked[check] += 1
        if not true:
            self.broken(check, message if isinstance(message, str) else message())
        return bool(true)

    def broken(self, check: str, message: str) -> None:
        """Note a problem."""
        self.found[check] += 1
        if self.found[check] <= MOST_OF_A_KIND:
            self.problems.append(Problem(check, message, self._number, self._where()))

    def _where(self) -> str:
        try:
            return self._line() if self._line else ""
        except Exception as problem:  # the notation itself may be what is broken
            return f"a position that cannot be written ({type(problem).__name__})"

    @contextmanager
    def no_exception(self, check: str, doing: str) -> Iterator[None]:
        """Turn whatever the code of a game or agent raises into a problem."""
        try:
            yield
        except Exception as problem:
            first_line = f"{type(problem).__name__}: {problem}".splitlines()[0]
            self.checked[check] += 1
            self.broken(check, f"{doing} raised {first_line}")

    def lines(self) -> list[str]:
        """Return one line for each problem, and one for each kind with more of them."""
        told = [str(problem) for problem in self.problems]
        more = {check: times - MOST_OF_A_KIND for check, times in self.found.items()}
        return told + [
            f"{check}: {left:,} more of this kind" for check, left in more.items() if left > 0
        ]

    def raise_if_broken(self) -> None:
        """Raise BrokenContract with all problems, if there are any."""
        if self.problems:
            raise BrokenContract("\n  ".join([f"{self.subject}:", *self.lines()]))

    def __repr__(self) -> str:
        verdict = f"{len(self.problems)} problems" if self.problems else "no problems"
        return f"<Report on {self.subject}: {self.checked.total():,} checks, {verdict}>"
