"""The conformance kit for games: ours pass, and every broken one is found out."""

import random
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sandtable.conformance import BrokenContract, check_game
from sandtable.conformance.games import FEW_GAMES
from sandtable.registry import game_names, make_game
from sandtable.types import OVER

sys.path.insert(0, str(Path(__file__).parent / "example_package" / "src"))

from sandtable_kuhn.game import kuhn

from arena.race import race

LUCID, KUHN, RACE = make_game("lucid"), kuhn(), race()


@pytest.mark.parametrize("name", game_names())
def test_registered_games_keep_the_contract(name):
    games = (
        FEW_GAMES if name == "stratego" else 20
    )  # random games of Stratego are a thousand moves long
    report = check_game(make_game(name), games=games)
    report.raise_if_broken()
    assert report.games == games
    unchecked = {promise for promise in report.promises if not report.checked[promise]}
    # A game without such actions promises nothing about them.
    assert unchecked <= {"turn_ending_actions"}


def test_the_example_game_keeps_the_contract():
    report = check_game(KUHN, games=60)
    report.raise_if_broken()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_game_with_measures_keeps_the_contract(seats):
    report = check_game(race(seats))
    report.raise_if_broken()
    assert report.checked["measures"] == 2 * report.games


# Broken games: the check that must find it, the game, and what is changed in it. ``rules`` are the
# sound kernels; what is put in their place is plain Python, which the check "kernels" notes too.


def changed(game, **kernels):
    return replace(game, rules=replace(game.rules, **kernels))


def with_notation(game, **methods):
    changed_class = type("Changed", (type(game.notation),), methods)
    return replace(game, notation=changed_class())


def with_drawing(game, **methods):
    return replace(game, drawing=type("Changed", (type(game.drawing),), methods)())


def after(kernel, change):
    """Return a kernel that does something more."""

    def mutant(*arguments):
        result = kernel(*arguments)
        change(*arguments)
        return result

    return mutant


def write_beside(position, *_):
    longer = np.lib.stride_tricks.as_strided(position, (len(position) + 1,))
    longer[-1] = 7


def write_first(position, *_):
    position[0] += 1


def forgets_the_count(position, mask):
    LUCID.rules.legal(position, mask)
    return int(mask.sum()) - 1


A1_WEST = 3


def marks_a_step_off_the_board(position, mask):
    count = LUCID.rules.legal(position, mask)
    mask[A1_WEST] = count > 0
    return count + (count > 0)


def adds_to_the_mask(position, mask):
    before = mask.copy()
    LUCID.rules.legal(position, mask)
    mask |= before
    return int(mask.sum())


def is_legal_after_the_end(position, mask):
    mask[:] = True
    return 2


def deals_always_the_same(position, dice):
    position[:] = [3, 1, 0, 0, 0]


def gives_a_bonus(position, action, dice, luck):
    LUCID.rules.apply_with_luck(position, action, dice, luck)
    luck[1] += 0.4 if action == LUCID.action_count - 1 else 0.0


def covers_less_each_time(position, seat):
    position[1 - seat] = max(position[1 - seat] - 1, 0)


def covers_jacks_only(position, seat):
    if position[1 - seat] == 1:
        KUHN.rules.hide(position, seat)


def guesses_the_own_card(position, seat, dice):
    position[1 - seat] = position[seat]


def guesses_without_dice(position, seat, dice):
    if position[1 - seat] == 0:
        position[1 - seat] = random.choice([card for card in (1, 2, 3) if card != position[seat]])


def looks_into_the_other_hand(position, seat, planes):
    planes[3, 0, 0] += position[1 - seat]


def counts_calls():
    """Return an apply that works a hundred times, and then turns every pass into a bet."""
    calls = []

    def apply(position, action, dice):
        calls.append(action)
        KUHN.rules.apply(position, 1 if len(calls) > 100 else action, dice)

    return apply


def start_by_call():
    calls = []

    def start(position, dice):
        calls.append(dice)
        KUHN.rules.start(position, dice)
        position[:2] = [3, 1] if len(calls) % 3 else [1, 3]

    return start


def measures_from_outside():
    calls = []

    def measure(position, values):
        calls.append(position)
        values[:] = len(calls)

    return measure


def raises(*_):
    raise RuntimeError("on purpose")


WORDS = {"pass": 0, "bet": 1}
BROKEN_GAMES = {
    "scores out of bounds": ("bounds", replace(KUHN, score_bounds=((-1.0, 1.0),) * 2)),
    "a score left out": ("bounds", changed(KUHN, score=lambda p, s: s.__setitem__(0, 1.0))),
    "not zero-sum": ("zero sum", changed(KUHN, score=lambda p, s: s.__setitem__([0, 1], [1, 0]))),
    "zero-sum denied": ("zero sum", replace(KUHN, zero_sum=False)),
    "chance denied": ("chance", replace(LUCID, chance=False)),
    "chance claimed": ("chance", changed(KUHN, start=deals_always_the_same)),
    "hidden denied": ("hidden", replace(KUHN, hidden=False)),
    "hidden claimed": ("hidden", replace(LUCID, hidden=True)),
    "an own action unseen": ("hidden", replace(KUHN, action_visible_to=lambda *_: False)),
    "a leaky hide": ("guess", changed(KUHN, hide=covers_jacks_only)),
    "a hide not done once": ("hide", changed(KUHN, hide=covers_less_each_time)),
    "a hidden turn": ("hide", changed(KUHN, hide=lambda p, s: p.__setitem__(2, 0))),
    "a hide that raises": ("hide", changed(KUHN, hide=raises)),
    "an impossible guess": ("guess", changed(KUHN, guess=guesses_the_own_card)),
    "a guess without dice": ("guess", changed(KUHN, guess=guesses_without_dice)),
    "planes that see too much":
        ("encode", changed(KUHN, encode=after(KUHN.rules.encode, looks_into_the_other_hand))),
    "planes not filled": ("encode", changed(KUHN, encode=lambda p, s, planes: None)),
    "infinite planes":
        ("encode", changed(KUHN, encode=lambda p, s, planes: planes.fill(np.inf))),
    "a wrong count": ("legal", changed(LUCID, legal=forgets_the_count)),
    "an illegal action marked":
        ("actions as text", changed(LUCID, legal=marks_a_step_off_the_board)),
    "a mask not cleared": ("legal", changed(LUCID, legal=adds_to_the_mask)),
    "nothing legal": ("legal", changed(KUHN, legal=lambda p, mask: mask.fill(False) or 0)),
    "legal after the end": ("over", changed(KUHN, legal=is_legal_after_the_end)),
    "no reason for the end": ("over", with_notation(KUHN, reason=lambda self, position: "")),
    "a seat too many": ("turn", changed(KUHN, turn=lambda p: 2)),
    "over at once": ("start", changed(KUHN, turn=lambda p: OVER)),
    "a start by the clock": ("start", changed(KUHN, start=start_by_call())),
    "hidden randomness":
        ("apply", changed(KUHN, apply=lambda p, a, d: KUHN.rules.apply(p, random.randrange(2), d))),
    "a hidden memory": ("apply", changed(KUHN, apply=counts_calls())),
    "other dice":
        ("apply", changed(LUCID, apply=after(LUCID.rules.apply, lambda p, a, d: d.fill(1)))),
    "an apply that raises": ("apply", changed(KUHN, apply=raises)),
    "writing beside the array":
        ("own array", changed(KUHN, apply=after(KUHN.rules.apply, write_beside))),
    "a turn that writes":
        ("own array", changed(KUHN, turn=after(KUHN.rules.turn, lambda p: p.__setitem__(0, 2)))),
    "a turn passed on": ("turn_ending_actions", replace(LUCID, turn_ending_actions=frozenset({0}))),
    "a game too long": ("max_actions", replace(KUHN, max_actions=1)),
    "luck with a bias": ("luck", changed(LUCID, apply_with_luck=gives_a_bonus)),
    "luck that plays otherwise":
        ("luck", changed(LUCID, apply_with_luck=lambda p, a, d, luck: None)),
    "luck without a kernel": ("facts", replace(KUHN, luck=("cards",))),
    "measures without a kernel": ("facts", replace(KUHN, measures=("cards",))),
    "a measure without a name": ("facts", replace(RACE, measures=())),
    "two measures of one name": ("facts", replace(RACE, measures=("tile", "tile"))),
    "measures that are no numbers":
        ("measures", changed(RACE, measure=lambda p, values: values.fill(np.nan))),
    "a measure left out":
        ("measures", changed(RACE, measure=lambda p, values: values[:, 0].fill(1.0))),
    "measures from outside": ("measures", changed(RACE, measure=measures_from_outside())),
    "a measure that raises": ("measures", changed(RACE, measure=raises)),
    "a measure that writes":
        ("own array", changed(RACE, measure=after(RACE.rules.measure, write_first))),
    "two seats of one name": ("facts", replace(KUHN, seats=("first", "first"))),
    "bounds for one seat": ("facts", replace(KUHN, score_bounds=((-2.0, 2.0),))),
    "a plain function": ("kernels", changed(KUHN, apply=KUHN.rules.apply.py_func)),
    "two words":
        ("actions as text", with_notation(KUHN, action_name=lambda self, action: "I bet")),
    "one name for all":
        ("actions as text", with_notation(KUHN, action_name=lambda self, action: "bet")),
    "half a position":
        ("positions as text", with_notation(KUHN, position_line=lambda self, p: "KJ -")),
    "another exception":
        ("nonsense", with_notation(KUHN, parse_action=lambda self, text: WORDS[text])),
    "anything goes": ("nonsense", with_notation(KUHN, parse_action=lambda self, text: len(text))),
    "no drawing": ("drawing", with_drawing(KUHN, text=lambda self, position: "")),
    "a broken picture":
        ("drawing", with_drawing(KUHN, svg=lambda self, position: "<svg><g></svg>")),
    "no events": ("drawing", with_drawing(KUHN, events=lambda self, before, action, after: None)),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN_GAMES)
def test_broken_games_are_found_out_by_the_check_that_names_it(name):
    check, game = BROKEN_GAMES[name]
    report = check_game(game, games=5 if game.name == "lucid" else 20)
    assert check in {problem.check for problem in report.problems}, report.lines()
    with pytest.raises(BrokenContract, match=check):
        report.raise_if_broken()


def test_problems_say_where_they_were_seen():
    report = check_game(replace(KUHN, score_bounds=((-1.0, 1.0),) * 2), games=20)
    line = next(line for line in report.lines() if line.startswith("bounds:"))
    assert "first has" in line or "second has" in line
    assert "(game " in line
    assert line.endswith("bb)")  # two coins change hands only after a bet that was called
    assert any("more of this kind" in line for line in report.lines())


def test_a_check_is_the_same_every_time():
    one, other = (check_game(KUHN, games=10, seed=4) for _ in range(2))
    assert one.checked == other.checked
